"""The conformance rules, a .sql file each: what must hold of the records, judged a run at a time when they are loaded.

The head of a file declares the rule; its SELECT gives a row for each thing judged: run_id, event_id, violated, message,
evidence. `violated` is NULL where the record lacks what the rule needs: not evaluable, which is not the same as obeyed.
A file whose name begins with _ is a scan that several rules share.
"""
