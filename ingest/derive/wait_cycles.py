"""Agents that wait for one another at the same time. A cycle is complete when its last wait begins.

Waits are taken in the order they began; one that begins can close a cycle only if its holder already waits, over any
number of others, for its waiter. Nothing recurses, and only agents that wait for one another at all are followed.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from operator import attrgetter

import duckdb
import pyarrow as pa

from ingest.derive.conditions import Condition

STEP = "55_wait_cycles"
WHEN = (Condition("waits"),)
FILLS = ("wait_cycles",)
_SCHEMA = pa.schema(
    {
        "run_id": pa.string(),
        "event_id": pa.string(),
        "members": pa.list_(pa.string()),
        "waits": pa.list_(pa.string()),
        "since": pa.timestamp("us", tz="UTC"),
    }
)


@dataclass(frozen=True, slots=True)
class Wait:
    """One agent waits for another; open from `since` until `until`, both None where not recorded."""

    run_id: str
    event_id: str
    waiter: str
    holder: str
    since: datetime | None = None
    until: datetime | None = None

    def is_open_at(self, moment: datetime | None) -> bool:
        """Whether it has not ended by then; without a time every wait counts as open."""
        return moment is None or self.until is None or self.until > moment


@dataclass(frozen=True, slots=True)
class Cycle:
    """Waits that hold one another, the one that closed it first."""

    waits: tuple[Wait, ...]

    @property
    def members(self) -> list[str]:
        """The agents in order; the first one again at the end."""
        return [*(wait.waiter for wait in self.waits), self.waits[0].waiter]


def cycles(waits: Sequence[Wait]) -> Iterator[Cycle]:
    """The cycles of one run, as each is closed; a wait among agents that hold one another already closes no new one."""
    entangled = _entangled(waits)
    timed = [wait for wait in waits if wait.since is not None]
    # A wait without a beginning may have been open at any time: then every wait is compared to all.
    is_timed = len(timed) == len(waits)
    edges, held = _Edges(), _Held()
    for wait in sorted(timed, key=attrgetter("since")) + [wait for wait in waits if wait.since is None]:
        group = entangled.get(wait.waiter)
        if group is None or group != entangled.get(wait.holder):
            continue
        moment = wait.since if is_timed else None
        edges.add(wait)
        path = None if held.together(wait, moment) else edges.path(wait.holder, wait.waiter, moment)
        if path is not None:
            cycle = Cycle((wait, *path))
            held.add(cycle, is_timed=is_timed)
            yield cycle


class _Edges:
    """The waits that have begun, by who waits and by who is waited for."""

    def __init__(self) -> None:
        self.outgoing: dict[str, list[Wait]] = defaultdict(list)
        self.incoming: dict[str, list[Wait]] = defaultdict(list)

    def add(self, wait: Wait) -> None:
        self.outgoing[wait.waiter].append(wait)
        self.incoming[wait.holder].append(wait)

    def path(self, start: str, goal: str, moment: datetime | None) -> list[Wait] | None:
        """A chain of open waits from start to goal, empty where they are one; searched from both ends at once.

        It costs no more than the shorter side, so that ten thousand waits that begin in any order stay cheap.
        """
        if start == goal:
            return []
        came_by: dict[str, Wait | None] = {start: None}
        goes_by: dict[str, Wait | None] = {goal: None}
        ahead, behind = deque([start]), deque([goal])
        while ahead and behind:
            for wait in self.outgoing.get(ahead.popleft(), ()):
                if wait.holder not in came_by and wait.is_open_at(moment):
                    came_by[wait.holder] = wait
                    if wait.holder in goes_by:
                        return _joined(came_by, goes_by, wait.holder)
                    ahead.append(wait.holder)
            for wait in self.incoming.get(behind.popleft(), ()):
                if wait.waiter not in goes_by and wait.is_open_at(moment):
                    goes_by[wait.waiter] = wait
                    if wait.waiter in came_by:
                        return _joined(came_by, goes_by, wait.waiter)
                    behind.append(wait.waiter)
        return None


def _joined(came_by: dict[str, Wait | None], goes_by: dict[str, Wait | None], meeting: str) -> list[Wait]:
    before: list[Wait] = []
    while (step := came_by[meeting if not before else before[-1].waiter]) is not None:
        before.append(step)
    after: list[Wait] = []
    while (step := goes_by[meeting if not after else after[-1].holder]) is not None:
        after.append(step)
    return [*reversed(before), *after]


class _Held:
    """Which agents hold one another, and until when."""

    def __init__(self) -> None:
        self._group_of: dict[str, int] = {}
        self._groups: dict[int, tuple[set[str], datetime | None]] = {}

    def together(self, wait: Wait, moment: datetime | None) -> bool:
        """Whether both are in one group whose waits are all still open."""
        if wait.waiter == wait.holder:
            return False
        group = self._group_of.get(wait.waiter)
        if group is None or group != self._group_of.get(wait.holder):
            return False
        members, until = self._groups[group]
        if until is None or moment is None or until > moment:
            return True
        for agent in members:
            del self._group_of[agent]
        del self._groups[group]
        return False

    def add(self, cycle: Cycle, *, is_timed: bool) -> None:
        """The agents of the cycle, and those who hold any of them, are one group."""
        members = {wait.waiter for wait in cycle.waits}
        ends = [wait.until for wait in cycle.waits if wait.until is not None]
        for group in {self._group_of[agent] for agent in members if agent in self._group_of}:
            others, until = self._groups.pop(group)
            members |= others
            ends += [until] if until is not None else []
        number = max(self._groups, default=0) + 1
        self._groups[number] = (members, min(ends) if ends and is_timed else None)
        self._group_of |= dict.fromkeys(members, number)


def _entangled(waits: Iterable[Wait]) -> dict[str, int]:
    """A number for each agent that stands on a cycle of waits at whatever times; equal numbers reach one another."""
    graph: dict[str, list[str]] = defaultdict(list)
    loops = set()
    for wait in waits:
        graph[wait.waiter].append(wait.holder)
        graph.setdefault(wait.holder, [])
        if wait.waiter == wait.holder:
            loops.add(wait.waiter)
    found: dict[str, int] = {}
    for number, group in enumerate(_components(graph)):
        if len(group) > 1 or group[0] in loops:
            found |= dict.fromkeys(group, number)
    return found


def _components(graph: dict[str, list[str]]) -> Iterator[list[str]]:
    """The strongly connected components, without recursion: forwards for an order, backwards for the groups."""
    backwards: dict[str, list[str]] = defaultdict(list)
    for agent, holders in graph.items():
        for holder in holders:
            backwards[holder].append(agent)
    reached: set[str] = set()
    order = [done for agent in graph for done in _finished(graph, agent, reached)]
    grouped: set[str] = set()
    for agent in reversed(order):
        if group := list(_finished(backwards, agent, grouped)):
            yield group


def _finished(graph: dict[str, list[str]], start: str, reached: set[str]) -> Iterator[str]:
    """The agents reached from here for the first time, each after those it leads to."""
    if start in reached:
        return
    reached.add(start)
    stack = [(start, iter(graph.get(start, ())))]
    while stack:
        agent, ahead = stack[-1]
        following = next((holder for holder in ahead if holder not in reached), None)
        if following is None:
            stack.pop()
            yield agent
        else:
            reached.add(following)
            stack.append((following, iter(graph.get(following, ()))))


def derive(con: duckdb.DuckDBPyConnection, _rows: Collection[str] = ()) -> None:
    """The wait cycles of the staged runs."""
    con.execute("DELETE FROM wait_cycles").fetchall()
    rows = con.execute(
        "SELECT run_id, event_id, waiter, holder, since, until FROM waits"
        " WHERE waiter IS NOT NULL AND holder IS NOT NULL ORDER BY run_id, since, seq"
    ).fetchall()
    waits = [Wait(*row) for row in rows]
    found = [
        (run_id, cycle.waits[0].event_id, cycle.members, [wait.event_id for wait in cycle.waits], cycle.waits[0].since)
        for run_id, of_run in groupby(waits, key=attrgetter("run_id"))
        for cycle in cycles(list(of_run))
    ]
    if found:
        columns = [
            pa.array(list(values), field.type) for values, field in zip(zip(*found, strict=True), _SCHEMA, strict=True)
        ]
        con.register("found_cycles", pa.table(columns, schema=_SCHEMA))
        con.execute(
            "INSERT INTO wait_cycles SELECT run_id, event_id, members, waits, since FROM found_cycles"
        ).fetchall()
        con.unregister("found_cycles")
