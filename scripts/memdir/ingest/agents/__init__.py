"""Transcripts that agents write: sessions of Claude Code, Codex and OpenClaw, read into turns."""
