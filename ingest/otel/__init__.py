"""OpenTelemetry spans and what they mean, shared by every adapter whose format holds spans."""
