"""run-dash `events.jsonl`: a run's events in their order, and what each of them says."""
