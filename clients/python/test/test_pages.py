from __future__ import annotations

import unittest
from collections.abc import Callable
from typing import Any

from headwater_client import items, pages


def listing(*all_pages: Any) -> tuple[Callable[..., Any], list[str | None]]:
    """A list of these pages, and what was asked for."""
    asked: list[str | None] = []
    cursors = [page["page_info"]["end_cursor"] for page in all_pages]

    def list_page(*, limit: int, after: str | None = None) -> Any:
        asked.append(after)
        return all_pages[0 if after is None else cursors.index(after) + 1]

    return list_page, asked


def counted(end_cursor: str, *data: int) -> Any:
    return {"page_info": {"end_cursor": end_cursor}, "data": list(data)}


def open_page(end_cursor: str, has_more: bool, *data: int) -> Any:
    return {"page_info": {"end_cursor": end_cursor, "has_more": has_more}, "data": list(data)}


class PagesTest(unittest.TestCase):
    def test_brings_all_of_a_counted_list_which_an_empty_page_ends_however_few_are_on_a_page(self) -> None:
        list_page, asked = listing(counted("a", 1, 2), counted("b", 3), counted(""))
        self.assertEqual(list(items(list_page, limit=2)), [1, 2, 3])
        self.assertEqual(asked, [None, "a", "b"])

    def test_goes_over_empty_pages_of_a_list_that_is_not_counted_and_ends_where_it_says_so(self) -> None:
        list_page, asked = listing(open_page("a", True, 1), open_page("b", True), open_page("c", False, 2))
        self.assertEqual(list(items(list_page, limit=2)), [1, 2])
        self.assertEqual(asked, [None, "a", "b"])

    def test_asks_for_no_page_that_nobody_comes_to(self) -> None:
        list_page, asked = listing(open_page("a", True, 1, 2), open_page("b", False, 3))
        for item in items(list_page, limit=2):
            if item == 2:
                break
        self.assertEqual(asked, [None])

    def test_brings_whole_pages(self) -> None:
        list_page, _ = listing(open_page("a", True, 1, 2), open_page("b", False, 3))
        found = [(page["page_info"]["end_cursor"], page["data"]) for page in pages(list_page, limit=2)]
        self.assertEqual(found, [("a", [1, 2]), ("b", [3])])
