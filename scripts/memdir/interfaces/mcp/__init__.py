"""MCP: the tools, resources and prompts of one vault, over standard input and output or over HTTP."""
