"""Carries bytes to and from a tmux client; knows no tmux."""
