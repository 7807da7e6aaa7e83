"""A client of one account on a Headwater server."""

from __future__ import annotations

import json
import secrets
import ssl
import warnings
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any
from urllib.parse import urlencode

from .headwater_error import HeadwaterError
from .operations import Operations
from .retry import Retry, repeated
from .server_sent_events import media_type
from .tail import Tail, tail_path
from .transport import Response, Stream, Transport

# The server sends something every 15 seconds.
_silence = 45.0


def _texts(value: Any) -> list[str]:
    """The texts that stand for a parameter in a URL."""
    if isinstance(value, bool):
        return ["true" if value else "false"]
    return [str(value)] if isinstance(value, (str, int, float)) else [str(one) for one in value]


def _with_query(path: str, query: Mapping[str, Any] | None) -> str:
    given = [(name, text) for name, value in (query or {}).items() if value is not None for text in _texts(value)]
    return f"{path}?{urlencode(given)}" if given else path


class HeadwaterWarning(UserWarning):
    """A part of a request did nothing, such as a field of a name that the operation does not know."""


class Headwater(Operations):
    """A client of one account on a Headwater server. Any thread may use it.

    Its methods are the operations of the API, as `sources.create` or `deliveries.retry`. Each takes the parameters of
    the operation by their names and its `body`, and answers with the body of the response. It raises a `HeadwaterError`
    if the server refuses, and an `OSError` if nothing answers.
    """

    def __init__(
        self,
        url: str,
        api_key: str | Callable[[], str],
        *,
        retry: Retry | None = None,
        timeout: float = 300.0,
        ssl_context: ssl.SSLContext | None = None,
    ) -> None:
        """
        Args:
            url: The server's base URL, without `/v1`.
            api_key: An API key, or what gives one for each request.
            retry: How often a request is repeated that the server could not take.
            timeout: How many seconds the server may be silent while a request waits for its answer.
            ssl_context: In place of the default one.
        """
        self._transport = Transport(url, timeout, ssl_context)
        self._api_key = api_key
        self._retry = retry or Retry()
        super().__init__(self._request)

    def __enter__(self) -> Headwater:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections that are kept open for requests to come."""
        self._transport.close()

    def tail(
        self,
        *,
        source: str | None = None,
        workflow: str | None = None,
        stream: str | None = None,
        text: str | None = None,
        after: str | None = None,
    ) -> Tail:
        """Follows the log of a source or workflow, or those of the account.

        It brings each event from now on, or after `after`, with its full data. It goes on over lost connections and
        restarts of the server, and then neither misses nor repeats an event. Once this returns, it misses nothing that
        comes.

        Args:
            source: The id or name slug of the source to follow.
            workflow: The id or name slug of the workflow to follow.
            stream: The event stream. Default: the default one, and of the account all.
            text: Of the account: only events whose payload, as JSON text, contains this.
            after: Begin after this event; `0-0` for the beginning of the log. Of the account: after this position.
        """
        if source is not None and workflow is not None:
            raise ValueError("A tail follows a source or a workflow.")
        if text is not None and (source is not None or workflow is not None):
            raise ValueError("A tail of a source or workflow has all of its events, whatever their text.")
        path = tail_path(source, workflow, stream, text)

        def connect(last_id: str | None) -> Stream:
            headers = {"Accept": media_type, **self._authorization()}
            if last_id is not None:
                headers["Last-Event-ID"] = last_id
            return self._transport.stream(path, headers, _silence)

        begin = self._end(source, workflow, stream) if after is None else after
        return Tail(self._transport.origin, connect, begin)

    def _end(self, source: str | None, workflow: str | None, stream: str | None) -> str:
        if source is not None:
            newest = self.log.source_events(source, event_name=stream or "", limit=1, include="id")["data"]
        elif workflow is not None:
            newest = self.log.workflow_events(workflow, event_name=stream or "", limit=1, include="id")["data"]
        else:
            return self.log.account_events(limit=1, include="id")["page_info"]["position"]
        return newest[0]["id"] if newest else "0-0"

    def _authorization(self) -> dict[str, str]:
        key = self._api_key if isinstance(self._api_key, str) else self._api_key()
        return {"Authorization": f"Bearer {key}"}

    def _request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        headers: Mapping[str, str | None] | None = None,
        body: Any = None,
        raw: bool = False,
    ) -> Any:
        sent = {"Accept": "application/json", **self._authorization()}
        content: bytes | None = None
        if isinstance(body, bytes):
            sent["Content-Type"] = "application/octet-stream"
            content = body
        elif body is not None:
            sent["Content-Type"] = "application/json"
            content = json.dumps(body, ensure_ascii=False, allow_nan=False).encode()
        if method == "POST":
            # The server does it once however often it comes.
            sent["Idempotency-Key"] = secrets.token_hex(16)
        sent.update({name: value for name, value in (headers or {}).items() if value is not None})
        target = _with_query(path, query)
        return self._answer(repeated(lambda: self._transport.send(method, target, sent, content), self._retry), raw)

    def _answer(self, response: Response, raw: bool) -> Any:
        if 200 <= response.status < 300:
            for warning in json.loads(response.headers.get("X-Headwater-Warnings", "[]")):
                warnings.warn(f"{warning['path']}: {warning['message']}", HeadwaterWarning, stacklevel=4)
            if raw:
                return response.body
            if not response.body:
                return None
            try:
                return json.loads(response.body)
            except ValueError:
                pass
        raise HeadwaterError.of(self._transport.origin, *response)
