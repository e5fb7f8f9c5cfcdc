"""Python without a network: whoever has this folder on its path is refused every connection to an address."""

import socket
from typing import Any

_connect = socket.socket.connect


def _local_only(self: socket.socket, address: Any) -> None:
    if self.family != socket.AF_UNIX:
        raise ConnectionRefusedError(f"no network here: {address}")
    _connect(self, address)


socket.socket.connect = _local_only  # type: ignore[method-assign]
