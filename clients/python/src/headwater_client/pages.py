"""Lists that come in pages."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, cast

Parameters = ParamSpec("Parameters")
PageType = TypeVar("PageType", bound=Mapping[str, Any])
Item = TypeVar("Item")

if TYPE_CHECKING:
    from typing import Generic

    from typing_extensions import TypedDict

    class Page(TypedDict, Generic[Item]):
        """A page of a list, as the API answers."""

        page_info: Any
        data: list[Item]


def pages(
    list_page: Callable[Parameters, PageType], *args: Parameters.args, **kwargs: Parameters.kwargs
) -> Iterator[PageType]:
    """All pages of a list, in the order of the API: newest first, except for positions of consumers.

    `list_page` is the operation that lists, which is called with all other arguments: `pages(headwater.sources.list,
    limit=100)`. A page is asked for when you come to it.
    """
    ask = cast("Callable[..., PageType]", list_page)
    place: dict[str, Any] = {}
    while True:
        page = ask(*args, **{**kwargs, **place})
        page_info = page["page_info"]
        if page["data"]:
            yield page
        # A list that is not counted may have an empty page before its end, and any other ends with one.
        if not page_info.get("has_more", bool(page["data"])):
            return
        place = {"after": page_info["end_cursor"]}


def items(
    list_page: Callable[Parameters, Page[Item]], *args: Parameters.args, **kwargs: Parameters.kwargs
) -> Iterator[Item]:
    """All items of a list, one by one. A page is asked for when the items of the one before are used up."""
    for page in pages(list_page, *args, **kwargs):
        yield from page["data"]
