from __future__ import annotations

import base64
import hashlib
import hmac
import time
import unittest
from email.message import Message
from typing import Any
from unittest.mock import patch

from headwater_client import VerifiedWebhook, WebhookVerificationError, ed25519, verify_webhook

# The vector that the specification publishes.
vector_secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
vector_body = '{"test": 2432232314}'
vector_headers = {
    "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    "webhook-timestamp": "1614265330",
    "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
}

secret = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"
now = 1_760_000_000
body = '{"order":1001,"name":"Zoë"}'

# What Node's OpenSSL signed with the key of the seed 000102…1f.
public_key = "whpk_A6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg="
ed25519_signature = "v1a,Xi3G2Y78nc3p9Bi+/VJ75+05O+vWUvWUSIcKIKGdXVsmOEc5FvB3+P4biDPgwLdlcbGLyiw0MysmHvGNINKaAg=="

# Of RFC 8032, section 7.1: public key, message and signature.
rfc_vectors = [
    (
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595b"
        "be24655141438e7a100b",
    ),
    (
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb430"
        "2aeeb00d291612bb0c00",
    ),
    (
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716e"
        "d28dc027beceea1ec40a",
    ),
]


def hmac_of(key: str = secret, text: str = body, timestamp: int = now) -> str:
    content = f"msg_1.{timestamp}.{text}".encode()
    digest = hmac.digest(base64.b64decode(key.removeprefix("whsec_")), content, hashlib.sha256)
    return f"v1,{base64.b64encode(digest).decode()}"


def headers_of(signature: str, timestamp: object = now) -> dict[str, str]:
    return {"webhook-id": "msg_1", "webhook-timestamp": str(timestamp), "webhook-signature": signature}


def refusal_of(**request: Any) -> str:
    try:
        verify_webhook(**request)
    except WebhookVerificationError as error:
        return error.reason
    return "verified"


class WebhookSignatureTest(unittest.TestCase):
    def setUp(self) -> None:
        self.at(now)

    def at(self, seconds: int) -> None:
        clock = patch.object(time, "time", lambda: float(seconds))
        clock.start()
        self.addCleanup(clock.stop)

    def test_takes_the_vector_of_the_specification(self) -> None:
        self.at(1614265330)
        verified = verify_webhook(headers=vector_headers, body=vector_body, key=vector_secret)
        self.assertEqual(verified.id, vector_headers["webhook-id"])

    def test_takes_text_and_bytes_with_any_kind_of_headers(self) -> None:
        signed = headers_of(hmac_of())
        message = Message()
        for name, value in signed.items():
            message[name.title()] = value
        for headers in (signed, {name.upper(): value for name, value in signed.items()}, message):
            for given in (body, body.encode()):
                verified = verify_webhook(headers=headers, body=given, key=secret)
                self.assertEqual(verified, VerifiedWebhook("msg_1", verified.timestamp, body))
                self.assertEqual(verified.timestamp.isoformat(), "2025-10-09T08:53:20+00:00")

    def test_takes_an_ed25519_signature_by_the_public_key_alone(self) -> None:
        headers = headers_of(ed25519_signature)
        other = f"whpk_{base64.b64encode(bytes.fromhex(rfc_vectors[0][0])).decode()}"
        for key, outcome in ((public_key, "verified"), (other, "no_match"), (secret, "no_match")):
            self.assertEqual(refusal_of(headers=headers, body=body, key=key), outcome, key)
        self.assertEqual(refusal_of(headers=headers, body=body + " ", key=public_key), "no_match")

    def test_takes_one_of_several_signatures_and_one_of_several_keys_as_during_a_rotation(self) -> None:
        headers = headers_of(f"{hmac_of(vector_secret)} {hmac_of()} {ed25519_signature} v2,x v1 ,")
        for key in (vector_secret, secret, public_key, [secret, "whsec_AAAA"], ["whsec_AAAA", public_key]):
            self.assertEqual(refusal_of(headers=headers, body=body, key=key), "verified", key)

    def test_refuses_what_was_changed_or_signed_for_another_id_or_time(self) -> None:
        headers = headers_of(hmac_of())
        requests: list[tuple[dict[str, str], str]] = [
            (headers, body + " "),
            ({**headers, "webhook-id": "msg_2"}, body),
            (headers_of(hmac_of(), now + 1), body),
            (headers_of(hmac_of()[:-2]), body),
            (headers_of("v1,!"), body),
            (headers_of("v1,ë"), body),
            (headers_of("v1,"), body),
            (headers_of(hmac_of().replace("v1,", "v1a,")), body),
        ]
        for given, text in requests:
            for key in (secret, public_key):
                self.assertEqual(refusal_of(headers=given, body=text, key=key), "no_match", given)

    def test_refuses_what_is_older_or_newer_than_it_may_be_though_it_is_signed(self) -> None:
        cases = [
            (now - 300, 300, "verified"),
            (now - 301, 300, "too_old"),
            (now + 300, 300, "verified"),
            (now + 301, 300, "too_new"),
            (now - 11, 10, "too_old"),
            (now - 10, 10, "verified"),
        ]
        for timestamp, tolerance, outcome in cases:
            headers = headers_of(hmac_of(timestamp=timestamp), timestamp)
            found = refusal_of(headers=headers, body=body, key=secret, tolerance_seconds=tolerance)
            self.assertEqual(found, outcome, timestamp)
        for timestamp in ("1e9", "-1", " 1", "0x10", "17600000000000", "١"):
            headers = headers_of(hmac_of(), timestamp)
            self.assertEqual(refusal_of(headers=headers, body=body, key=secret), "bad_timestamp", timestamp)

    def test_refuses_a_request_that_lacks_a_header_and_says_of_a_key_that_it_is_none(self) -> None:
        for name in ("webhook-id", "webhook-timestamp", "webhook-signature"):
            signed = headers_of(hmac_of())
            for headers in ({**signed, name: ""}, {given: value for given, value in signed.items() if given != name}):
                self.assertEqual(refusal_of(headers=headers, body=body, key=secret), "missing_header", name)
        for key in ("", "secret", "whsec_", "whsec_!", "whpk_AAAA", "whsk_AAAA"):
            with self.assertRaises(ValueError):
                verify_webhook(headers=headers_of(hmac_of()), body=body, key=key)


class Ed25519Test(unittest.TestCase):
    def test_verifies_the_vectors_of_the_rfc_and_nothing_next_to_them(self) -> None:
        for key, message, signature in ([bytes.fromhex(text) for text in vector] for vector in rfc_vectors):
            self.assertTrue(ed25519.verify(key, message, signature))
            self.assertFalse(ed25519.verify(key, message + b"\0", signature))
            for at in (0, 31, 32, 63):
                for changed in ((bytes([one ^ (index == at) for index, one in enumerate(signature)])), signature[:at]):
                    self.assertFalse(ed25519.verify(key, message, changed), at)
            self.assertFalse(ed25519.verify(bytes([key[0] ^ 1]) + key[1:], message, signature))

    def test_refuses_a_second_form_of_a_signature_and_what_is_no_point(self) -> None:
        key, message, signature = [bytes.fromhex(text) for text in rfc_vectors[1]]
        order = 2**252 + 27742317777372353535851937790883648493
        second = (int.from_bytes(signature[32:], "little") + order).to_bytes(32, "little")
        self.assertFalse(ed25519.verify(key, message, signature[:32] + second))
        for no_point in (b"\x02" + bytes(31), b"\xff" * 32, bytes(31)):
            self.assertFalse(ed25519.verify(no_point, message, signature))
        # Would be the neutral element, which verifies its own for any message.
        neutral = b"\x01" + bytes(63)
        for not_canonical in (b"\xee" + b"\xff" * 30 + b"\x7f", b"\x01" + bytes(30) + b"\x80"):
            self.assertFalse(ed25519.verify(not_canonical, message, neutral))
