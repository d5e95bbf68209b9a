"""Files that are made of all pages, the same for as long as these are."""

from __future__ import annotations

from msgspec import Struct

from builder.plan.site_files import FULL
from builder.preview.file_cache import BothFiles, Files, Later, all_addresses, all_texts, search_files
from builder.preview.page_maker import Unfinished
from builder.preview.page_texts import Texts
from builder.preview.site_paths import SEARCH, OfAll
from builder.preview.site_search import SiteSearch
from builder.preview.site_state import State


class _Known(Struct, frozen=True):
    """Files, and the version of the texts that they are made of."""

    version: int
    files: Later


class WholeFiles:
    """The files that are made of all `texts`. For one thread, but for `made`."""

    def __init__(self, texts: Texts) -> None:
        self._texts = texts
        self._known: dict[str, _Known] = {}
        self._earlier = Later(dict)
        self._search = SiteSearch(texts.spool)

    @property
    def made(self) -> tuple[Files, ...]:
        """Those of the search and of the twins of all pages, as far as they are made."""
        return tuple(self._known[name].files.made for name in (SEARCH, FULL) if name in self._known)

    def file(self, state: State, output: str, source: OfAll, *, are_all_there: bool) -> Later:
        """The file at an output path, of which others may be made with it.

        While not all texts are there it is that of before. Raises Unfinished when there is none.
        """
        known = self._known.get(output)
        if known is not None and (not are_all_there or known.version == self._texts.version):
            return known.files
        if not are_all_there:
            raise Unfinished
        made = self._make(state, output, source)
        self._known[output] = _Known(self._texts.version, made)
        return made

    def shard(self, found: Later) -> Later:
        """The files of the search, also of an earlier one: a browser may still use that."""
        earlier = self._earlier
        return Later(lambda: BothFiles(found.files(), earlier.made))

    def _make(self, state: State, output: str, source: OfAll) -> Later:
        texts = {path: self._texts.known(path) for path in state.pages}
        if source is OfAll.SEARCH:
            known = self._known.get(output)
            self._earlier = known.files if known and known.files.made else self._earlier
            return search_files(state, texts, self._search)
        return all_texts(state, texts) if source is OfAll.TEXTS else all_addresses(output, state, texts)
