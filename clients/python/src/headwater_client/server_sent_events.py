"""Server-sent events, out of the bytes of a stream."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

media_type = "text/event-stream"

# A CR at the end of what has come can be the first half of a CRLF.
_end_of_line = re.compile(r"\r\n|\n|\r(?!\Z)")


class Frame(NamedTuple):
    """One without data says where to go on."""

    id: str | None
    data: str | None


def frames(chunks: Iterable[bytes]) -> Iterator[Frame]:
    """The frames of a stream. One without an empty line behind it is not whole, and left out."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    rest = ""
    data: list[str] = []
    id: str | None = None
    for chunk in chunks:
        *lines, rest = _end_of_line.split(rest + decoder.decode(chunk))
        for line in lines:
            if line.startswith("data:"):
                data.append(line[5:].removeprefix(" "))
            elif line.startswith("id:"):
                id = line[3:].strip()
            elif line == "" and (data or id is not None):
                yield Frame(id, "\n".join(data) if data else None)
                data = []
                id = None
