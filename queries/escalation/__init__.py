"""Escalation: whether each workload's rate is inside its band on both sides, and how sure that is."""
