"""The base of components: typed attributes, an HTML form, a markdown form for the twin, and a docstring.

The builder parses a tag into an instance of its `Component` class and its children into `Child` values,
asks for `html()` when it renders the page and for `twin()` when it derives the page's twin. A component
does no I/O and knows nothing of the page around it but what `Page` offers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, ClassVar, Literal, Protocol

from markupsafe import Markup
from msgspec import Struct

from components.nearest import Hint
from components.words import Words

SLOT = "\0"
"""Stands for the text that a `spanning` component holds, as that is not known to it."""

# How the builder reads an attribute: the marker tells it to check the value before the component sees it.
Href = Annotated[str, "link"]
"""A link target. The builder resolves it against the site and drops what is not on the link allow-list."""


class Refused(str):
    """An address that the builder has refused and reported: empty, but not left out by the author."""

    __slots__ = ()


Image = Annotated[str, "image"]
"""The address of an image. The builder resolves and checks it as that of an image in markdown."""

Labels = Annotated[str, "labels"]
"""Names separated by commas (`components/labels.py`). An array is given as `labels.join(array)`."""


class Child(Struct, frozen=True):
    """One direct child, in source order.

    `content` is HTML when `html()` is asked, markdown (without trailing newline) when `twin()` is.
    `kind` is `component` (then `component` holds its attributes), `fence` (a fenced code block: `title` is
    its title and `language` its language, both possibly empty), `text` (a run of any other markdown), or
    `title` (the inline markdown of an admonition's title, always first and never given to tags).
    `headings` are the ids of what a component has in the table of contents, when `html()` is asked.
    """

    kind: Literal["component", "fence", "text", "title"]
    content: str
    component: Component | None = None
    title: str = ""
    language: str = ""
    headings: tuple[str, ...] = ()


class Page(Protocol):
    """The page that a component is on, as far as the component may use it while it renders HTML."""

    embed_hosts: Sequence[str]

    @property
    def words(self) -> Words:
        """The words that components add to a page, in the site's language."""

    def unique(self, prefix: str) -> str:
        """A new element id for the theme's own use: `tp-<prefix>-<n>`, stable for the same page."""

    def anchor(self, text: str, explicit: str = "") -> str:
        """Claim an id that links may point to: `explicit` if given and free, else a slug of `text`."""

    def contents(self, anchor: str, label: str, level: int = 3) -> None:
        """Put an entry for `anchor` into the table of contents; `label` is plain text."""

    def tell_apart(self, labels: Mapping[str, str]) -> None:
        """Add labels, by id, to entries of the table of contents that stand within the component."""

    def size(self, address: str) -> tuple[int, int] | None:
        """Width and height of an image of the site at a final address, None when they are not known."""

    def update(self, anchor: str, label: str, date: str, tags: Sequence[str], html: Markup) -> None:
        """Give the page's feed an entry; `date` is a day as in `2026-03-09`, or "" when it has none."""

    def report(self, code: str, message: str, hint: Hint = "", *, attribute: str = "") -> None:
        """Report a diagnostic at the place of `attribute`, or at the component's place without one."""


class Component(Struct, frozen=True):
    """Base of all components; the subclass's docstring is its documentation for authors (markdown).

    Fields are its attributes: `str`, `int`, `bool` (a flag), `Href`, `Image` or `Labels`; each has a default.
    `components/attributes.py` reads them. A field's documentation is the text of its line in the
    docstring's attribute table. A field keeps the attribute's own spelling (`baseUrl`).
    """

    tag: ClassVar[str] = ""
    """The name in a tag: `Card`. (Not `name`, which is an attribute of `Param`.)"""
    premium: ClassVar[bool] = False
    inline: ClassVar[bool] = False
    """Stands in running text, table cells and headings, and never alone as a block."""
    spanning: ClassVar[bool] = False
    """Stands around a part of running text: both forms hold its one child once, and do not depend on it."""
    clickable: ClassVar[bool] = False
    """Can be clicked, so that it stands neither in a link nor around one."""
    childless: ClassVar[bool] = False
    """Has no body: a missing closing tag closes it at once."""
    ignored: ClassVar[frozenset[str]] = frozenset()
    """Attributes of other systems that change nothing here, and that nobody is told of."""
    parents: ClassVar[tuple[str, ...]] = ()
    """Names of the components it belongs directly into; empty: anywhere. Its HTML is whole elsewhere too."""

    def html(self, children: Sequence[Child], page: Page) -> Markup:
        """The component as HTML, balanced; the theme adds behaviour by class and data attribute."""
        raise NotImplementedError

    def twin(self, children: Sequence[Child], words: Words) -> str:
        """The component as plain markdown without loss: every visible attribute and all text.

        `words` are the words that components add to a page, in the site's language.
        """
        raise NotImplementedError
