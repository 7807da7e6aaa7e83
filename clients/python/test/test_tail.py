from __future__ import annotations

import json
import re
import threading
import time
import unittest
from collections.abc import Callable
from typing import Any
from unittest.mock import patch

from scripted_server import Answer, Handler, ScriptedServer

from headwater_client import Headwater, HeadwaterError
from headwater_client.server_sent_events import Frame, frames


def event_of(id: str, emitter_id: str = "dc_1") -> dict[str, Any]:
    metadata = {"emit_id": id, "name": "", "emitter_id": emitter_id}
    return {"id": id, "indexed_at_ms": 0, "event": {"raw_event": {"name": "Zoë"}}, "metadata": metadata}


def data_of(id: str, emitter_id: str = "dc_1") -> str:
    return f"data: {json.dumps(event_of(id, emitter_id), ensure_ascii=False)}\n\n"


def frame(id: str) -> str:
    return f"id: {id}\n{data_of(id)}"


def connection(text: str, after: str) -> Callable[[Handler], None]:
    """A connection that brings this, and then breaks, ends, or goes on in silence."""

    def bring(handler: Handler) -> None:
        content = text.encode()
        handler.send_response(200)
        handler.send_header("Content-Type", "text/event-stream; charset=utf-8")
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        handler.wfile.write(b"%x\r\n%b\r\n" % (len(content), content))
        if after == "end":
            handler.wfile.write(b"0\r\n\r\n")
        if after == "break":
            handler.wfile.write(b"ff\r\nid: 9")
        if after == "silence":
            handler.rfile.read()
        handler.close_connection = True

    return bring


def soon(failures: int, longest: float) -> float:
    return 0.01


def late(failures: int, longest: float) -> float:
    return 60


class TailTest(unittest.TestCase):
    def setUp(self) -> None:
        self.patched("headwater._silence", 0.3)
        self.patched("tail.backoff", soon)

    def patched(self, name: str, value: object) -> None:
        patched = patch(f"headwater_client.{name}", value)
        patched.start()
        self.addCleanup(patched.stop)

    def follow(
        self, script: list[Callable[[Handler], None]], count: int, **options: str
    ) -> tuple[list[Any], list[str]]:
        """So many events over connections one after the other, and from where each was opened."""
        with ScriptedServer(*script) as server, Headwater(server.url, "key") as headwater:
            with headwater.tail(**options) as events:
                found = [next(events) for _ in range(count)]
        return found, [f"{request.path} {request.headers.get('last-event-id')}" for request in server.received]

    def test_goes_on_behind_the_last_event_whether_the_connection_broke_ended_or_fell_silent(self) -> None:
        found, opened = self.follow(
            [
                connection(f": hello\n\n{frame('1-0')}{frame('2-0')}{frame('3-0')[:-1]}", "break"),
                connection(f": hello\n\n{frame('3-0')[:-1]}", "end"),
                connection(f": hello\n\n{frame('3-0')}", "silence"),
                connection(frame("4-0"), "silence"),
            ],
            4,
            source="orders",
            after="0-7",
        )
        self.assertEqual(found, [event_of(id) for id in ("1-0", "2-0", "3-0", "4-0")])
        path = "/v1/sources/orders/sse?event_name="
        self.assertEqual(opened, [f"{path} {id}" for id in ("0-7", "2-0", "2-0", "3-0")])

    def test_goes_on_while_the_server_is_away_or_has_no_room_and_ends_when_it_refuses_the_tail(self) -> None:
        problem = json.dumps({"code": "not_found", "detail": "There is no source.", "details": {}})
        away = [Answer(503, problem), Answer(502, problem), connection(frame("1-0"), "end")]
        self.assertEqual(self.follow(away, 1, source="orders", after="0-0")[0], [event_of("1-0")])
        with self.assertRaises(HeadwaterError) as raised:
            self.follow([Answer(404, problem)], 1, source="orders", after="0-0")
        self.assertEqual(raised.exception.code, "not_found")
        with self.assertRaises(HeadwaterError) as raised:
            self.follow([Answer(200, "<html>", {"Content-Type": "text/html"})], 1, source="orders", after="0-0")
        self.assertEqual((raised.exception.status, raised.exception.code), (200, None))

    def test_is_closed_by_another_thread_while_it_waits_for_an_event_or_a_server(self) -> None:
        self.patched("headwater._silence", 60)
        self.patched("tail.backoff", late)
        for first in connection(": hello\n\n", "silence"), Answer(503):
            with ScriptedServer(first) as server, Headwater(server.url, "key") as headwater:
                tail = headwater.tail(source="orders", after="0-0")
                begin = time.monotonic()
                threading.Timer(0.2, tail.close).start()
                self.assertEqual(list(tail), [])
                self.assertLess(time.monotonic() - begin, 10)
                self.assertEqual(len(server.received), 1)
                self.assertEqual(list(tail), [])

    def test_goes_on_at_the_last_position_of_the_account_and_repeats_nothing_that_comes_again(self) -> None:
        first = f"id: 70\n\n{data_of('9-0')}{data_of('8-0', 'dc_2')}id: 71\n\n{data_of('9-1')}"
        second = f"id: 71\n\n{data_of('8-0', 'dc_2')}{data_of('9-1')}{data_of('7-0', 'dc_3')}"
        position = Answer(200, json.dumps({"page_info": {"position": "69"}, "data": []}))
        found, opened = self.follow([position, connection(first, "break"), connection(second, "end")], 4, text="é")
        self.assertEqual([event["id"] for event in found], ["9-0", "8-0", "9-1", "7-0"])
        path = "/v1/events/sse?text=%C3%A9"
        self.assertEqual(opened, ["/v1/events?limit=1&include=id None", f"{path} 69", f"{path} 71"])

    def test_begins_at_the_end_of_the_log_and_the_stream_that_it_names(self) -> None:
        for newest, after in ([{"id": "7-0"}], "7-0"), ([], "0-0"):
            script = [Answer(200, json.dumps({"data": newest})), connection(frame("8-0"), "end")]
            _, opened = self.follow(script, 1, workflow="p/1", stream="$errors")
            name = "/v1/workflows/p%2F1/"
            ended = f"{name}events?event_name=%24errors&limit=1&include=id None"
            self.assertEqual(opened, [ended, f"{name}sse?event_name=%24errors {after}"])

    def test_follows_one_log_alone(self) -> None:
        headwater = Headwater("http://127.0.0.1:9", "key")
        for options in {"source": "a", "workflow": "b"}, {"source": "a", "text": "b"}:
            with self.assertRaises(ValueError):
                headwater.tail(**options)


class FramesTest(unittest.TestCase):
    def test_reads_events_in_whatever_pieces_lines_and_ends_of_lines_they_come(self) -> None:
        lines = "".join(f"data: {line}\n" for line in json.dumps(event_of("4-0"), indent=1).split("\n"))
        parts = [frame("1-0"), frame("2-0").replace("\n", "\r"), frame("3-0"), f"id: 4-0\n{lines}\n"]
        text = f": hello\n\n{''.join(parts)}{frame('5-0')[:-1]}"
        ids = ["1-0", "2-0", "3-0", "4-0"]
        for whole in (text, re.sub(r"(?<!\r)\n", "\r\n", text)):
            content = whole.encode()
            for size in (1, 2, 3, 7, 10_000):
                found = list(frames(content[at : at + size] for at in range(0, len(content), size)))
                self.assertEqual([frame.id for frame in found], ids, size)
                self.assertEqual([json.loads(frame.data or "") for frame in found], [event_of(id) for id in ids], size)

    def test_tells_where_to_go_on(self) -> None:
        self.assertEqual(list(frames([b"id: 70\n\ndata:7\n\n"])), [Frame("70", None), Frame(None, "7")])
