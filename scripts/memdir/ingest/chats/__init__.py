"""Exports of chats: ChatGPT, Claude.ai, Gemini, and the plain form in JSON Lines; read into turns and notes."""
