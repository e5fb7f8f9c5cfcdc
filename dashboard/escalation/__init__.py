"""Escalation alerts on the screen and on the command line: their words, their messages, their acknowledgement."""
