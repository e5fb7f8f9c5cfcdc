"""What the bijux-canon adapters are made of: the readers of its stores, traces and replay results."""
