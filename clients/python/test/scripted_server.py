"""A server that answers as a test says."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Received:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    connection: tuple[str, int]


@dataclass
class Answer:
    status: int = 200
    body: str = "{}"
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    closes: bool = False

    def __call__(self, handler: Handler) -> None:
        content = self.body.encode()
        handler.send_response(self.status)
        for name, value in {"Content-Type": "application/json", **self.headers}.items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(content)))
        handler.end_headers()
        handler.wfile.write(content)
        # Without a word of it to the client.
        handler.close_connection = self.closes


def drop(handler: Handler) -> None:
    """Answers nothing."""
    handler.close_connection = True


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: ScriptedServer  # pyright: ignore[reportIncompatibleVariableOverride]

    def handle_one_request(self) -> None:
        try:
            super().handle_one_request()
        except OSError:
            self.close_connection = True

    def answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", "0")))
        headers = {name.lower(): value for name, value in self.headers.items()}
        received = self.server.received
        received.append(Received(self.command, self.path, headers, body, self.client_address))
        script = self.server.script
        (script[len(received) - 1] if len(received) <= len(script) else Answer())(self)

    do_GET = do_POST = do_PUT = do_DELETE = answer

    def log_message(self, format: str, *args: Any) -> None:
        pass


class ScriptedServer(ThreadingHTTPServer):
    """Answers one request after the other so, and then all others with 200."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, *script: Callable[[Handler], None]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.script = script
        self.received: list[Received] = []
        self.url = f"http://127.0.0.1:{self.server_address[1]}"

    def __enter__(self) -> ScriptedServer:
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()
