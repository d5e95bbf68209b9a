"""View of `site.yml` for templates: its texts as they are, its links as they lead from the site's root."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping

from msgspec import Struct, field

from builder import theme
from builder.config import SiteConfig
from builder.diagnostics import Diagnostic
from builder.images import header
from builder.images.header import Size
from builder.links import urls
from builder.links.resolved import Kind, Resolved
from builder.links.suggestions import Effort
from builder.links.table import LinkTable
from builder.plan.layout import HOME
from builder.render import NavTarget
from builder.sidebar import Link
from builder.site import CONFIG_FILE
from builder.theme import AnnouncementView, FooterView, SiteView
from builder.version import VERSION
from components.words import Words

LOGO_HEIGHT = 28
"""Pixels, as in the theme's templates and styles."""


class Told(Struct, frozen=True):
    """The links of one `site.yml`; those that are broken are put into `found`."""

    config: SiteConfig
    links: LinkTable
    found: list[Diagnostic]
    sizes: Mapping[str, Size]
    effort: Effort = field(default_factory=Effort)

    def site(self, words: Words) -> SiteView:
        """The site, but for the links of its header, which depend on the page."""
        config = self.config
        self._check_accent()
        logo = self._resolved("logo", config.logo, "image").href
        return SiteView(
            title=config.title,
            description=config.description,
            url=config.url,
            base=config.base_path,
            home=f"{config.base_path}/",
            language=config.language,
            direction=config.text_direction,
            words=words,
            script_words=theme.script_words(words),
            logo=logo,
            logo_width=self._logo_width(logo),
            favicon=self._resolved("favicon", config.favicon, "image").href,
            nav=(),
            footer=self._footer(),
            announcement=self._announcement(),
            css=tuple(self._resolved(f"css[{n}]", href).href for n, href in enumerate(config.css)),
            social_image=self._social_image(),
            generator=f"Twinpress {VERSION}",
        )

    def _logo_width(self, href: str) -> int:
        """Its width in the header, so that nothing moves when it arrives; 0 when it is not known."""
        size = header.of_address(href, self.links.base, self.sizes)
        return max(1, round(LOGO_HEIGHT * size[0] / size[1])) if size else 0

    def nav(self) -> Iterator[NavTarget]:
        """The links of the header."""
        config = self.config
        for item in config.nav:
            href = self._resolved(f"{item.where}.href", item.href).href
            own = (
                href.removeprefix(config.base_path) if href.startswith("/") else urls.below(href, config.url)
            )
            yield NavTarget(item.label, href, own or "")

    def _footer(self) -> FooterView:
        footer = self.config.footer
        made = (
            Link(link.label, self._resolved(f"{link.where}.href", link.href).href) for link in footer.links
        )
        return FooterView(footer.text, tuple(made))

    def _announcement(self) -> AnnouncementView | None:
        given = self.config.announcement
        if not given.text:
            return None
        href = self._resolved("announcement.href", given.href).href
        mark = hashlib.blake2b(f"{given.text}\n{href}".encode(), digest_size=5).hexdigest()
        return AnnouncementView(given.text, href, mark if given.dismissible else "")

    def _social_image(self) -> str:
        """Its absolute address; nothing when the site's own is not known."""
        address = self._resolved("social_image", self.config.social_image, "image").absolute
        return address if urls.external(address) else ""

    def _resolved(self, field: str, href: str, kind: Kind = "link") -> Resolved:
        if not href:
            return Resolved("", "")
        resolved = self.links.resolve(href, HOME, kind)
        if resolved.problem is not None:
            code, message, _ = resolved.problem
            hint = self.links.hint(resolved, self.effort)
            self.found.append(Diagnostic(CONFIG_FILE, *self.config.place(field), code, message, hint))
        return resolved

    def _check_accent(self) -> None:
        """Say which shade light pages have in place of a colour that cannot be read on them.

        Dark pages have another shade of every colour that can, so about them there is nothing to say.
        """
        color = self.config.accent
        if color and (shade := theme.accent(color).light) != color:
            message = f"text in `{color}` could not be read on light pages, so they have `{shade}`"
            self.found.append(
                Diagnostic(CONFIG_FILE, *self.config.place("accent"), "accent-contrast", message)
            )
