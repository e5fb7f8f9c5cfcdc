"""Event blocks in text and JSON: found, read and given their meaning, for journals, logs and transcripts alike."""
