"""Repetition of requests that the server could not take."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timezone
from email.message import Message
from email.utils import parsedate_to_datetime
from time import sleep

from .transport import Response


@dataclass(frozen=True)
class Retry:
    """Repetitions of a request that was answered with 429 or 503, or not at all."""

    times: int = 5
    """The most repetitions."""
    max_delay: float = 60.0
    """The longest pause before a repetition, in seconds. If the server asks for a longer one, it gets no repetition."""


def is_passing(status: int) -> bool:
    return status in (429, 503)


def retry_after(headers: Message) -> float | None:
    """The pause that a response asks for, in seconds."""
    text = headers.get("retry-after", "").strip()
    if re.fullmatch(r"[0-9]+(\.[0-9]+)?", text):
        return float(text)
    try:
        time_asked = parsedate_to_datetime(text)
    except ValueError:
        return None
    if time_asked.tzinfo is None:
        time_asked = time_asked.replace(tzinfo=timezone.utc)
    return max(0.0, (time_asked - datetime.now(timezone.utc)).total_seconds())


def backoff(failures: int, longest: float) -> float:
    """Twice as long each time, from a quarter of a second, up to `longest`.

    Up to a fifth of it is chance, so that clients do not come together.
    """
    return min(0.25 * 2 ** min(failures, 32), longest / 1.25) * (1 + random.random() / 4)


def repeated(send: Callable[[], Response], retry: Retry) -> Response:
    """Sends a request that may be repeated, until the server takes it or `retry` allows no more."""
    failures = 0
    while True:
        is_last = failures >= retry.times
        delay = backoff(failures, retry.max_delay)
        try:
            response = send()
        except OSError:
            if is_last:
                raise
        else:
            asked = retry_after(response.headers) or 0.0
            if is_last or not is_passing(response.status) or asked > retry.max_delay:
                return response
            delay = max(delay, asked)
        sleep(delay)
        failures += 1
