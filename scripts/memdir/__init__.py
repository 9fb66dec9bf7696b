"""memdir: agent memory as a folder of plain markdown. See DESIGN in references/architecture.md."""

__version__ = "0.1.0"
