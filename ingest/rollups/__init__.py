"""Roll-ups: sums over many runs, kept current as runs come, change and go, and never counted anew for the whole store.

A tally is a SQL file beside this module: its rows are sums for keys, over chosen runs. When runs are replaced, what
they added is taken away and what they add now is put in its place. Signatures are told whole, each from all
of its failures.
"""

from ingest.rollups.keeping import Account, lasting, rebuild
from ingest.rollups.tallies import Tally, tallies

__all__ = ["Account", "Tally", "lasting", "rebuild", "tallies"]
