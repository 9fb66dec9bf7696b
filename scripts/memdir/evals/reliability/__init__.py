"""Nothing is lost: what memdir promises of its files, shown by runs that anybody can repeat."""
