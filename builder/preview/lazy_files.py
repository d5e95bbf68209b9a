"""Files that are made when they are looked at, by whoever looks, outside of the thread that builds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from threading import Lock

from builder.plan.generated_pages import generated_pages
from builder.plan.site_files import full, search_file
from builder.preview.page_texts import PageText
from builder.preview.site_state import State
from builder.render import Rendered
from builder.search import Part, shards
from builder.unicode import encoded

Files = Mapping[str, bytes]


class Later:
    """Files that are made once, by the first thread that asks for one of them."""

    def __init__(self, make: Callable[[], Files]) -> None:
        self._make = make
        self._lock = Lock()
        self._files: Files | None = None

    def files(self) -> Files:
        """The files by output path."""
        with self._lock:
            if self._files is None:
                self._files = self._make()
                self._make = dict
            return self._files

    @property
    def made(self) -> Files:
        """The same, as far as they are made already."""
        return self._files or {}


def search(state: State, texts: Iterable[PageText]) -> Later:
    """The files of the search."""
    # What the search knows of a page is in no template.
    shared = state.prepared.shared.without_templates()
    generated = generated_pages(state.prepared.layout, shared).values()
    return Later(partial(_search, [text.made.search for text in texts], generated))


def _search(parts: Iterable[Part | None], generated: Iterable[Callable[[], Rendered]]) -> Files:
    every = [*parts, *(make().made.search for make in generated)]
    found = shards([part for part in every if part])
    return {search_file(name): data for name, data in found}


def all_texts(path: str, state: State, texts: Mapping[str, PageText]) -> Later:
    """The file at `path`, in which the twins of all pages are."""
    return Later(lambda: {path: _all_texts(state, texts)})


def _all_texts(state: State, texts: Mapping[str, PageText]) -> bytes:
    def twin(path: str) -> str:
        return encoded(texts[path].made.twin).decode()

    return full(state.prepared.layout, state.prepared.shared, twin)
