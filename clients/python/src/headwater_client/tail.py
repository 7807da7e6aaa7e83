"""Logs that are followed."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Generator, Iterator
from types import TracebackType
from urllib.parse import quote, urlencode

from .headwater_error import HeadwaterError
from .retry import backoff, is_passing, retry_after
from .server_sent_events import frames, media_type
from .transport import Stream
from .types import EventSummary

_longest_pause = 10.0

# Of so many logs it is remembered which event came last.
_most_logs = 10_000


def tail_path(source: str | None, workflow: str | None, stream: str | None, text: str | None) -> str:
    if source is not None:
        return f"/v1/sources/{quote(source, safe='')}/sse?" + urlencode({"event_name": stream or ""})
    if workflow is not None:
        return f"/v1/workflows/{quote(workflow, safe='')}/sse?" + urlencode({"event_name": stream or ""})
    given = {"stream": stream, "text": text}
    return "/v1/events/sse?" + urlencode({name: value for name, value in given.items() if value is not None})


class _LastEvents:
    """The events that came last of logs. Behind a position any number can come again, those of a log in order."""

    def __init__(self) -> None:
        self._ids: dict[tuple[str, str], tuple[int, ...]] = {}

    def add(self, event: EventSummary) -> bool:
        """Answers whether an event is new."""
        log = (event["metadata"]["emitter_id"], event["metadata"]["name"])
        numbers = tuple(int(number) for number in event["id"].split("-"))
        last = self._ids.pop(log, None)
        is_new = last is None or numbers > last
        self._ids[log] = numbers if last is None else max(numbers, last)
        if len(self._ids) > _most_logs:
            del self._ids[next(iter(self._ids))]
        return is_new


class Tail:
    """The events of a log, as they come, over as many connections as it takes: iterate over it.

    It ends by `close`, at the end of a `with`, and with a `HeadwaterError` if the server refuses it.
    """

    def __init__(self, server: str, connect: Callable[[str | None], Stream], after: str | None) -> None:
        """`connect` opens a connection from behind an event or a position, or from now."""
        self._server = server
        self._connect = connect
        self._stream: Stream | None = None
        self._closed = threading.Event()
        self._events = self._follow(after)

    def __iter__(self) -> Tail:
        return self

    def __next__(self) -> EventSummary:
        return next(self._events)

    def __enter__(self) -> Tail:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends the tail. Another thread may call it, also while the tail waits for an event."""
        self._closed.set()
        stream = self._stream
        if stream is not None:
            stream.interrupt()
        try:
            self._events.close()
        except ValueError:
            # Another thread waits for an event, and ends the tail itself.
            pass

    def _follow(self, last_id: str | None) -> Generator[EventSummary, None, None]:
        last_events = _LastEvents()
        failures = 0

        def heard(stream: Stream) -> Iterator[bytes]:
            nonlocal failures
            while chunk := stream.read():
                failures = 0
                yield chunk

        while not self._closed.is_set():
            asked = 0.0
            try:
                stream = self._stream = self._connect(last_id)
                try:
                    if not _is_tail(stream):
                        asked = self._refused(stream)
                    elif not self._closed.is_set():
                        for frame in frames(heard(stream)):
                            last_id = frame.id or last_id
                            if frame.data is None:
                                continue
                            event: EventSummary = json.loads(frame.data)
                            if last_events.add(event):
                                yield event
                            if self._closed.is_set():
                                return
                finally:
                    self._stream = None
                    stream.close()
            except OSError:
                pass
            self._closed.wait(max(backoff(failures, _longest_pause), asked))
            failures += 1

    def _refused(self, stream: Stream) -> float:
        """The pause that is asked for, in seconds, if it is for now that the server refuses the tail."""
        if not is_passing(stream.status) and stream.status < 500:
            body = b"".join(iter(stream.read, b""))
            raise HeadwaterError.of(self._server, stream.status, stream.reason, stream.headers, body)
        return retry_after(stream.headers) or 0.0


def _is_tail(stream: Stream) -> bool:
    return 200 <= stream.status < 300 and stream.headers.get("content-type", "").startswith(media_type)
