"""Keep files of the preview that were made once: the last pages that were looked at, and files of all pages.

The latter are made when they are looked at, by whoever looks, outside of the thread that builds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from threading import Lock

from builder.diagnostics import Diagnostic
from builder.plan.addresses import address_list
from builder.plan.generated_pages import generated_pages
from builder.plan.llms_full import KnownTwins
from builder.plan.prepare import Prepared
from builder.plan.site_files import Make, excerpts_script, full, search_file
from builder.preview.page_maker import Lost, TooLong
from builder.preview.page_texts import PageText
from builder.preview.site_paths import OfAll, OfFeed, OfPage, sources
from builder.preview.site_search import SiteSearch, page_parts
from builder.preview.site_state import State
from builder.render import RenderedPage
from builder.render.render_page import frame
from builder.search import shards
from builder.unicode import encoded

MOST = 300
"""Pages that are kept. Making one again takes a millisecond."""
TEMPLATES = "theme/templates"

_Reason = tuple[Prepared, PageText | None]
"""What a file was made of."""


class Frames:
    """Files by output path, or pages by content path; a file is right for what it was made of.

    One for which the site's own templates take too long is made with the default theme's, until it is to be
    made of something else, or its page is saved again.
    """

    def __init__(self) -> None:
        self._known: dict[str, tuple[_Reason, bytes]] = {}
        self._given_up: dict[str, tuple[_Reason, Diagnostic]] = {}

    def page(self, state: State, text: PageText) -> bytes:
        """The whole HTML document of a page. Raises ThemeError and Unfinished."""
        shared = state.prepared.shared

        def plain() -> bytes:
            return frame(text.page, text.made, shared.without_templates())

        def make() -> bytes:
            return frame(text.page, text.made, shared)

        return self._made(text.page.path, (state.prepared, text), text.page.file, make, plain)

    def other(self, state: State, output: str, make: Make) -> bytes:
        """A file that is made of no page's text. Raises as `page` does."""

        def plain() -> bytes:
            return _plain(state, output)

        return self._made(f"/{output}", (state.prepared, None), TEMPLATES, make, plain)

    def diagnostics(self, state: State) -> tuple[Diagnostic, ...]:
        """List the pages that the site's own templates take too long for."""
        return tuple(found for (prepared, _), found in self._given_up.values() if prepared is state.prepared)

    def try_again(self, paths: Iterable[str]) -> None:
        """Forget that these pages were given up."""
        for path in paths:
            if self._given_up.pop(path, None):
                self._known.pop(path, None)

    def _made(self, name: str, reason: _Reason, file: str, make: Make, plain: Make) -> bytes:
        known = self._known.get(name)
        if known is not None and _is_same(known[0], reason):
            return known[1]
        given_up = self._given_up.pop(name, None)
        if given_up is not None and _is_same(given_up[0], reason):
            self._given_up[name] = given_up
            return self._keep(name, reason, plain())
        try:
            data = make()
        except (TooLong, Lost) as error:
            self._given_up[name] = reason, _found(name, file, error)
            data = plain()
        return self._keep(name, reason, data)

    def _keep(self, name: str, reason: _Reason, data: bytes) -> bytes:
        self._known.pop(name, None)
        self._known[name] = reason, data
        if len(self._known) > MOST:
            del self._known[next(iter(self._known))]
        return data


def _is_same(one: _Reason, other: _Reason) -> bool:
    return one[0] is other[0] and one[1] is other[1]


def _found(name: str, file: str, error: TooLong | Lost) -> Diagnostic:
    what = f"`{name}`" if file == TEMPLATES else "the page"
    if isinstance(error, Lost):
        message = f"{what} could not be put into the site's own templates: {error}"
        return Diagnostic(file, 0, 0, "internal-error", message, "it is shown in those of the default theme")
    message = (
        f"to put {what} into the site's own templates took longer than {error.seconds:g} s and was given up; "
        "it is shown in those of the default theme"
    )
    return Diagnostic(file, 0, 0, "budget-exceeded", message, f"see what loops in `{TEMPLATES}`")


def _plain(state: State, output: str) -> bytes:
    """A file that no page's text is needed for, with the default theme's templates."""
    make = sources(state.prepared.layout, state.prepared.shared.without_templates())[output]
    assert not isinstance(make, OfPage | OfFeed | OfAll)  # noqa: S101 - as it was none before
    return make()


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


def search_files(state: State, texts: Mapping[str, PageText], kept: SiteSearch) -> Later:
    """The files of the search; `kept` makes those of a large site."""
    # What the search knows of a page is in no template.
    shared = state.prepared.shared.without_templates()
    generated = generated_pages(state.prepared.layout, shared)
    script = excerpts_script(state.prepared.layout, shared.theme_folders)
    if any(text.packed for text in texts.values()):
        return Later(lambda: kept.files(lambda: page_parts(texts, generated), script))
    return Later(partial(_search, list(texts.values()), generated.values(), script))


def _search(texts: Iterable[PageText], generated: Iterable[Callable[[], RenderedPage]], script: str) -> Files:
    every = [*(text.search for text in texts), *(make().content.search for make in generated)]
    found = shards([part for part in every if part], script)
    return {search_file(name): data for name, data in found}


def all_texts(state: State, texts: Mapping[str, PageText]) -> Later:
    """The files in which the twins of all pages are."""
    return Later(partial(_all_texts, state, texts))


def all_addresses(path: str, state: State, texts: Mapping[str, PageText]) -> Later:
    """The file at `path`, in which the anchors of all pages are."""
    layout, shared = state.prepared.layout, state.prepared.shared
    return Later(lambda: {path: address_list(layout, shared, (text.links for text in texts.values()))})


class BothFiles(Mapping[str, bytes]):
    """Files by output path: those of now, and beside them those of before."""

    def __init__(self, now: Files, before: Files) -> None:
        self._groups = now, before

    def __getitem__(self, path: str) -> bytes:
        """The file at an output path."""
        now, before = self._groups
        return now[path] if path in now else before[path]

    def __iter__(self) -> Iterator[str]:
        """Each output path."""
        return iter(dict.fromkeys(path for group in self._groups for path in group))

    def __len__(self) -> int:
        """Count the files."""
        return sum(1 for _ in self)


def _all_texts(state: State, texts: Mapping[str, PageText]) -> Files:
    if any(text.packed for text in texts.values()):
        makes = {each.path: each.make for each in full(state.prepared.layout, KnownTwins(_Twins(texts)))}
        return MadeFiles(makes)
    twins = {path: encoded(text.twin).decode() for path, text in texts.items()}
    return {each.path: each.make() for each in full(state.prepared.layout, KnownTwins(twins))}


class MadeFiles(Mapping[str, bytes]):
    """Files by output path, each made whenever it is looked at, as all together are too large to be kept."""

    def __init__(self, makes: Mapping[str, Make]) -> None:
        self._makes = makes

    def __getitem__(self, path: str) -> bytes:
        """The file at an output path."""
        return self._makes[path]()

    def __contains__(self, path: object) -> bool:
        """Return whether there is a file, without making it."""
        return path in self._makes

    def __iter__(self) -> Iterator[str]:
        """Each output path."""
        return iter(self._makes)

    def __len__(self) -> int:
        """Count the files."""
        return len(self._makes)


class _Twins(Mapping[str, str]):
    """The twins of pages by content path, unpacked whenever they are looked at."""

    def __init__(self, texts: Mapping[str, PageText]) -> None:
        self._texts = texts

    def __getitem__(self, path: str) -> str:
        return encoded(self._texts[path].twin).decode()

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts)

    def __len__(self) -> int:
        return len(self._texts)
