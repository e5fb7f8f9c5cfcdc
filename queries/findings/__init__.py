"""What the conformance rules found in the records, with the evidence."""
