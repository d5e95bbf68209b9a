"""Import a site of another system: read it, place its pages, rewrite them, and give the files of the new one.

1. The system's reader gives pages with their old addresses, the navigation and what else there is.
2. Each page is rewritten once to see whether it needs more than plain markdown.
3. Pages get content paths and addresses (`placing`), and links what they led to (`address_book`).
4. Each page is rewritten for good.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from builder.frontmatter.join import join
from builder.importer.address_book import AddressBook
from builder.importer.component_stubs import component_stubs
from builder.importer.html_tables import rewrite_html_tables
from builder.importer.jsx_components import JsxSource, component_template
from builder.importer.mdx_page import unindented
from builder.importer.new_settings import settings_of
from builder.importer.old_site import Loss, OldPage, OldSite, without_halves
from builder.importer.page_work import Choices, ImportContext, PageWork, SystemRules
from builder.importer.placing import PlacedPage, PlacedSite, content_path, place
from builder.importer.source_page import read_page
from builder.importer.source_tree import NoSource, SourceTree

_BRACE = re.compile(r"[{}]")
_SIGNS = re.compile(
    r"[\\`*\[<{}|~$^]|(?<!\w)_|_(?!\w)|==|\+\+|:(?=icon-)|^[#>:+-]|(?<=^\d)[.)]|(?<=^\d\d)[.)]"
)
"""Signs of markdown, which a description has as they are."""
_TITLE = re.compile(r"\n*#[ \t][^\n]*(?:\n|\Z)")
_HEADING_ID = re.compile(r"^[ ]{0,3}#{1,6}[ \t][^\n{]*(?P<id>\{#[^\s{}]+\})[ \t]*$", re.MULTILINE)

_MOST_NAMED = 30

Progress = Callable[[str, int, int], None]
"""Takes a step's name, and how many of how many are done."""


class NewSite(Struct, frozen=True):
    """The site that is to be written: files with their texts, and copies with the files they come from."""

    texts: Mapping[str, str]
    copies: Mapping[str, str]
    old: OldSite
    placed: PlacedSite
    losses: tuple[Loss, ...]


Days = Callable[[Sequence[str]], Mapping[str, str]]
"""Gives the days on which files were last changed, as far as they are known."""


def import_site(
    origin: SourceTree, rules: SystemRules, choices: Choices, progress: Progress, days: Days = lambda _: {}
) -> NewSite:
    """Return the site that stands for the old one; each page has its day where `days` knows it.

    Raises NoSource.
    """
    old = without_halves(rules.read(origin, choices))
    _check_known("version", choices.versions, old.versions)
    _check_known("language", choices.locales, old.locales)
    changed = days([page.file for page in old.pages])
    first = ImportContext(origin, old)
    plain = {page.file for page in old.pages if not _needs_mdx(first, page, rules)}
    placed = place(old, plain)
    copies = dict(_copies(old))
    book = AddressBook(old, placed, copies, old.roots, old.base)
    around = ImportContext(origin, old, book, modules=first.modules)
    importing = _Importing(around, rules, placed, {}, list(old.losses), set(), changed)
    for number, page in enumerate(old.pages):
        progress("pages", number, len(old.pages))
        importing.page(placed.pages[page.file])
    importing.parts()
    importing.components()
    losses = importing.losses
    losses += [
        Loss("file that was not read", file, 0, "", why) for file, why in sorted(origin.refused.items())
    ]
    losses[:] = without_halves(losses)
    texts = {**importing.texts, **component_stubs(around.uses, losses)}
    texts |= settings_of(around, placed, importing.extras, losses)
    return NewSite(texts, {new: file for file, new in copies.items()}, old, placed, tuple(losses))


def _check_known(kind: str, asked: Sequence[str], known: Sequence[str]) -> None:
    """Raise NoSource for a version or language that the old site does not have."""
    others = [name for name in asked if name not in {*known, "all"}]
    if others:
        names = ", ".join(known[:_MOST_NAMED]) + (", ..." if len(known) > _MOST_NAMED else "")
        hint = f"there are {names}, and `all`" if len(known) > 1 else f"the site has one {kind} alone"
        raise NoSource(f"the site has no {kind} `{others[0]}`", hint=hint)


def _needs_mdx(around: ImportContext, page: OldPage, rules: SystemRules) -> bool:
    work = PageWork.of(around, page)
    rules.rewrite(work)
    return work.needs_mdx


class _Importing(Struct):
    """An import so far."""

    around: ImportContext
    rules: SystemRules
    placed: PlacedSite
    texts: dict[str, str]
    losses: list[Loss]
    extras: set[str]
    changed: Mapping[str, str]

    def page(self, placed: PlacedPage) -> None:
        """Rewrite a page."""
        work = PageWork.of(self.around, placed.page, placed)
        slug = {"slug": placed.slug} if placed.slug else {}
        self.extras |= set(slug)
        day = self.changed.get(placed.page.file)
        fields = {**({"last_updated": day} if day else {}), **placed.page.fields, **slug}
        text = self._rewritten(work)
        if self.around.site.shows_descriptions:
            text = _with_lead(text, placed.page.fields.get("description"))
        self.texts[placed.file] = join(fields, text)

    def parts(self) -> None:
        """Rewrite the parts that pages include, and those that these include."""
        done: set[str] = set()
        while left := sorted(set(self.around.parts) - done):
            for file in left:
                done.add(file)
                self._part(file, self.around.parts[file])

    def components(self) -> None:
        """Write components of the old site's own with the elements that they show, and those within them."""
        uses = self.around.uses
        while left := sorted(uses.counts.keys() & uses.sources.keys() - uses.templates.keys()):
            for name in left:
                source = uses.sources.pop(name)
                template = component_template(source)
                if template is not None:
                    uses.templates[name] = replace(template, body=self._component(source, template.body))
        self.parts()

    def _component(self, source: JsxSource, body: str) -> str:
        page = OldPage(source.file, "", "", body, is_mdx=True, lines=(0,))
        return self._rewritten(PageWork.of(self.around, page, PlacedPage(page, f"_components/{source.name}")))

    def _part(self, file: str, place: str) -> None:
        source = read_page(self.around.origin, file)
        if source is None:
            self.losses.append(Loss("part that is not there", file, 0, file))
            return
        page = OldPage(file, "", "", source.body, source.first_line, is_mdx=file.endswith(".mdx"))
        work = PageWork.of(self.around, page, PlacedPage(page, place.removesuffix(".mdx")))
        self.texts[place] = self._rewritten(work)

    def _rewritten(self, work: PageWork) -> str:
        self.rules.rewrite(work)
        if work.placed is not None and work.placed.format == "mdx":
            rewrite_html_tables(work)
        work.rewrite_links()
        if work.placed is not None and work.placed.format == "mdx" and not work.page.is_mdx:
            _escape(work)
        self.losses += work.rewriting.losses
        self.extras |= work.rewriting.extras
        text = work.rewriting.result()
        return unindented(text) if work.page.is_mdx else text


def _with_lead(text: str, description: object) -> str:
    """Return a page with its description as the first text below its title, where readers saw it."""
    if not isinstance(description, str) or not description.strip():
        return text
    lead = _SIGNS.sub(r"\\\g<0>", " ".join(description.split()))
    heading = _TITLE.match(text)
    end = heading.end() if heading else 0
    return f"{text[:end]}{chr(10) if heading else ''}{lead}\n\n{text[end:].lstrip(chr(10))}"


def _escape(work: PageWork) -> None:
    """Put a sign before each brace that stays in the text, but for those of a heading's id."""
    edited = [(edit.start, edit.end) for edit in work.rewriting.edits if edit.end > edit.start]
    ids = [found.span("id") for found in _HEADING_ID.finditer(work.rewriting.text)]
    starts: list[int] = []
    ends: list[int] = []
    for start, end in sorted((*edited, *ids)):
        starts.append(start)
        ends.append(max(end, ends[-1] if ends else 0))

    def act(found: re.Match[str]) -> None:
        before = bisect_right(starts, found.start()) - 1
        if before < 0 or found.start() >= ends[before]:
            work.rewriting.insert(found.start(), "\\")

    work.rewriting.each(_BRACE, act)


def _copies(old: OldSite) -> Iterator[tuple[str, str]]:
    """Yield the files that are copied, each with its place in the new site."""
    docs_at = str(old.settings.get("docs_at") or "/").rstrip("/")
    for file, address in old.files.items():
        if f"{address}/".startswith(f"{docs_at}/"):
            inner = address.removeprefix(docs_at).strip("/")
            yield file, f"docs/{inner}" if _is_plain(inner) else f"static/{inner}"
        else:
            yield file, f"static/{address.strip('/')}"


def _is_plain(path: str) -> bool:
    """Return whether a file beside pages has folders that content paths can have."""
    folder = path.rpartition("/")[0]
    return not folder or content_path(folder) == f"docs/{folder}"
