"""`Endpoint`."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from typing import ClassVar

from markupsafe import Markup

from components import anchors, twin
from components.base import Child, Component, Page
from components.html import address, coded, content, fill, one_line
from components.icons import icon
from components.method import badge, verb
from components.method import check as check_verb
from components.words import Words, fitted

_HTML = """
    <div class="tp-endpoint" id="{{ id }}" role="group" aria-label="{{ label }}">
    {% if badge or url or auth %}<div class="tp-endpoint-bar"
    {%- if url %} data-copy="{{ curl }}" data-copy-label="{{ copy }}"{% endif %}>
    {{ badge }}
    {% if url %}{{ " " }}<code class="tp-path">
    {% if base %}<span class="tp-base">{{ base }}</span>{% endif %}
    {% for part in parts %}
    {% if loop.index is even %}<var>{{ part }}</var>{% else %}{{ part }}{% endif %}
    {% endfor %}
    </code>{% endif %}
    {% if auth %}{{ " " }}<span class="tp-auth">{{ icon }}{{ auth }}</span>{% endif %}
    </div>{% endif %}
    {% if summary %}<p class="tp-endpoint-summary">{{ summary }}</p>{% endif %}
    {% if content %}<div class="tp-endpoint-body">{{ content }}</div>{% endif %}
    </div>
"""

_PLACEHOLDER = re.compile(r"(\{[^{}]*\}|(?<=/):\w+)")
_AUTH = {
    "required": "auth_required",
    "true": "auth_required",
    "optional": "auth_optional",
    "none": "auth_none",
    "false": "auth_none",
}
_OPEN = frozenset({"", "none", "false"})


class Endpoint(Component, frozen=True):
    """One request of an HTTP API: verb, address and what it does, with an entry in the table of contents.

    | Attribute | Type | Default | Meaning |
    |---|---|---|---|
    | `method` | text | | The HTTP verb. |
    | `path` | text | | The path of the request. Parts such as `{id}` or `:id` are highlighted. |
    | `baseUrl` | text | | The address before the path, shown in a muted colour. |
    | `auth` | text | | `required`, `optional` or `none`, or the name of the scheme. |
    | `summary` | text | | One line about what the request does. |
    | `id` | text | from verb and path | The anchor for links to it, such as `#put-page`. |

    Readers can copy the request as a cURL command. It has the whole address. Unless `auth` is empty or
    `none`, it also sends a bearer token from the shell's variable `TOKEN`. List the parameters below it with
    `Params`.

    ```mdx
    <Endpoint
      method="PUT"
      path="/ai/page"
      baseUrl="https://docs.example.com/api/v1/pages"
      auth="required"
      summary="Creates the page, or replaces it when it exists."
      id="put-page"
    />

    <Endpoint method="GET" path="/orders/{id}" summary="One order with its lines." />
    ```
    """

    tag: ClassVar[str] = "Endpoint"
    childless: ClassVar[bool] = True

    method: str = ""
    path: str = ""
    baseUrl: str = ""
    auth: str = ""
    summary: str = ""
    id: str = ""

    def html(self, children: Sequence[Child], page: Page) -> Markup:
        """A bar and its content, as one group that links and the table of contents lead to."""
        chosen = self._checked(page)
        if not self._has_bar() and not self.summary.strip():
            return content(children)
        label = f"{verb(self.method)} {one_line(self.path)}".strip() or page.words.endpoint
        anchor = page.anchor(" ".join(re.findall(r"[^\W_]+", label)), chosen)
        page.contents(anchor, label)
        base, path, auth = self._base(), one_line(self.path), self._auth(page.words)
        return fill(
            _HTML,
            id=anchor,
            label=label,
            curl=self._curl(),
            copy=page.words.copy_curl,
            badge=badge(self.method),
            url=base + path,
            base=address(base),
            parts=self._parts(base, path),
            auth=auth,
            icon=icon("lock-open" if self._is_open() else "lock"),
            summary=coded(self.summary),
            content=content(children),
        )

    def twin(self, children: Sequence[Child], words: Words) -> str:
        """A heading with verb and whole address, then auth, summary and the rest, as on the page."""
        request = f"{twin.plain(verb(self.method))} {twin.code(self._base() + one_line(self.path))}".strip()
        head = f"### {request}" if request else ""
        return twin.blocks(
            [head, twin.paragraph(self._auth(words)), twin.sentence(self.summary), twin.content(children)]
        )

    def _parts(self, base: str, path: str) -> list[Markup]:
        """The path as text and placeholders in turn. Without a base, no line can break before it."""
        first, *others = map(address, _PLACEHOLDER.split(path))
        return [first if base else first.removeprefix("<wbr>"), *others]

    def _has_bar(self) -> bool:
        return any(value.strip() for value in (self.method, self.path, self.baseUrl, self.auth))

    def _checked(self, page: Page) -> str:
        """Report faults of the attributes, and return the id that the author chose."""
        for name, value in (("method", self.method), ("path", self.path)):
            if not value.strip():
                page.report("attribute-missing", f"an `Endpoint` without `{name}`", f"add `{name}`")
        check_verb(self.method, page)
        return anchors.chosen(self.id, page)

    def _base(self) -> str:
        """The base as it is shown before the path: without the slash that the path begins with."""
        base, path = one_line(self.baseUrl), one_line(self.path)
        if not base or not path:
            return base
        return base.rstrip("/") if path.startswith("/") else base.rstrip("/") + "/"

    def _auth(self, words: Words) -> str:
        auth = one_line(self.auth)
        known: str = getattr(words, _AUTH.get(auth.lower(), "auth"))
        return fitted(known, auth) if auth else ""

    def _is_open(self) -> bool:
        return one_line(self.auth).lower() in _OPEN

    def _curl(self) -> str:
        """A command for a POSIX shell. Every part is quoted: pasting it runs nothing but curl."""
        name, base, path = verb(self.method), self._base(), one_line(self.path)
        option = {"": "", "GET": "", "HEAD": " --head"}.get(name, f" -X {shlex.quote(name)}")
        address = shlex.quote(base + path) if base else f'"$BASE_URL"{shlex.quote(path)}'
        token = "" if self._is_open() else ' -H "Authorization: Bearer $TOKEN"'
        return f"curl{option} {address}{token}"
