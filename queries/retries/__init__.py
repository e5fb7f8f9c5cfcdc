"""Every retry with its verdict, what it cost, and which retry caused which."""
