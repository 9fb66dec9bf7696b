"""What is kept of conversations: captures, episodes, and the conversations themselves."""
