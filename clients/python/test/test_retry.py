from __future__ import annotations

import unittest
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime
from unittest.mock import patch

from scripted_server import Answer, ScriptedServer, drop

from headwater_client import Headwater, HeadwaterError, Retry
from headwater_client.retry import backoff


def refusal(status: int, retry_after: str | None = None) -> Answer:
    return Answer(status, headers={} if retry_after is None else {"Retry-After": retry_after})


class RetryTest(unittest.TestCase):
    def setUp(self) -> None:
        self.pauses: list[float] = []
        sleep = patch("headwater_client.retry.sleep", self.pauses.append)
        sleep.start()
        self.addCleanup(sleep.stop)

    def test_repeats_a_post_under_one_key_of_its_own_until_it_is_taken(self) -> None:
        with ScriptedServer(refusal(503), drop, refusal(429)) as server, Headwater(server.url, "key") as headwater:
            headwater.sources.create(body={"name": "Zoë"})
        self.assertEqual([request.body for request in server.received], ['{"name": "Zoë"}'.encode()] * 4)
        [key] = {request.headers["idempotency-key"] for request in server.received}
        self.assertRegex(key, "^[0-9a-f]{32}$")
        self.assertEqual(len(self.pauses), 3)
        for failures, pause in enumerate(self.pauses):
            self.assertTrue(0.25 * 2**failures <= pause <= 0.3125 * 2**failures, self.pauses)

    def test_keeps_the_key_that_it_is_given_and_gives_each_post_another(self) -> None:
        with ScriptedServer() as server, Headwater(server.url, "key") as headwater:
            headwater.keys.create(idempotency_key="mine")
            headwater.keys.create()
            headwater.keys.create()
            headwater.keys.list()
        mine, one, other, none = [request.headers.get("idempotency-key") for request in server.received]
        self.assertEqual((mine, none), ("mine", None))
        self.assertNotEqual(one, other)

    def test_waits_for_as_long_as_the_server_asks_in_seconds_or_by_a_date(self) -> None:
        date = format_datetime(datetime.now(timezone.utc) + timedelta(seconds=30), usegmt=True)
        script = [refusal(429, "7"), refusal(503, "2.5"), refusal(503, date), refusal(503, "soon")]
        with ScriptedServer(*script) as server, Headwater(server.url, "key") as headwater:
            headwater.users.me()
        self.assertEqual(self.pauses[:2], [7, 2.5])
        self.assertTrue(28 <= self.pauses[2] <= 30, self.pauses)
        self.assertTrue(2 <= self.pauses[3] <= 2.5, self.pauses)

    def test_repeats_nothing_for_which_the_server_asks_for_a_longer_pause_than_it_may_make(self) -> None:
        with ScriptedServer(refusal(429, "61")) as server, Headwater(server.url, "key") as headwater:
            with self.assertRaises(HeadwaterError) as raised:
                headwater.users.me()
        self.assertEqual(raised.exception.status, 429)
        self.assertEqual((len(server.received), self.pauses), (1, []))

    def test_gives_up_after_as_many_times_as_it_may_with_what_came_last(self) -> None:
        for script, error in (([refusal(503)] * 9, HeadwaterError), ([drop] * 9, OSError)):
            with ScriptedServer(*script) as server:
                with Headwater(server.url, "key", retry=Retry(times=2)) as headwater, self.assertRaises(error):
                    headwater.users.me()
            self.assertEqual(len(server.received), 3)

    def test_repeats_no_other_refusal(self) -> None:
        for status in (400, 404, 409, 500, 502):
            with ScriptedServer(refusal(status)) as server, Headwater(server.url, "key") as headwater:
                with self.assertRaises(HeadwaterError):
                    headwater.users.me()
            self.assertEqual(len(server.received), 1, status)

    def test_makes_no_longer_pause_however_often_it_failed(self) -> None:
        self.assertLessEqual(backoff(100_000, 10), 10)
