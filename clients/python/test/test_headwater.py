from __future__ import annotations

import json
import pickle
import time
import unittest

from scripted_server import Answer, ScriptedServer

from headwater_client import Headwater, HeadwaterError, HeadwaterWarning, Retry


class HeadwaterTest(unittest.TestCase):
    def test_sends_parameters_and_a_body_as_the_api_takes_them(self) -> None:
        with ScriptedServer() as server, Headwater(server.url + "/base/", lambda: "key") as headwater:
            headwater.log.source_event("a/b", event_id="1-0", include="id,event")
            headwater.log.account_events(emitter=["one", "ö"], from_=0)
            headwater.sources.update("orders", body={"active": False})
        paths = ["/sources/a%2Fb/events/1-0?include=id%2Cevent", "/events?emitter=one&emitter=%C3%B6&from=0"]
        self.assertEqual([request.path for request in server.received[:2]], ["/base/v1" + path for path in paths])
        update = server.received[2]
        self.assertEqual((update.method, json.loads(update.body)), ("PUT", {"active": False}))
        self.assertEqual(update.headers["authorization"], "Bearer key")
        self.assertEqual(update.headers["content-type"], "application/json")

    def test_sends_and_answers_the_bytes_of_files_as_they_are(self) -> None:
        with ScriptedServer(Answer(), Answer(body='{"a": 1}'), Answer(body="")) as server:
            with Headwater(server.url, "key") as headwater:
                headwater.files.write(path="a/ö.bin", body=b"\x00\xff", content_type="image/png")
                read = [headwater.files.read(path=path) for path in ("a.json", "empty")]
        sent = server.received[0]
        self.assertEqual((sent.method, sent.path, sent.body), ("PUT", "/v1/files/content?path=a%2F%C3%B6.bin", b"\x00\xff"))
        self.assertEqual(sent.headers["content-type"], "image/png")
        self.assertEqual(read, [b'{"a": 1}', b""])

    def test_keeps_a_connection_and_takes_another_for_one_that_the_server_has_closed(self) -> None:
        with ScriptedServer(Answer(), Answer(closes=True)) as server:
            with Headwater(server.url, "key", retry=Retry(times=0)) as headwater:
                for _ in range(3):
                    headwater.users.me()
                    time.sleep(0.05)
        first, second, third = [request.connection for request in server.received]
        self.assertEqual(first, second)
        self.assertNotEqual(second, third)

    def test_warns_of_what_did_nothing(self) -> None:
        told = json.dumps([{"path": "nmae", "message": "There is no such field. Did you mean name?"}])
        with ScriptedServer(Answer(204, "", {"X-Headwater-Warnings": told})) as server:
            with Headwater(server.url, "key") as headwater, self.assertWarns(HeadwaterWarning) as warned:
                headwater.subscriptions.delete(emitter_id="dc_1", listener_id="wh_1")
        self.assertEqual(str(warned.warning), "nmae: There is no such field. Did you mean name?")
        self.assertEqual(warned.filename, __file__)

    def test_raises_what_the_server_says(self) -> None:
        problem = {"code": "not_found", "detail": "There is no source.", "details": {"id": "orders"}, "status": 404}
        answer = Answer(404, json.dumps(problem), {"X-Request-Id": "r1", "Content-Type": "application/problem+json"})
        with ScriptedServer(answer) as server, Headwater(server.url, "key") as headwater:
            with self.assertRaises(HeadwaterError) as raised:
                headwater.sources.get("orders")
        for error in (raised.exception, pickle.loads(pickle.dumps(raised.exception))):
            self.assertEqual((error.status, error.code, error.request_id), (404, "not_found", "r1"))
            self.assertEqual((str(error), error.detail), ("There is no source.",) * 2)
            self.assertEqual((error.details, error.problem), ({"id": "orders"}, problem))

    def test_raises_what_is_not_the_answer_of_a_headwater_server(self) -> None:
        strange = '{"code": 7, "detail": "", "details": {}}'
        for status, body in ((502, "<html>"), (200, "<html>"), (404, "[]"), (404, strange)):
            with ScriptedServer(Answer(status, body)) as server, Headwater(server.url, "key") as headwater:
                with self.assertRaises(HeadwaterError) as raised:
                    headwater.users.me()
            error = raised.exception
            self.assertEqual((error.status, error.problem, error.code, error.details), (status, None, None, None))
            self.assertIn(f"{server.url} does not answer like a Headwater server: {status} ", str(error))

    def test_refuses_a_url_of_no_server(self) -> None:
        for url in ("headwater.example.com", "ftp://headwater.example.com", "https://"):
            with self.assertRaises(ValueError):
                Headwater(url, "key")
