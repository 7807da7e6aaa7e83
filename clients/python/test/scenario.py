"""Does the scenario of the clients, step by step: python3 scenario.py <scenario.json> <url> <api key> <url of the sink>

Prints how many steps it has done. What the steps mean is in packages/client/test/Scenario.ts.
"""

from __future__ import annotations

import json
import re
import sys
import time
import uuid
from pathlib import Path
from typing import Any, cast
from urllib.request import Request, urlopen

from headwater_client import Headwater, HeadwaterError, Tail, items, verify_webhook

Step = dict[str, Any]

_missing = object()


def at(value: Any, path: str) -> Any:
    for name in path.split("."):
        if isinstance(value, list):
            entries = cast("list[Any]", value)
            value = len(entries) if name == "length" else entries[int(name)] if int(name) < len(entries) else _missing
        elif isinstance(value, dict):
            value = cast("dict[str, Any]", value).get(name, _missing)
        else:
            return _missing
    return value


def filled(value: Any, kept: dict[str, str]) -> Any:
    """With what was kept in place of names in braces."""
    if isinstance(value, str):
        name = re.fullmatch(r"\{(\w+)\}", value)
        return value if name is None else kept.get(name[1], name[1])
    if isinstance(value, list):
        return [filled(one, kept) for one in cast("list[Any]", value)]
    if isinstance(value, dict):
        return {name: filled(one, kept) for name, one in cast("dict[str, Any]", value).items()}
    return value


def hold(found: Any, expected: Any, step: Step) -> None:
    if found != expected:
        raise AssertionError(f"{found!r} came in place of {expected!r} of {json.dumps(step)}")


def post(url: str, body: Any) -> int:
    request = Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urlopen(request) as response:
        return response.status


def snake(name: str) -> str:
    return re.sub("([a-z])([A-Z])", r"\1_\2", name).replace("-", "_").lower()


class Scenario:
    def __init__(self, headwater: Headwater, sink: str) -> None:
        self._headwater = headwater
        self._sink = sink
        self._kept = {"sink": sink, "run": uuid.uuid4().hex}
        self._tail: Tail | None = None

    def operation(self, id: str) -> Any:
        group, name = id.split(".")
        return getattr(getattr(self._headwater, snake(group)), snake(name))

    def arguments(self, step: Step) -> dict[str, Any]:
        given = {**step.get("path", {}), **step.get("query", {}), **step.get("headers", {})}
        arguments = {snake(name): value for name, value in given.items()}
        return {**arguments, "body": step["body"]} if "body" in step else arguments

    def call(self, step: Step, given: Step) -> Any:
        until: dict[str, Any] = step.get("until", {})
        deadline = time.monotonic() + 15
        while True:
            refused: str | None = None
            try:
                found = self.operation(step["call"])(**self.arguments(step))
            except HeadwaterError as error:
                found, refused = error.problem, error.code
            hold(refused, step.get("refused"), given)
            if time.monotonic() > deadline or {path: at(found, path) for path in until} == until:
                break
            time.sleep(0.05)
        expected = {**until, **step.get("expect", {})}
        hold({path: at(found, path) for path in expected}, expected, given)
        return found

    def received(self, step: Step, given: Step) -> None:
        with urlopen(self._sink) as response:
            requests = json.load(response)
        for key in step["keys"]:
            texts = [verify_webhook(headers=one["headers"], body=one["body"], key=key).text for one in requests]
            hold([json.loads(text)["order"] for text in texts], step["received"], given)

    def do(self, given: Step) -> None:
        step: Step = filled(given, self._kept)
        found: Any = None
        if "call" in step:
            found = self.call(step, given)
        if "items" in step:
            found = list(items(self.operation(step["items"]), **self.arguments(step)))
            hold([at(item, step["at"]) for item in found], step["expect"], given)
        if "tail" in step:
            self._tail = self._headwater.tail(**step["tail"])
        if "tailed" in step:
            assert self._tail is not None
            events = [next(self._tail) for _ in step["tailed"]]
            hold([at(event, "event.raw_event") for event in events], step["tailed"], given)
        for body in step.get("bodies", []):
            hold(post(step["post"], body), 200, given)
        if "received" in step:
            self.received(step, given)
        for kind, path in step.get("keep", {}).items():
            self._kept[kind] = str(at(found, path))


def main(file: str, url: str, api_key: str, sink: str) -> None:
    steps: list[Step] = json.loads(Path(file).read_text("utf-8"))
    with Headwater(url, api_key) as headwater:
        scenario = Scenario(headwater, sink)
        for step in steps:
            scenario.do(step)
    print(len(steps))


if __name__ == "__main__":
    main(*sys.argv[1:])
