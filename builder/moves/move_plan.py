"""All that changes when a page, a folder or a file moves: files, links to and from them, settings, redirects.

    what moves -> the site as it is then -> texts that may link -> each rewritten and proven -> redirects

Values in, values out: the caller reads the files, and writes what is wanted as one change.
"""

from __future__ import annotations

import dataclasses
import posixpath
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import combinations
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from builder import config, paths
from builder.config.settings_text import redirects_in, with_redirects
from builder.links.table import LinkTable
from builder.moves.link_places import LinkedText, LinkFinder
from builder.moves.move_redirects import MoveRedirects
from builder.moves.moved_links import Moves
from builder.moves.moved_places import MovedPlaces, file_place
from builder.moves.named_places import NamedPlaces, by_path, spellings
from builder.moves.relocation import RefusedMove, Relocation, free_name, joined, relocations
from builder.moves.rewritten_text import LeftLink, RewrittenText, rewritten
from builder.moves.settings_links import with_moved_links
from builder.plan.layout import Layout, lay_out
from builder.plan.make_shared import link_table
from builder.site import CONFIG_FILE, SETTINGS, Site, SitePage, read_at_place
from builder.store import Scan, SiteFile, Source
from builder.store.names import COMPONENTS, is_content
from builder.store.part_files import SUFFIXES, PartFiles, base
from builder.unicode import normal

_MOST_FILES = 50
"""Files of a folder that is planned together with other moves."""

Read = Callable[[str], "bytes | None"]
"""Gives the bytes of a file by its name on disk, None where there is none."""


class SiteFiles(Struct, frozen=True):
    """A site as it is: loaded with its drafts, its scan, the names of all files, and what reads one."""

    site: Site
    scan: Scan
    names: Sequence[str]
    read: Read
    parts: PartFiles


class MovePlan(Struct, frozen=True):
    """The files that move, by name on disk; and files as they are and are to be, None where there is none.

    `links` says in how many places each file links anew, `left` are links that stay although what they lead
    to has moved. `redirects` are new, by old address; `said` are sentences about what does not follow.
    `folders` have their new paths by old ones.
    """

    files: Mapping[str, str]
    expected: Mapping[str, bytes | None]
    wanted: Mapping[str, bytes | None]
    links: Mapping[str, int]
    left: tuple[LeftLink, ...]
    redirects: Mapping[str, str]
    said: tuple[str, ...]
    folders: Mapping[str, str]


Redirects = Literal["add", "none", "later"]
"""Whether a move adds redirects from old addresses; with "later" it leaves alone all that are there."""


def plan_move(files: SiteFiles, old: str, new: str, redirect: Redirects = "add") -> MovePlan:
    """Plan to move OLD to NEW. Raises RefusedMove, InvalidPath, and InvalidSettings for its `site.yml`."""
    return _Planner(files, relocations(files.scan.pages, files.names, [(old, new)])[0]).plan(redirect)


def plan_moves(
    files: SiteFiles, moves: Sequence[tuple[str, str]], redirect: Redirects = "add"
) -> MovePlan | None:
    """Plan several moves as one, at the cost of one; None where they depend on each other. Raises as for one.

    What is refused may be none of a single move, but what they come to together.
    """
    found = relocations(files.scan.pages, files.names, moves)
    if redirect == "add" and any(one.folders and len(one.files) > _MOST_FILES for one in found):
        return None  # its old addresses may be so many that one redirect is made of them
    if not all(one.is_apart_from(other) for one, other in combinations(found, 2)):
        return None
    return _Planner(files, joined(found)).plan(redirect)


class _Planner:
    def __init__(self, files: SiteFiles, moved: Relocation) -> None:
        self._files, self._site = files, files.site
        self._before = lay_out(bare(self._site))
        self._finder = LinkFinder(frozenset(self._site.config.extras), files.parts)
        self._moved = self._with_images(moved)
        self._site_now = self._moved_site()
        self._now = lay_out(bare(self._site_now))
        self._refuse_conflicts()
        self._moves = self._made_moves(self._now)
        self._named = self._named_places()
        self._names = self._link_names()

    def plan(self, redirect: Redirects) -> MovePlan:
        """Return the whole plan."""
        done = {text.file: (text, self._rewritten(text)) for text in self._linking()}
        files, read = self._moved.files, self._files.read
        wanted: dict[str, bytes | None] = dict.fromkeys(files)
        wanted |= {new: read(old) for old, new in files.items()}
        for file, (text, made) in done.items():
            if made.text != text.text:
                wanted[files.get(file, file)] = made.text.encode()
        settings, redirects, said = self._settings(redirect)
        wanted |= {file: data for file, (data, _) in settings.items()}
        expected = {file: read(file) for file in {*files, *(wanted.keys() - set(files.values()))}}
        expected |= dict.fromkeys(set(files.values()) - files.keys())
        links = {made_file: made.changed for made_file, made in _by_new_name(done, files) if made.changed}
        links |= {file: number for file, (_, number) in settings.items() if number}
        left = tuple(sorted(one for _, made in done.values() for one in made.left))
        said = (*(f"`{file}` stays where it is" for file in self._moved.left), *said)
        return MovePlan(files, expected, wanted, links, left, redirects, said, self._moved.folders)

    @cached_property
    def _texts(self) -> tuple[LinkedText, ...]:
        """All texts of the site: few moves need them."""
        return tuple(_texts(self._files))

    def _linking(self) -> Iterator[LinkedText]:
        """The texts that may link to what moves, or move themselves; no other page's file is read."""
        for page in self._site.pages:
            if self._may_link(page.file, page.path, page.document.body):
                yield from _linked(self._files, page.file, page.format, page.path)
            if page.twin_file and self._may_link(page.twin_file, page.path, page.twin or ""):
                yield from _linked(self._files, page.twin_file, "md", page.path, whole=True)
        for text in _part_texts(self._files):
            if self._may_link(text.file, text.base, text.text):
                yield text

    def _rewritten(self, text: LinkedText) -> RewrittenText:
        file = self._moved.files.get(text.file, text.file)
        new = replace(text, file=file, base=self._base(text))
        return rewritten(text, new, self._moves, self._finder)

    def _base(self, text: LinkedText) -> str:
        """The content path from which links of the text are seen after the move."""
        file = self._moved.files.get(text.file)
        if file is None:
            return text.base
        return base(file.removesuffix(paths.TWIN_SUFFIX))

    def _moved_site(self) -> Site:
        """The site after the move, but for its links."""
        files = self._moved.files
        pages = sorted((self._page(page) for page in self._site.pages), key=lambda page: page.path)
        records = self._site.categories.items()
        categories = {
            self._moved.path(path): replace(each, path=self._moved.path(path)) for path, each in records
        }
        docs_at = self._site.config.docs_at
        others = (
            SiteFile(files[each.file], file_place(files[each.file], docs_at)) if each.file in files else each
            for each in self._site.files
        )
        moved = replace(self._site, pages=tuple(pages), categories=categories, files=tuple(others))
        return replace(moved, config=self._config(moved))

    def _config(self, moved: Site) -> config.SiteConfig:
        """The settings with a sidebar that names what has moved."""
        if not moved.config.sidebar:
            return moved.config
        moves = self._made_moves(self._before, moved.pages)
        texts = {file: with_moved_links(_text(self._files.read(file)), file, moves).text for file in SETTINGS}
        read, _ = config.load(texts[CONFIG_FILE], CONFIG_FILE, texts[SETTINGS[1]].encode())
        return dataclasses.replace(moved.config, sidebar=read.sidebar)

    def _page(self, page: SitePage) -> SitePage:
        file = self._moved.files.get(page.file)
        if file is None:
            return page
        twin = self._moved.files.get(page.twin_file, "")
        text = _text(self._files.read(page.file))
        source = Source(self._moved.path(page.path), page.format, text, page.twin, "", file)
        return read_at_place(source, twin, self._site.config).page or page

    def _refuse_conflicts(self) -> None:
        known = {(one.file, one.message) for one in self._before.diagnostics if one.code == "path-conflict"}
        for one in self._now.diagnostics:
            if one.code == "path-conflict" and (one.file, one.message) not in known:
                raise RefusedMove(one.message, path=one.file, hint="use another name")

    def _made_moves(self, now: Layout, pages: Iterable[SitePage] | None = None) -> Moves:
        pages = now.site.pages if pages is None else pages
        places = MovedPlaces.of(self._before, now, self._moved, pages)
        known = {page.folder for page in self._before.site.pages} if self._moved.folders else set()
        moved = Relocation({}, folders=self._moved.folders)
        folders = {path: moved.path(path) for path in known.union(self._moved.folders)}
        folders = {path: new for path, new in folders.items() if path != new}
        tables = self._table, link_table(now, drafts=True)
        return Moves(*tables, places.pages, places.outputs, self._moved.files, folders)

    @cached_property
    def _table(self) -> LinkTable:
        """The links before the move."""
        return link_table(self._before, drafts=True)

    def _with_images(self, moved: Relocation) -> Relocation:
        """The files, with the images beside a page that it alone uses."""
        more: dict[str, str] = {}
        for page in self._site.pages if moved.pages else ():
            if page.path not in moved.pages:
                continue
            old, new = posixpath.dirname(page.file), posixpath.dirname(moved.files[page.file])
            if normal("NFC", old) == new:
                continue
            for file in self._own_files(page, old):
                name = f"{new}/{normal('NFC', file)[len(normal('NFC', old)) + 1 :]}"
                if free_name([*self._files.names, *moved.files.values(), *more.values()], name):
                    more[file] = name
        return replace(moved, files={**moved.files, **more})

    def _own_files(self, page: SitePage, folder: str) -> Iterator[str]:
        """The files beside a page to which it links, and no other text does."""
        beside = {
            each.output: each.file for each in self._site.files if posixpath.dirname(each.file) == folder
        }
        plain = Moves(self._table, self._table, {}, {}, {})
        own = {page.file, page.twin_file}
        used = [*_linked(self._files, page.file, page.format, page.path)]
        if page.twin_file:
            used += _linked(self._files, page.twin_file, "md", page.path, whole=True)
        linked = {place[1] for text in used for place in self._places(text, plain)} & beside.keys()
        for output in sorted(linked):
            names = spellings(beside[output].rpartition("/")[2])
            others = [text for text in self._texts if text.file not in own and _says(text.text, names)]
            settings = any(_says(_text(self._files.read(file)), names) for file in SETTINGS)
            if not settings and not any(("file", output) in self._places(text, plain) for text in others):
                yield beside[output]

    def _places(self, text: LinkedText, plain: Moves) -> Iterator[tuple[str, str]]:
        for link in self._finder.links(text):
            place = None if link.names else plain.wanted(link.address, link.base, link.kind)
            if place is not None:
                yield place

    def _may_link(self, file: str, base: str, text: str) -> bool:
        """Return whether the text of a file may have a link to what moves, or moves itself."""
        if file in self._moved.files:
            return True
        names, folders = self._names
        if any(base.startswith(folder) for folder in folders):
            return True
        if self._named is None:
            return _says(text, names)
        return self._named.may_be_in((_composed(text),), base)

    def _named_places(self) -> NamedPlaces | None:
        """The places to which links may lead that are to change, None where their paths do not say enough."""
        moved = self._moved
        if not by_path(self._site.config) or not (moved.folders or moved.pages):
            return None
        pages = (old.path for old, _ in self._moves.pages.values() if not self._is_in_folder(old.path))
        files = (file for file in self._moved_alone if not is_content(file))
        found = [*moved.folders, *pages, *(normal("NFC", file) for file in files)]
        return NamedPlaces.of(found) if all(place.startswith("docs/") for place in found) else None

    def _is_in_folder(self, path: str) -> bool:
        """Return whether a folder that moves takes it along."""
        return any(paths.is_within(path, folder) for folder in self._moved.folders)

    @property
    def _moved_alone(self) -> Iterator[str]:
        """The files that no folder takes along."""
        return (file for file in self._moved.files if not self._is_in_folder(normal("NFC", file)))

    def _link_names(self) -> tuple[frozenset[str], frozenset[str]]:
        """The names of which a link to what moves has one; folders in which it need not have any."""
        moved, names, folders = self._moved, set[str](), set[str]()
        names |= {folder.rpartition("/")[2] for folder in moved.folders}
        for old, _ in self._moves.pages.values():
            for path in (old.path, old.url.strip("/")):
                names.add(path.rpartition("/")[2])
            if old.path.endswith("/index"):
                names.add(old.path.split("/")[-2])
                folders.add(old.path.removesuffix("index"))
        names |= {file.rpartition("/")[2] for file in self._moved_alone}
        spelled = frozenset(one for name in names if name for one in spellings(name))
        return spelled, frozenset(folders)

    def _settings(
        self, redirect: Redirects
    ) -> tuple[dict[str, tuple[bytes, int]], dict[str, str], tuple[str, ...]]:
        """The settings that change, each with the number of its links; redirects; and sentences."""
        changed: dict[str, tuple[bytes, int]] = {}
        for file in SETTINGS:
            before = self._files.read(file)
            made = with_moved_links(_text(before), file, self._moves)
            if made.changed:
                changed[file] = made.text.encode(errors="surrogateescape"), made.changed
        text = _text(changed[CONFIG_FILE][0] if CONFIG_FILE in changed else self._files.read(CONFIG_FILE))
        known = {old: str(new) for old, new in redirects_in(text).items()}
        if redirect == "later":
            return changed, {}, ()
        places = MovedPlaces(self._moves.pages, self._moves.outputs)
        arrived = frozenset(self._moved.files.values())
        redirects = MoveRedirects(self._before, self._now, self._moved, places, arrived)
        wanted, said = redirects.planned(self._site.config, known, add=redirect == "add")
        if wanted != known:
            data = with_redirects(text, wanted).encode(errors="surrogateescape")
            changed[CONFIG_FILE] = data, changed.get(CONFIG_FILE, (b"", 0))[1]
        return changed, {old: new for old, new in wanted.items() if known.get(old) != new}, said


def bare(site: Site) -> Site:
    """The site without its redirects, to which no link leads."""
    return replace(site, config=dataclasses.replace(site.config, redirects={}, redirect_lines={}))


def _texts(files: SiteFiles) -> Iterator[LinkedText]:
    """All texts of the site in which links may be; one that is no UTF-8 stays as it is."""
    for page in files.site.pages:
        yield from _linked(files, page.file, page.format, page.path)
        if page.twin_file:
            yield from _linked(files, page.twin_file, "md", page.path, whole=True)
    yield from _part_texts(files)


def _part_texts(files: SiteFiles) -> Iterator[LinkedText]:
    """The texts of parts and own components."""
    own = (f"{COMPONENTS}/{name}" for name in files.parts.names(COMPONENTS))
    for file in (*(file for file, _ in files.scan.parts), *own):
        if file.endswith(SUFFIXES) and not file.endswith(paths.TWIN_SUFFIX):
            yield from _linked(files, file, "mdx", base(file))


def _linked(
    files: SiteFiles, file: str, format: paths.Format, path: str, *, whole: bool = False
) -> Iterator[LinkedText]:
    data = files.read(file)
    try:
        yield LinkedText(file, (data or b"").decode(), format, path, whole)
    except UnicodeDecodeError:
        return


def _by_new_name(
    done: Mapping[str, tuple[LinkedText, RewrittenText]], files: Mapping[str, str]
) -> Iterator[tuple[str, RewrittenText]]:
    for file, (_, made) in done.items():
        yield files.get(file, file), made


def _text(data: bytes | None) -> str:
    return (data or b"").decode(errors="surrogateescape")


def _says(text: str, names: Iterable[str]) -> bool:
    whole = _composed(text)
    return any(name in whole for name in names)


def _composed(text: str) -> str:
    return text if text.isascii() else normal("NFC", text)
