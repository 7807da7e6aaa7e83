"""HTTP connections to one server."""

from __future__ import annotations

import selectors
import socket
import ssl
from collections import deque
from collections.abc import Mapping
from email.message import Message
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import NamedTuple
from urllib.parse import urlsplit


class Response(NamedTuple):
    """A response with its whole body."""

    status: int
    reason: str
    headers: Message
    body: bytes


class Stream:
    """A response whose body goes on."""

    def __init__(self, connection: HTTPConnection, response: HTTPResponse, connected: socket.socket) -> None:
        self._connection = connection
        self._response = response
        self._socket = connected
        self.status = response.status
        self.reason = response.reason
        self.headers: Message = response.headers

    def read(self) -> bytes:
        """The bytes that came, once there are any; none at the end. Raises an `OSError` if the connection is lost."""
        try:
            return self._response.read1(65_536)
        except (HTTPException, ValueError) as error:
            raise ConnectionError(str(error)) from error

    def interrupt(self) -> None:
        """Ends a `read` that waits in another thread."""
        try:
            # That of an `SSLSocket` would change what the other thread reads by.
            socket.socket.shutdown(self._socket, socket.SHUT_RDWR)
        except OSError:
            pass

    def close(self) -> None:
        self._response.close()
        self._connection.close()


def _is_closed(connected: socket.socket) -> bool:
    """Nothing comes by a connection on which no request waits, unless the server closes it."""
    with selectors.DefaultSelector() as selector:
        selector.register(connected, selectors.EVENT_READ)
        return bool(selector.select(0))


class Transport:
    """Sends requests to a server and keeps connections open between them. Any thread may use it."""

    def __init__(self, url: str, timeout: float, context: ssl.SSLContext | None) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or parts.hostname is None:
            raise ValueError(f"{url!r} is no URL of a server, such as https://headwater.example.com")
        self.origin = f"{parts.scheme}://{parts.netloc}"
        self._prefix = parts.path.rstrip("/")
        self._host = parts.hostname
        self._port = parts.port
        self._timeout = timeout
        self._context = (context or ssl.create_default_context()) if parts.scheme == "https" else None
        self._idle: deque[HTTPConnection] = deque()

    def send(self, method: str, path: str, headers: Mapping[str, str], body: bytes | None) -> Response:
        """Raises an `OSError` if there is no whole response."""
        connection = self._idle_connection() or self._connection(self._timeout)
        try:
            connection.request(method, self._prefix + path, body, dict(headers))
            response = connection.getresponse()
            whole = Response(response.status, response.reason, response.headers, response.read())
        except HTTPException as error:
            connection.close()
            raise ConnectionError(str(error)) from error
        except BaseException:
            connection.close()
            raise
        if connection.sock is not None:
            self._idle.append(connection)
        return whole

    def stream(self, path: str, headers: Mapping[str, str], silence: float) -> Stream:
        """Asks for a body that goes on. Raises an `OSError` if nothing comes for `silence` seconds."""
        connection = self._connection(silence)
        try:
            connection.connect()
            connected: socket.socket = connection.sock
            connection.request("GET", self._prefix + path, headers=dict(headers))
            return Stream(connection, connection.getresponse(), connected)
        except HTTPException as error:
            connection.close()
            raise ConnectionError(str(error)) from error
        except BaseException:
            connection.close()
            raise

    def close(self) -> None:
        """Closes the connections on which no request waits."""
        while self._idle:
            self._idle.pop().close()

    def _connection(self, timeout: float) -> HTTPConnection:
        if self._context is None:
            return HTTPConnection(self._host, self._port, timeout=timeout)
        return HTTPSConnection(self._host, self._port, timeout=timeout, context=self._context)

    def _idle_connection(self) -> HTTPConnection | None:
        while True:
            try:
                connection = self._idle.pop()
            except IndexError:
                return None
            if not _is_closed(connection.sock):
                return connection
            connection.close()
