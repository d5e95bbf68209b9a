"""Read `site.yml`. What is wrong with it is said, and never stops anything.

It stands apart from the fields, as loading YAML takes long and most builds know what is in the file."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator

from builder.config.analytics import PROVIDERS
from builder.config.checks import site_url
from builder.config.fields import CONFIG_FILE, SIDEBAR_FILE, SiteConfig
from builder.config.head import CANONICAL
from builder.config.links import Footer, NavItem
from builder.config.social import address
from builder.diagnostics import Diagnostic
from builder.schema.record_reader import RecordReader, Wrong
from builder.yaml.hints import space_missing
from builder.yaml.positions import places
from builder.yaml.safe import Loaded, YamlFault
from builder.yaml.safe import load as load_yaml
from components.words import ENGLISH, wanted

INVALID, UNKNOWN = "config-invalid", "config-unknown-key"
MAX_NODES = 200_000
"""Far more than frontmatter may have: a site can have thousands of redirects."""
MAX_TEXT = 4 * 1024 * 1024


def read(text: str | bytes, file: str) -> tuple[SiteConfig, tuple[Diagnostic, ...]]:
    """The configuration in `text` (an empty one is all defaults) and what is wrong with it."""
    try:
        text = text.decode() if isinstance(text, bytes) else text
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        return _unreadable(file, (line, 0), "is not valid UTF-8", "save it as UTF-8")
    text = text.removeprefix("\ufeff")
    place = places(text)
    try:
        loaded = load_yaml(text, MAX_NODES, MAX_TEXT)
    except YamlFault as fault:
        return _unreadable(file, place(fault.index), fault.message, fault.hint)
    if loaded.value is not None and not isinstance(loaded.value, dict):
        mistake = space_missing(text)
        if mistake is not None:
            return _unreadable(file, place(mistake.at), mistake.message, mistake.hint)
        return _unreadable(file, (1, 1), "expected a mapping of fields", "write `title: ...`")
    return _read(loaded, file, place)


def with_sidebar(config: SiteConfig, data: bytes | None) -> tuple[SiteConfig, tuple[Diagnostic, ...]]:
    """Read the list in `sidebar.yml`, None where there is no such file, into the settings."""
    if data is None:
        message = f"there is no file `{SIDEBAR_FILE}` beside `site.yml`"
        return config, (Diagnostic(CONFIG_FILE, *config.place("sidebar"), INVALID, message, "create it"),)
    # The list is read as the field that it is, one level further in.
    text = data.decode("utf-8", "replace").removeprefix("\ufeff")
    place = places(text)
    try:
        loaded = load_yaml(text, MAX_NODES, MAX_TEXT)
    except YamlFault as fault:
        return config, (Diagnostic(SIDEBAR_FILE, *place(fault.index), INVALID, fault.message, fault.hint),)
    keys = {f"sidebar{where}": at for where, at in loaded.keys.items()}
    values = {f"sidebar{where}": at for where, at in loaded.values.items()}
    inner = Loaded({"sidebar": loaded.value}, keys, values, loaded.faults, loaded.repeated)
    reader = RecordReader.of(inner, place, SIDEBAR_FILE, INVALID, UNKNOWN)
    made = reader.record(SiteConfig, inner.value)
    every = {**config.places, **reader.places.values}
    return dataclasses.replace(config, sidebar=made.sidebar, places=every), tuple(sorted(reader.found))


def _read(
    loaded: Loaded, file: str, place: Callable[[int], tuple[int, int]]
) -> tuple[SiteConfig, tuple[Diagnostic, ...]]:
    reader = RecordReader.of(loaded, place, file, INVALID, UNKNOWN)
    values = loaded.value if isinstance(loaded.value, dict) else {}
    named = values.pop("sidebar") if isinstance(values.get("sidebar"), str) else ""
    if named and named != SIDEBAR_FILE:
        hint = f"write `sidebar: {SIDEBAR_FILE}`"
        reader.report_wrong(Wrong("sidebar", f"expected a list, or `{SIDEBAR_FILE}`", hint))
    try:
        config = reader.record(SiteConfig, values)
    except Wrong as wrong:
        reader.report_wrong(wrong)
        config = SiteConfig()
    config = dataclasses.replace(
        config,
        places=reader.places.values,
        words=dict(_whole_words(config, reader)),
        variables=dict(reader.variables(config.variables)),
        head=dict(_right_head(config, reader)),
        analytics=dict(_right_analytics(config, reader)),
        nav=tuple(_right_nav(config, reader)),
        footer=_right_footer(config, reader),
        sidebar_file=SIDEBAR_FILE if named == SIDEBAR_FILE else "",
    )
    return config, tuple(sorted(reader.found))


def _whole_words(config: SiteConfig, reader: RecordReader) -> Iterator[tuple[str, str]]:
    """The site's own words but for those that have lost the place of a name, or a month."""
    for name, text in config.words.items():
        if asked := wanted(name, text):
            reader.report_wrong(
                Wrong(f"words.{name}", f"expected {asked}", f"as in `{getattr(ENGLISH, name)}`")
            )
        else:
            yield name, text


def _right_head(config: SiteConfig, reader: RecordReader) -> Iterator[tuple[str, str]]:
    """The entries for the head that say something, but for a canonical address that is none."""
    for name, text in config.head.items():
        try:
            checked = site_url(text) if name == CANONICAL else text
        except ValueError as error:
            reader.report_wrong(Wrong(f"head.{name}", *map(str, error.args)))
        else:
            yield from [(name, checked)] if checked else []


def _right_analytics(config: SiteConfig, reader: RecordReader) -> Iterator[tuple[str, str]]:
    """The providers whose id can be one of theirs."""
    for name, id in config.analytics.items():
        if PROVIDERS[name].fits(id):
            yield name, id
        else:
            hint = f"as in `{PROVIDERS[name].example}`"
            reader.report_wrong(Wrong(f"analytics.{name}", "this is no id of that provider", hint))


def _right_nav(config: SiteConfig, reader: RecordReader) -> Iterator[NavItem]:
    """The entries of the header that lead somewhere; a menu has nothing but its links."""
    told = {one.message.partition(":")[0] for one in reader.found}
    for item in config.nav:
        names = ("href", "sidebar", "primary")
        beside = [name for name in names if item.items and getattr(item, name)]
        for name in beside:
            hint = "write it into one of the `items`" if name != "href" else "add the link to `items`"
            reader.report_wrong(Wrong(f"{item.where}.{name}", "has no effect beside `items`", hint))
        if item.items:
            yield dataclasses.replace(item, href="", sidebar="", primary=False) if beside else item
        elif item.href:
            yield item
        elif told.isdisjoint({f"{item.where}.href", f"{item.where}.items"}):
            reader.report_wrong(Wrong(item.where, "has no `href`", _nothing_in(item, reader)))


def _nothing_in(item: NavItem, reader: RecordReader) -> str:
    return "add links to `items`" if f"{item.where}.items" in reader.places.keys else ""


def _right_footer(config: SiteConfig, reader: RecordReader) -> Footer:
    """The footer without columns that have no link, and without places whose address is none."""
    told = {one.message.partition("].items")[0] for one in reader.found}
    for column in config.footer.columns:
        if not column.items and column.where.removesuffix("]") not in told:
            reader.report_wrong(Wrong(column.where, "has no link", "add links to `items`"))
    columns = tuple(column for column in config.footer.columns if column.items)
    return dataclasses.replace(config.footer, columns=columns, social=dict(_right_social(config, reader)))


def _right_social(config: SiteConfig, reader: RecordReader) -> Iterator[tuple[str, str]]:
    """The places with an address that can be one there."""
    for name, text in config.footer.social.items():
        try:
            yield name, address(name, text)
        except ValueError as error:
            reader.report_wrong(Wrong(f"footer.social.{name}", *map(str, error.args)))


def _unreadable(
    file: str, place: tuple[int, int], message: str, hint: str
) -> tuple[SiteConfig, tuple[Diagnostic, ...]]:
    return SiteConfig(), (Diagnostic(file, *place, INVALID, message, hint),)
