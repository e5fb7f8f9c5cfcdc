"""Failures that look like still running: circulating tasks, mutual waits, ownership, degraded agents."""
