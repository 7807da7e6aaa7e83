"""Requests over the process's own connections, and `urllib.request` over these."""

import email.message
import http.client
import io
import json
import re
import urllib.error
import urllib.request

import headwater_steps
from pyodide.ffi import run_sync, to_js

# The connection says these itself.
OF_CONNECTION = {"content-length", "connection", "transfer-encoding"}
OF_TLS = re.compile(r"CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO|HOSTNAME", re.I)


class Failed(Exception):
    """There was no answer: for `timeout`, `tls`, `url` or `connection`."""

    def __init__(self, kind, message):
        super().__init__(message)
        self.kind = kind


class Answer:
    def __init__(self, status, reason, headers, body):
        self.status, self.reason, self.body = status, reason, body
        self.headers = http.client.HTTPMessage()
        for name, value in headers:
            self.headers[name] = value


def exchange(method, url, headers, body=None, seconds=None):
    """Makes one request, and follows no redirect."""
    if headwater_steps.host is None:
        raise Failed("connection", "no step is under way")
    sent = [[name, value] for name, value in headers if name.lower() not in OF_CONNECTION]
    asked = {"method": method, "url": url, "headers": sent}
    if seconds is not None:
        asked["timeout"] = max(1, int(seconds * 1000))
    told, content = run_sync(headwater_steps.host.http(json.dumps(asked), to_js(body) if body else None))
    told = json.loads(told)
    if "error" not in told:
        return Answer(told["status"], told["reason"], told["headers"], content.to_bytes())
    name, message, code = (told["error"][each] for each in ("name", "message", "code"))
    if name == "TimeoutError":
        raise Failed("timeout", f"there was no answer within {seconds} seconds")
    kind = "tls" if OF_TLS.search(code) else "url" if "Invalid URL" in message else "connection"
    raise Failed(kind, message)


def do_open(self, http_class, request, **_):
    """In place of `AbstractHTTPHandler.do_open`, which would open a socket."""
    seconds = request.timeout if isinstance(request.timeout, (int, float)) else None
    data = request.data.read() if hasattr(request.data, "read") else request.data
    try:
        answer = exchange(request.get_method(), request.full_url, request.header_items(), data, seconds)
    except Failed as failure:
        if failure.kind == "timeout":
            raise TimeoutError(str(failure)) from None
        raise urllib.error.URLError(str(failure)) from None
    response = urllib.request.addinfourl(io.BytesIO(answer.body), answer.headers, request.full_url, answer.status)
    response.msg = response.reason = answer.reason
    return response


urllib.request.AbstractHTTPHandler.do_open = do_open
