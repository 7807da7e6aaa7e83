"""The parts that the operations of the API are made of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol
from urllib.parse import quote


class Send(Protocol):
    """Sends a request and answers with the body of the response: JSON, or its bytes if `raw`. Leaves out parameters that are
    None."""

    def __call__(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        headers: Mapping[str, str | None] | None = None,
        body: Any = None,
        raw: bool = False,
    ) -> Any: ...


class Group:
    """Operations that belong together."""

    def __init__(self, send: Send) -> None:
        self._send = send


def segment(value: str) -> str:
    """A value as a part of a path."""
    return quote(value, safe="")
