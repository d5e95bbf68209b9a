"""Find out all about a site that must be known before the first page is rendered."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from msgspec import Struct

from builder import theme
from builder.config import SiteConfig
from builder.diagnostics import Diagnostic
from builder.diagrams import is_installed
from builder.errors import ThemeError
from builder.images.sizes import image_sizes
from builder.links.resolved import Links
from builder.markdown.page import OutgoingLink
from builder.plan.anchor_check import PageLinks
from builder.plan.last_changed import LastChanged, last_changes
from builder.plan.layout import HOME, Layout, lay_out, sketched
from builder.plan.make_shared import SiteFacts, make_shared, site_words
from builder.plan.options import Options
from builder.plan.redirects import check_redirects
from builder.render import Shared
from builder.site import CONFIG_FILE, Site
from builder.store import ContentStore
from builder.store.part_files import PartFiles
from builder.theme import Folders, Programs


class Prepared(Struct, frozen=True):
    """`links` are those of `site.yml` that lead to a place on a page; `changes` is what git has said.

    `withheld` are programs of the site's own theme that are not run, if it has any that nobody agreed to.
    `agreed` says that somebody has agreed to those that there are, or to any.
    `diagnostics` are those that were found here: what the site's own sources say of themselves is not in it.
    """

    layout: Layout
    shared: Shared
    links: PageLinks
    changes: LastChanged
    diagnostics: tuple[Diagnostic, ...]
    withheld: Programs | None = None
    agreed: bool = False


def prepare(
    root: Path, store: ContentStore, site: Site, options: Options, *, is_read: bool = True
) -> Prepared:
    """Lay the site out, and make what its pages are rendered with; of a site that is not read only a sketch.

    Raises ThemeError when the site's own theme fails.
    """
    own = _theme(root, options)
    found = list[Diagnostic]()
    words = site_words(site.config, own.folders, found)
    layout = lay_out(site, words) if is_read else sketched(site)
    changes = changes_of(root, site.config, options) if is_read else LastChanged()
    found += [*layout.diagnostics, *changes.diagnostics, *own.diagnostics, *site_notes(site, options)]
    found += _analytics_ignored(site.config, options)
    sizes, parts = image_sizes(root, store, layout.files), part_files(root, options)
    shared = make_shared(layout, found, options, SiteFacts(changes.dates, own.folders, sizes, parts, words))
    links = shared.context.links
    found += check_redirects(site.config, layout.redirect_targets(), links)
    at_places = config_links(site.config, layout.redirect_targets(), links)
    return Prepared(layout, shared, at_places, changes, tuple(found), own.withheld, own.agreed)


def site_notes(site: Site, options: Options) -> Iterator[Diagnostic]:
    """Yield what is to be said of files and settings, whatever pages there are."""
    yield from _hard_links(site, options)
    yield from _diagrams_missing(site.config)


def _diagrams_missing(config: SiteConfig) -> Iterator[Diagnostic]:
    """Say once that diagrams are shown as code, where what draws them is not installed."""
    if "diagrams" in config.extras and not is_installed():
        message = "what draws diagrams is not installed, so they are shown as code"
        hint = "run `pip install 'twinpress[diagrams]'`"
        yield Diagnostic(CONFIG_FILE, *config.place("extras"), "diagrams-missing", message, hint)


def part_files(root: Path, options: Options) -> PartFiles:
    """The files that pages may include: those of the site, and of folders that who builds it has named."""
    more = tuple(map(os.path.realpath, options.include_roots)) if options.trusted else ()
    return PartFiles(root, more)


def _hard_links(site: Site, options: Options) -> Iterator[Diagnostic]:
    """Of a site that is not trusted, the files that have another name outside of it."""
    for file in () if options.trusted else site.linked:
        message = "this is a hard link: the file has another name outside of the site, and is published"
        hint = "look at what is in it; put a copy there if it is meant to be published"
        yield Diagnostic(file, 0, 0, "hard-link", message, hint)


def _analytics_ignored(config: SiteConfig, options: Options) -> Iterator[Diagnostic]:
    """Say that a service builds the site without the scripts that it asks for."""
    if config.analytics and not options.analytics:
        message = "this service does not let pages load scripts from elsewhere, so nobody is counted by them"
        hint = "its dashboard counts readers without a script"
        yield Diagnostic(CONFIG_FILE, *config.place("analytics"), "analytics-ignored", message, hint)


class _Theme(Struct, frozen=True):
    """The files of the theme that is used, and what Prepared says of programs of the site's own one."""

    folders: Folders = theme.DEFAULT
    diagnostics: tuple[Diagnostic, ...] = ()
    withheld: Programs | None = None
    agreed: bool = False


def _theme(root: Path, options: Options) -> _Theme:
    """Read the site's own theme, unless it has programs to which nobody agreed. Raises ThemeError."""
    if not options.trusted:
        return _Theme(withheld=_unread(root) if options.agreed is not None else None)
    folders, unused = theme.of_site(root)
    programs = theme.programs(folders)
    if programs and options.agreed not in (None, programs.digest):
        return _Theme(withheld=programs)
    return _Theme(folders, unused, agreed=options.agreed is None or bool(programs))


def _unread(root: Path) -> Programs | None:
    """List the programs of a folder that is left alone: for those who ask, and its faults stop nothing."""
    try:
        return theme.programs(theme.of_site(root)[0]) or None
    except ThemeError:
        return Programs()


def changes_of(root: Path, config: SiteConfig, options: Options) -> LastChanged:
    """Look up when pages were last changed, where that is wanted and may be found out."""
    return last_changes(root) if options.trusted and config.last_updated else LastChanged()


def config_links(config: SiteConfig, redirects: Iterable[tuple[str, str]], table: Links) -> PageLinks:
    """The links of `site.yml` and of redirects whose fragment must be checked, each with its place.

    A redirect is its old address as written, and its target.
    """
    return PageLinks(CONFIG_FILE, "", frozenset(), tuple(_outgoing(config, redirects, table)))


def _outgoing(
    config: SiteConfig, redirects: Iterable[tuple[str, str]], table: Links
) -> Iterator[OutgoingLink]:
    for field, href in _fields(config, redirects):
        resolved = table.resolve(href, HOME)
        if resolved.path is not None and resolved.fragment and resolved.problem is None:
            number = config.redirect_lines.get(field.removeprefix("redirects."))
            part = f"static/_redirects, line {number}" if number else ""
            yield OutgoingLink(resolved.path, resolved.fragment, *config.place(field), href, part)


def _fields(config: SiteConfig, redirects: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """The name of each link's field, and the link."""
    yield from config.page_links()
    yield "announcement.href", config.announcement.href
    for source, target in redirects:
        yield f"redirects.{source}", target
