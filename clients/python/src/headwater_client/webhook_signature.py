"""Verification of deliveries by the Standard Webhooks specification."""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
import time
from collections.abc import Iterable, Sequence
from datetime import datetime, timezone
from typing import Literal, NamedTuple, Protocol

from . import ed25519

WebhookRefusal = Literal["missing_header", "bad_timestamp", "too_old", "too_new", "no_match"]


class WebhookVerificationError(Exception):
    """A request is not signed by any of the keys, or is not one of now."""

    reason: WebhookRefusal

    def __init__(self, reason: WebhookRefusal, message: str) -> None:
        super().__init__(reason, message)
        self.reason = reason

    def __str__(self) -> str:
        return str(self.args[1])


class VerifiedWebhook(NamedTuple):
    """A request that one of the keys has signed. Headers other than these are not signed."""

    id: str
    """The same for every attempt, to know again what came before."""
    timestamp: datetime
    """The time at which the attempt began."""
    text: str
    """The body as text."""


class Headers(Protocol):
    """Of a request: a dict, or what a framework or `http.server` has in its place."""

    def items(self) -> Iterable[tuple[str, str]]: ...


class _Verifier(NamedTuple):
    version: Literal["v1", "v1a"]
    """The version that the header has before its signatures."""
    key: bytes

    def verifies(self, signature: bytes, content: bytes) -> bool:
        if self.version == "v1a":
            return ed25519.verify(self.key, content, signature)
        return hmac.compare_digest(hmac.digest(self.key, content, hashlib.sha256), signature)


def _bytes_of(text: str) -> bytes | None:
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except ValueError:
        return None


def _verifier_of(key: str) -> _Verifier:
    prefix, _, text = key.partition("_")
    content = _bytes_of(text)
    if prefix == "whsec" and content:
        return _Verifier("v1", content)
    if prefix == "whpk" and content is not None and len(content) == 32:
        return _Verifier("v1a", content)
    raise ValueError("A key is whsec_ or whpk_ and base64.")


def _header_of(headers: Headers, name: str) -> str:
    value = " ".join(value for given, value in headers.items() if given.lower() == name)
    if not value:
        raise WebhookVerificationError("missing_header", f"The request has no {name}.")
    return value


def _time_of(text: str, tolerance_seconds: float) -> datetime:
    if re.fullmatch("[0-9]{1,12}", text) is None:
        raise WebhookVerificationError("bad_timestamp", "webhook-timestamp is not a Unix time in seconds.")
    age = time.time() - int(text)
    if age > tolerance_seconds:
        raise WebhookVerificationError("too_old", "The request is too old.")
    if -age > tolerance_seconds:
        raise WebhookVerificationError("too_new", "The request is from the future.")
    return datetime.fromtimestamp(int(text), timezone.utc)


def verify_webhook(
    *, headers: Headers, body: str | bytes, key: str | Sequence[str], tolerance_seconds: float = 300.0
) -> VerifiedWebhook:
    """Verifies the signature of a request, HMAC or ed25519, and its time.

    Raises a `WebhookVerificationError` if the request is not what it says.

    Args:
        headers: Of the request.
        body: As it came, before anything parses it.
        key: What verifies it: the webhook's secret (`whsec_…`) or public key (`whpk_…`), or several, of which one
            has to.
        tolerance_seconds: How far the time of the request may be from now, either way.
    """
    verifiers = [_verifier_of(one) for one in ([key] if isinstance(key, str) else key)]
    id = _header_of(headers, "webhook-id")
    timestamp = _header_of(headers, "webhook-timestamp")
    signatures = [one.split(",") for one in _header_of(headers, "webhook-signature").split(" ")]
    at = _time_of(timestamp, tolerance_seconds)
    content = body.encode() if isinstance(body, str) else bytes(body)
    signed = f"{id}.{timestamp}.".encode() + content
    for verifier in verifiers:
        for version, *texts in signatures:
            signature = _bytes_of(texts[0]) if texts and version == verifier.version else None
            if signature is not None and verifier.verifies(signature, signed):
                return VerifiedWebhook(id, at, content.decode("utf-8", "replace"))
    raise WebhookVerificationError("no_match", "No signature of the request is by one of the keys.")
