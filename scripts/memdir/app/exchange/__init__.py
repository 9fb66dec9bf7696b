"""What comes in from other tools and goes out to them: imports, exports, snapshots; and what is forgotten."""
