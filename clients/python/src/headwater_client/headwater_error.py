"""The error of a request that is refused."""

from __future__ import annotations

import json
from email.message import Message
from typing import Any, cast

from .types import Problem, ProblemCode


def _problem_of(body: bytes) -> Problem | None:
    try:
        given: Any = json.loads(body)
    except ValueError:
        return None
    if not isinstance(given, dict) or "details" not in given:
        return None
    problem = cast("dict[str, Any]", given)
    is_problem = isinstance(problem.get("code"), str) and isinstance(problem.get("detail"), str)
    return cast("Problem", problem) if is_problem else None


class HeadwaterError(Exception):
    """The server refused a request, or something between here and the server did."""

    status: int
    """The HTTP status."""
    problem: Problem | None
    """The server's problem document; None if the response is not one of a Headwater server."""
    request_id: str | None
    """Names the request in the server's log."""

    def __init__(
        self, message: str, status: int, problem: Problem | None = None, request_id: str | None = None
    ) -> None:
        # All of them, so that the error can be pickled.
        super().__init__(message, status, problem, request_id)
        self.status = status
        self.problem = problem
        self.request_id = request_id

    def __str__(self) -> str:
        return str(self.args[0])

    @property
    def code(self) -> ProblemCode | None:
        """The code of the problem, for programs."""
        return None if self.problem is None else self.problem["code"]

    @property
    def detail(self) -> str:
        """The message of the error, as a sentence for people."""
        return str(self)

    @property
    def details(self) -> Any:
        """Further details of the problem, by `code`. `problem` has them with their type."""
        return None if self.problem is None else self.problem["details"]

    @classmethod
    def of(cls, server: str, status: int, reason: str, headers: Message, body: bytes) -> HeadwaterError:
        problem = _problem_of(body)
        strange = f"{server} does not answer like a Headwater server: {status} {reason}".strip()
        return cls(strange if problem is None else problem["detail"], status, problem, headers.get("x-request-id"))
