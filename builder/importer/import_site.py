"""Import a site of another system: read it, place its pages, rewrite them, and give the files of the new one.

1. The system's reader gives pages with their old addresses, the navigation and what else there is.
2. Each page is rewritten once to see whether it needs more than plain markdown.
3. Pages get content paths and addresses (`placing`), and links what they led to (`address_book`).
4. Each page is rewritten for good.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from msgspec import Struct

from builder.frontmatter.join import join
from builder.importer.address_book import AddressBook
from builder.importer.new_settings import settings_of
from builder.importer.old_site import Loss, OldPage, OldSite
from builder.importer.origin import Origin
from builder.importer.page_work import Choices, PageWork, SystemRules
from builder.importer.placing import PlacedSite, content_path, place

_BRACE = re.compile(r"[{}]")

Progress = Callable[[str, int, int], None]
"""Takes a step's name, and how many of how many are done."""


class NewSite(Struct, frozen=True):
    """The site that is to be written. `texts` are files with their text, `copies` with the file they come from."""

    texts: Mapping[str, str]
    copies: Mapping[str, str]
    old: OldSite
    placed: PlacedSite
    losses: tuple[Loss, ...]


def import_site(origin: Origin, rules: SystemRules, choices: Choices, progress: Progress) -> NewSite:
    """Return the site that stands for the old one. Raises NoOrigin."""
    old = rules.read(origin, choices)
    plain = {page.file for page in old.pages if not _needs_mdx(old, page, rules)}
    placed = place(old, plain)
    copies = dict(_copies(old))
    book = AddressBook(old, placed, copies, old.roots, old.base)
    texts: dict[str, str] = {}
    losses, extras = list(old.losses), set[str]()
    for number, page in enumerate(old.pages):
        progress("pages", number, len(old.pages))
        work = PageWork.of(old, page)
        work.placed, work.book = placed.pages[page.file], book
        text = _rewritten(work, rules)
        texts[work.placed.file] = join(_fields(work), text)
        losses += work.rewriting.losses
        extras |= work.rewriting.extras
    losses += [Loss("file that was not read", file, 0, "", why) for file, why in sorted(origin.refused.items())]
    new = {new: file for file, new in copies.items()}
    texts |= settings_of(old, placed, book, extras, losses)
    return NewSite(texts, new, old, placed, tuple(losses))


def _needs_mdx(old: OldSite, page: OldPage, rules: SystemRules) -> bool:
    work = PageWork.of(old, page)
    rules.rewrite(work)
    return work.needs_mdx


def _rewritten(work: PageWork, rules: SystemRules) -> str:
    rules.rewrite(work)
    work.rewrite_links()
    if work.placed is not None and work.placed.format == "mdx" and not work.page.is_mdx:
        work.rewriting.each(_BRACE, lambda found: work.rewriting.insert(found.start(), "\\"))
    return work.rewriting.result()


def _fields(work: PageWork) -> Mapping[str, object]:
    placed = work.placed
    slug = {"slug": placed.slug} if placed is not None and placed.slug else {}
    if slug:
        work.rewriting.extras.add("slug")
    return {**work.page.fields, **slug}


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


