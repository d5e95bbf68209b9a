"""All that is wrong with a site, known when all of its pages are made."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from msgspec.structs import replace

from builder.diagnostics import Diagnostic
from builder.markdown.page import OutgoingLink
from builder.plan.anchor_check import PageLinks, check_anchors
from builder.plan.layout import HOME
from builder.plan.prepare import Prepared
from builder.preview.page_texts import PageText
from builder.preview.site_state import State


class SiteDiagnostics:
    """Is told of every page that is made. All links are looked at again only where one may be broken."""

    def __init__(self) -> None:
        self._known: dict[str, PageText] = {}
        self._new: dict[str, PageText] = {}
        self._said: dict[str, tuple[Diagnostic, ...]] = {}
        self._broken: tuple[Diagnostic, ...] = ()
        self._prepared: Prepared | None = None

    def take(self, text: PageText) -> None:
        """A page as it is now."""
        if self._known.get(text.page.path) is not text:
            self._new[text.page.path] = text

    def of(self, state: State) -> tuple[Diagnostic, ...]:
        """All that is wrong with the site, sorted by place, when all of its pages have been taken."""
        is_quick = self._prepared is state.prepared and not self._broken and self._breaks_nothing()
        self._known.update(self._new)
        for path, text in self._new.items():
            self._said.pop(path, None)
            if text.diagnostics:
                self._said[path] = text.diagnostics
        self._new.clear()
        if not is_quick:
            self._look_at_all(state)
        said = (one for found in self._said.values() for one in found)
        return tuple(sorted({*state.diagnostics, *said, *self._broken}))

    def _breaks_nothing(self) -> bool:
        """Return whether all links lead somewhere, if they did before the new pages came."""
        return all(self._loses_nothing(text) and self._leads_somewhere(text) for text in self._new.values())

    def _loses_nothing(self, text: PageText) -> bool:
        before = self._known.get(text.page.path)
        return before is not None and all(a <= b for a, b in zip(_ids(before), _ids(text), strict=True))

    def _leads_somewhere(self, text: PageText) -> bool:
        return all(link.fragment == "top" or link.fragment in self._there(link.path) for link in _links(text))

    def _there(self, path: str) -> frozenset[str]:
        found = self._new.get(path) or self._known.get(path)
        return found.links.ids if found else frozenset()

    def _look_at_all(self, state: State) -> None:
        self._prepared = state.prepared
        self._known = {path: self._known[path] for path in state.pages}
        self._said = {path: found for path, found in self._said.items() if path in state.pages}
        texts = self._known.values()
        links = _AllLinks(texts, (*self._home(state), state.prepared.links))
        twins = [text.twin_links for text in texts if text.twin_links]
        self._broken = tuple(check_anchors(links, twins))

    def _home(self, state: State) -> Iterable[PageLinks]:
        """The places on the page that answers at `/` too."""
        home = state.prepared.layout.home
        if home is not None:
            yield replace(self._known[home.path].links, path=HOME, links=())


class _AllLinks:
    """The links of pages, and some more; those of a large site are unpacked each time."""

    def __init__(self, texts: Collection[PageText], more: Collection[PageLinks]) -> None:
        self._texts, self._more = texts, more

    def __iter__(self) -> Iterator[PageLinks]:
        yield from (text.links for text in self._texts)
        yield from self._more

    def __len__(self) -> int:
        return len(self._texts) + len(self._more)


def _ids(text: PageText) -> tuple[frozenset[str], frozenset[str]]:
    """The places on a page, and those in its twin."""
    return text.links.ids, text.twin_links.ids if text.twin_links else frozenset()


def _links(text: PageText) -> Iterator[OutgoingLink]:
    yield from text.links.links
    if text.twin_links:
        yield from text.twin_links.links
