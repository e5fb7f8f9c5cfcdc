"""Which generations of one place are attached: the newest one, and the older ones still on lease."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ingest.store.errors import StoreLocked, StoreMissing

if TYPE_CHECKING:
    from ingest.store.hub import Hub

_ATTEMPTS = 100


@dataclass(eq=False)
class Generation:
    """What one place held at one time, and how many leases read it; without identity it stands in for nothing."""

    alias: str
    identity: object
    leases: int = 0

    @property
    def is_empty_stand_in(self) -> bool:
        """Whether there was nothing to attach."""
        return self.identity is None


class Generations(ABC):
    """The newest generation of a place, with the older ones still on lease. Its owner lets one thread in at a time."""

    def __init__(self, hub: Hub) -> None:
        """Nothing is attached yet."""
        self._hub = hub
        self._newest: Generation | None = None

    @abstractmethod
    def identity(self) -> object:
        """What tells the newest generation from all others; None where there is nothing."""

    @abstractmethod
    def attached(self, identity: object) -> Generation | None:
        """That generation, attached; None when it was replaced meanwhile."""

    @abstractmethod
    def restless(self) -> StoreLocked:
        """What to say of a place that is replaced too fast to be attached."""

    def take(self) -> Generation:
        """Return the newest generation with one lease more on it."""
        identity = self.identity()
        if self._newest is None or self._newest.identity != identity:
            self._succeed_by(self._attached(identity))
        assert self._newest is not None  # noqa: S101 - set one line above
        self._newest.leases += 1
        return self._newest

    def give_back(self, generation: Generation) -> None:
        """Count one lease less; the last one of an old generation lets go of it."""
        generation.leases -= 1
        if generation is not self._newest:
            self._let_go(generation)

    def close(self) -> None:
        """No generation stays attached, except those still on lease."""
        self._succeed_by(None)

    def _succeed_by(self, generation: Generation | None) -> None:
        old, self._newest = self._newest, generation
        if old is not None:
            self._let_go(old)

    def _let_go(self, generation: Generation) -> None:
        if generation.leases == 0 and not generation.is_empty_stand_in:
            self._hub.detach(generation.alias)

    def _attached(self, identity: object) -> Generation:
        for _ in range(_ATTEMPTS):
            with suppress(StoreMissing):
                if generation := self.attached(identity):
                    return generation
            identity = self.identity()
        raise self.restless()
