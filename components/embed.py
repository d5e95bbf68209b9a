"""`Embed`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar
from urllib.parse import SplitResult

from markupsafe import Markup

from components import embed_hosts, twin
from components.base import Child, Component, Href, Page, Refused
from components.embed_providers import find_provider
from components.html import content, fill, one_line
from components.safe_href import is_safe
from components.words import Words, fitted

# The theme's script creates the frame when the reader asks for it: nothing is loaded before.
# The button has no text of its own, which the search would take for the page's.
_HTML = """
    <figure class="tp-embed" data-embed="{{ frame }}" data-title="{{ title }}">
    <div class="tp-embed-box"><p class="tp-embed-title">{{ title }}</p>
    <button type="button" class="tp-button tp-load" data-tool="embed" title="{{ load }}"
    {{- " " }}aria-label="{{ load_title }}"></button></div>
    <figcaption>{{ content }}<a href="{{ src }}">{{ open_on }}</a></figcaption>
    </figure>
"""

_REFUSED = """
    {% if title %}<p class="tp-embed-link">
    {% if src %}<a href="{{ src }}">{{ title }}</a>{% else %}{{ title }}{% endif %}
    </p>{% endif %}
    {{ content }}
"""


class Embed(Component, frozen=True):
    """A video, a design or a sandbox from another site, loaded when the reader asks for it.

    | Attribute | Type | Default | Meaning |
    |---|---|---|---|
    | `src` | link | | The address from the browser's address bar; `https` only. |
    | `title` | text | the site's name | A short description, also for readers who cannot see the content. |

    YouTube, Vimeo, Loom, Figma, CodePen, CodeSandbox, StackBlitz and Spotify work at once. To allow other
    hosts, list them as `embed_hosts` in `site.yml`. There is always a plain link below the content: for
    print, for readers without script and for machines. The text between the tags is the caption.

    ```mdx
    <Embed src="https://www.youtube.com/watch?v=aqz-KE-bpKQ" title="Big Buck Bunny, an open film" />
    ```
    """

    tag: ClassVar[str] = "Embed"
    premium: ClassVar[bool] = True
    childless: ClassVar[bool] = True

    src: Href = ""
    title: str = ""

    def html(self, children: Sequence[Child], page: Page) -> Markup:
        """A figure that the theme's script fills, or a plain link if there is no address to frame."""
        frame = self._frame(page)
        return fill(
            _HTML if frame else _REFUSED,
            frame=frame,
            title=self._title(),
            src=self.src if is_safe(self.src) else "",
            open_on=fitted(page.words.open_on, self._host()),
            load=page.words.load,
            load_title=fitted(page.words.load_title, self._title()),
            content=content(children),
        )

    def twin(self, children: Sequence[Child], words: Words) -> str:
        """A link, then the caption."""
        title = self._title()
        shown = twin.link(title, self.src) if is_safe(self.src) else twin.paragraph(title)
        return twin.blocks([shown, twin.content(children)])

    def _frame(self, page: Page) -> str:
        """The address to frame, or an empty string and a diagnostic that says why there is none."""
        url = embed_hosts.address(self.src)
        if isinstance(self.src, Refused):
            return ""
        if not self.src:
            page.report("attribute-missing", "an `Embed` without `src`", "give the address in `src`")
        elif not url:
            message = f"`{self.src}` cannot be embedded"
            page.report("embed-host", message, "use an `https` address", attribute="src")
        elif not embed_hosts.permits(url.netloc, page.embed_hosts):
            hint = f"add `{url.netloc}` to `embed_hosts` in `site.yml`"
            page.report("embed-host", f"`{url.netloc}` is not in `embed_hosts`", hint, attribute="src")
        else:
            return self._player(url, page)
        return ""

    def _player(self, url: SplitResult, page: Page) -> str:
        provider = find_provider(self._host())
        if not provider:
            return url.geturl()
        if not provider.frame(url):
            hint = "use the address of a single video, design or sandbox"
            message = f"{provider.name} has no player for this address"
            page.report("attribute-invalid", message, hint, attribute="src")
        return provider.frame(url)

    def _host(self) -> str:
        """The host without `www.`, or an empty string for an address that cannot be framed."""
        url = embed_hosts.address(self.src)
        return url.netloc.removeprefix("www.") if url else ""

    def _title(self) -> str:
        provider = find_provider(self._host())
        return one_line(self.title) or (provider.name if provider else self._host() or self.src)
