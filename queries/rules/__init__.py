"""The conformance rules that judged the store; their files lie in `ingest/derive/rules`."""
