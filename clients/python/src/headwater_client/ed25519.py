"""Verification of ed25519 signatures (RFC 8032), which the standard library lacks.

It handles public values only, so it need not take the same time for all of them. Nothing here signs.
"""

from __future__ import annotations

import hashlib
from functools import cache

_Point = tuple[int, int, int, int]
"""X, Y, Z and T, with x = X/Z, y = Y/Z and xy = T/Z."""

_prime = 2**255 - 19
_order = 2**252 + 27742317777372353535851937790883648493
_d = -121665 * pow(121666, -1, _prime) % _prime
_root_of_minus_one = pow(2, (_prime - 1) // 4, _prime)
_neutral: _Point = (0, 1, 1, 0)


def _sum(p: _Point, q: _Point) -> _Point:
    a = (p[1] - p[0]) * (q[1] - q[0]) % _prime
    b = (p[1] + p[0]) * (q[1] + q[0]) % _prime
    c = 2 * p[3] * q[3] * _d % _prime
    d = 2 * p[2] * q[2] % _prime
    e, f, g, h = b - a, d - c, d + c, b + a
    return (e * f % _prime, g * h % _prime, f * g % _prime, e * h % _prime)


def _sum_of_multiples(m: int, p: _Point, n: int, q: _Point) -> _Point:
    """m·p + n·q, from their highest bits on."""
    terms = (_neutral, p, q, _sum(p, q))
    total = _neutral
    for bit in reversed(range(max(m.bit_length(), n.bit_length()))):
        total = _sum(total, total)
        term = (m >> bit & 1) + 2 * (n >> bit & 1)
        if term:
            total = _sum(total, terms[term])
    return total


def _decoded(text: bytes) -> _Point | None:
    encoded = int.from_bytes(text, "little")
    sign, y = encoded >> 255, encoded & ((1 << 255) - 1)
    if y >= _prime:
        return None
    square = (y * y - 1) * pow(_d * y * y + 1, -1, _prime) % _prime
    x = pow(square, (_prime + 3) // 8, _prime)
    if (x * x - square) % _prime != 0:
        x = x * _root_of_minus_one % _prime
    if (x * x - square) % _prime != 0 or (x == 0 and sign == 1):
        return None
    if x & 1 != sign:
        x = _prime - x
    return (x, y, 1, x * y % _prime)


def _encoded(point: _Point) -> bytes:
    inverse = pow(point[2], -1, _prime)
    x, y = point[0] * inverse % _prime, point[1] * inverse % _prime
    return (y | (x & 1) << 255).to_bytes(32, "little")


@cache
def _base() -> _Point:
    point = _decoded((4 * pow(5, -1, _prime) % _prime).to_bytes(32, "little"))
    assert point is not None
    return point


def verify(public_key: bytes, message: bytes, signature: bytes) -> bool:
    """True if the key of 32 bytes has signed the message."""
    point = _decoded(public_key)
    if point is None or len(public_key) != 32 or len(signature) != 64:
        return False
    commitment, s = signature[:32], int.from_bytes(signature[32:], "little")
    if s >= _order:
        return False
    challenge = int.from_bytes(hashlib.sha512(commitment + public_key + message).digest(), "little") % _order
    negated = (_prime - point[0], point[1], 1, _prime - point[3])
    return _encoded(_sum_of_multiples(s, _base(), challenge, negated)) == commitment
