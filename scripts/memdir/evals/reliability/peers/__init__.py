"""The adapter by which rows run against other tools: a store a tool (`stores`), and the rows through their verbs."""
