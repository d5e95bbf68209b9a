"""The site that is imported, as it was read from the files of another system: pages, addresses, navigation.

Files are named by their path from the folder of the system's configuration; addresses are those that readers
had, from the root of the site, with a slash at the end where the old site had one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeVar, cast

from msgspec import Struct, field
from msgspec.structs import replace

System = Literal[
    "docusaurus", "mintlify", "fumadocs", "mkdocs", "starlight", "vitepress", "mdbook", "gitbook"
]
State = Literal["changed", "lost"]


_Value = TypeVar("_Value")


def without_halves(value: _Value) -> _Value:
    """Return a value with all of its texts, in which halves of characters, that no file can hold, are signs.

    Programs and JSON can write them: `"\\ud800"`.
    """
    return cast(_Value, _mended(value))


def _mended(value: object) -> object:
    match value:
        case str():
            return value if value.isascii() else _whole(value)
        case tuple() | list() | frozenset():
            return type(value)(map(_mended, value))
        case Mapping():
            return {_mended(key): _mended(each) for key, each in value.items()}
        case Struct():
            return replace(value, **{name: _mended(getattr(value, name)) for name in value.__struct_fields__})
    return value


def _whole(text: str) -> str:
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


class Loss(Struct, frozen=True):
    """A thing that is not as it was: `changed` into something near, or `lost`.

    `what` names it the same way wherever it occurs, so that losses can be counted; `old` is the text that was
    there, `now` says what stands for it. `file` is "" for the site as a whole, `line` 0 where there is none.
    """

    what: str
    file: str = ""
    line: int = 0
    old: str = ""
    now: str = ""
    state: State = "lost"


class OldPage(Struct, frozen=True):
    """A page: its file, and where readers had it.

    `name` is the path that the new page has by its file, without ending (`guide/install`), unless the
    importer has to find another. `fields` are those of the new frontmatter; the body begins on `first_line`
    of the file, and is read as `mdx` or as plain markdown. Where the body has lines that the file has not,
    such as those that a page includes, `lines` has the file's line of each. A standalone page has no sidebar.
    """

    file: str
    address: str
    name: str
    body: str = ""
    first_line: int = 1
    fields: Mapping[str, object] = field(default_factory=dict)
    is_mdx: bool = False
    is_standalone: bool = False
    lines: tuple[int, ...] = ()


class NavEntry(Struct, frozen=True):
    """An entry of the old navigation: a page by its file, a link, a group, a folder, or a heading."""

    label: str = ""
    page: str = ""
    href: str = ""
    items: tuple[NavEntry, ...] = ()
    is_heading: bool = False
    collapsed: bool | None = None


class NavPart(Struct, frozen=True):
    """A navigation of its own for a part of the site; `label` is that of its entry in the header.

    `name` is the one by which an entry of `nav` has the part alone as its sidebar.
    """

    entries: tuple[NavEntry, ...]
    label: str = ""
    name: str = ""


class OldSite(Struct, frozen=True):
    """All that was read. `settings` are the fields of the new `site.yml` that need no page or address.

    `files` says of images and other files at which address they were, `parts` are files that pages include,
    by the path that they have in the new site. `redirects` lead from old addresses to addresses or files.
    `answered` are further addresses that the old site had, and who answers there now: a page's file, an
    address, or "" for nobody. `roots` are folders from which links with a slash at their begin may name
    files, `base` is the path below which the old site lay. `syntax` names what the old site had switched on,
    `values` are texts that pages name. `has_neighbours` says that links may leave the site for others of the
    same host, and `bases` below which addresses the site's own pages are. `versions` and `locales` are the
    names of those that can be asked for, the site's own included. With `in_folders` each page was the index
    of a folder, so that plain hosts answered with a slash at the end too; with `shows_descriptions` readers
    saw the description of a page below its title.
    """

    system: System
    pages: tuple[OldPage, ...]
    navigation: tuple[NavPart, ...] = ()
    settings: Mapping[str, object] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    parts: Mapping[str, str] = field(default_factory=dict)
    redirects: Mapping[str, str] = field(default_factory=dict)
    answered: Mapping[str, str] = field(default_factory=dict)
    roots: tuple[str, ...] = ("",)
    base: str = ""
    has_neighbours: bool = False
    bases: tuple[str, ...] = ()
    syntax: frozenset[str] = frozenset()
    values: Mapping[str, str] = field(default_factory=dict)
    losses: tuple[Loss, ...] = ()
    versions: tuple[str, ...] = ()
    locales: tuple[str, ...] = ()
    in_folders: bool = False
    shows_descriptions: bool = False
