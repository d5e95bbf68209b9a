"""`Update`: the extra `update`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date as day
from typing import ClassVar

from markupsafe import Markup

from components import labels, twin
from components.base import Child, Component, Labels, Page
from components.html import coded, content, fill, one_line
from components.words import Words, written_day

_HTML = """
    <div class="tp-update">
    <div class="tp-update-head"><h2 id="{{ id }}">{{ label }}</h2>
    {% if written %}<p>{% if date %}<time datetime="{{ date }}">{{ written }}</time>{% else %}{{ written }}
    {%- endif %}</p>{% endif %}
    {% if tags %}<ul>{% for tag in tags %}<li>{{ tag }}</li>{% endfor %}</ul>{% endif %}</div>
    <div class="tp-update-body">{{ content }}</div></div>
"""


class Update(Component, frozen=True):
    """An entry of a changelog, with a heading that can be linked to.

    | Attribute | Type | Default | Meaning |
    |---|---|---|---|
    | `label` | text | from `date` | The heading: a version, or a few words. |
    | `date` | text | | The day, as in `2026-03-09`. |
    | `tags` | labels | | Names for what has changed, separated by commas. |

    Write the newest entry first. With `feed: true` in the page's frontmatter, the entries that have a `date`
    are in an Atom feed too, beside the page: that of `/docs/changelog` is at `/docs/changelog.xml`.

    ```mdx
    <Update label="2.4" date="2026-03-09" tags="Search, Import">

    - Search finds words within names.
    - An import keeps the addresses of the old site.

    </Update>
    ```
    """

    tag: ClassVar[str] = "Update"

    label: str = ""
    date: str = ""
    tags: Labels = ""

    def html(self, children: Sequence[Child], page: Page) -> Markup:
        """A heading with day and tags, and the content."""
        date = self._checked(page)
        written = written_day(page.words, date) if date else one_line(self.date)
        label = one_line(self.label) or written
        if not label:
            page.report("attribute-missing", "an `Update` without `label`", "add `label` or `date`")
            label = page.words.details
        plain = label.replace("`", "")
        under = written if self.label.strip() else ""
        anchor = page.anchor(plain)
        page.contents(anchor, plain, 2)
        tags, body = list(filter(None, labels.split(self.tags))), content(children)
        page.update(anchor, plain, date, tags, body)
        return fill(_HTML, id=anchor, label=coded(label), date=date, written=under, tags=tags, content=body)

    def twin(self, children: Sequence[Child], words: Words) -> str:
        """A heading, day and tags on a line, and the content."""
        written = written_day(words, self.date.strip()) if is_day(self.date) else self.date
        label = self.label if self.label.strip() else written
        about = [twin.plain(written) if self.label.strip() else ""]
        about += [twin.plain(tag) for tag in labels.split(self.tags)]
        line = " · ".join(filter(None, about))
        body = twin.content(children)
        title = label if label.strip() or not (line or body) else words.details
        return twin.blocks([f"## {twin.words(title)}" if title else "", f"*{line}*" if line else "", body])

    def _checked(self, page: Page) -> str:
        """The day, or an empty string and a diagnostic when it is none."""
        if is_day(self.date):
            return self.date.strip()
        if self.date.strip():
            hint = 'write year, month and day, as in `date="2026-03-09"`'
            page.report("attribute-invalid", f"`{self.date}` is no day", hint, attribute="date")
        return ""


def is_day(text: str) -> bool:
    """Return whether the text is a day such as `2026-03-09`."""
    bare = text.strip()
    if len(bare) != len("2026-03-09") or not bare.isascii():
        return False
    try:
        day.fromisoformat(bare)
    except ValueError:
        return False
    return bare[4] == bare[7] == "-"
