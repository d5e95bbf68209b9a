"""The settings of a VitePress site as `site.yml` has them; what nothing stands for is told.

https://vitepress.dev/reference/site-config and .../default-theme-config.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from urllib.parse import urlsplit

from msgspec import Struct

from builder.importer.literals import CodeValue, Literal, as_json, as_text, first_data
from builder.importer.old_site import Loss

_SOCIAL = {"github", "gitlab", "mastodon", "bluesky", "linkedin", "youtube", "discord", "slack", "x"}
_TOLD = ("head", "transformHead", "buildEnd", "vite", "vue", "markdown")
_DEEPEST = 8


class VitePressLinks(Struct, frozen=True):
    """Finds what the configuration names: values of other files, the address of a page, files by address."""

    follow: Callable[[Literal], Literal]
    find: Callable[[str], str]
    files: Collection[str]


class VitePressSettings:
    """Reads the settings of a site."""

    def __init__(
        self,
        config: Mapping[str, Literal],
        file: str,
        losses: list[Loss],
        links: VitePressLinks,
        locales: Sequence[str],
    ) -> None:
        self._config = config
        self._file = file
        self._losses = losses
        self._follow = links.follow
        self._find = links.find
        self._files = links.files
        self._locales = locales
        root = links.follow(first_data(config, "locales", "root"))
        inner = root if isinstance(root, dict) else {}
        self._root: Mapping[str, Literal] = inner

    def _lose(self, what: str, old: str, now: str = "") -> None:
        self._losses.append(Loss(what, self._file, 0, old[:300], now, "changed" if now else "lost"))

    def _of_theme(self, name: str) -> Literal:
        """Return a field of the theme, that of the site's own language first."""
        for config in (self._root, self._config):
            theme = self._follow(config.get("themeConfig"))
            found = self._follow(first_data(theme, name))
            if found is not None:
                return found
        return None

    def _text(self, name: str) -> str:
        return self._word(self._root.get(name)) or self._word(self._config.get(name))

    def _word(self, value: Literal) -> str:
        """Return a text, without the values of a template that only a program knows."""
        found = self._follow(value)
        code = getattr(found, "text", "")
        if isinstance(found, CodeValue) and code.startswith("`"):
            text = " ".join(re.sub(r"\$\{[^{}]*\}", "", code[1:-1]).split())
            self._lose("expression in the configuration", code, text)
            return text
        return as_text(found)

    def settings(self, url: str) -> Mapping[str, object]:
        """Return the fields of `site.yml` that say something."""
        logo = self._follow(self._of_theme("logo"))
        logo = first_data(logo, "light") or first_data(logo, "src") or logo
        found: dict[str, object] = {
            "title": self._text("title"),
            "description": " ".join(self._text("description").split()),
            "url": url or self._url(),
            "docs_at": "/",
            "language": self._text("lang"),
            "logo": self._image(as_text(logo)),
            "favicon": self._favicon(),
            "nav": [*self._nav(self._of_theme("nav"), 0), *self._languages()],
            "footer": self._footer(),
            "edit_url": self._edit_url(),
        }
        for name in _TOLD:
            if self._config.get(name):
                self._lose(f"`{name}`", as_json(self._config[name]))
        return {name: value for name, value in found.items() if value}

    def _url(self) -> str:
        """Return the site's address, which only its sitemap names."""
        host = as_text(first_data(self._config, "sitemap", "hostname")).rstrip("/")
        base = as_text(self._config.get("base")).strip("/")
        return (
            f"{host.removesuffix(f'/{base}')}/{base}".rstrip("/")
            if re.match(r"https?://[^/\s]", host)
            else ""
        )

    def _image(self, path: str) -> str:
        if path.startswith("/") and path not in self._files:
            self._lose("image of the configuration that is not there", path)
            return ""
        return path

    def _favicon(self) -> str:
        """Return the icon that the head names, where it is a file of the site."""
        base = as_text(self._config.get("base")).rstrip("/")
        listed = self._follow(self._config.get("head"))
        for each in listed if isinstance(listed, list) else []:
            about = each[1] if isinstance(each, list) and len(each) > 1 else None
            if isinstance(about, dict) and "icon" in as_text(about.get("rel")).split():
                path = as_text(about.get("href"))
                for file in (path, path.removeprefix(base)):
                    if file in self._files:
                        return file
        return ""

    def _nav(self, listed: Literal, depth: int) -> Iterator[Mapping[str, object]]:
        for given in listed if isinstance(listed, list) and depth < _DEEPEST else []:
            each = self._follow(given)
            label = plain_text(self._word(each.get("text"))) if isinstance(each, dict) else ""
            inner = (
                list(self._nav(self._follow(each.get("items")), depth + 1)) if isinstance(each, dict) else []
            )
            flat = [one for item in inner for one in _leaves(item)]
            href = self._target(self._word(each.get("link"))) if isinstance(each, dict) else ""
            if flat:
                yield from [{"label": label, "items": flat}] if label else flat
            elif label and href:
                yield {"label": label, "href": href}
            else:
                self._lose("entry of the header that is not there", as_json(each))

    def _languages(self) -> Iterator[Mapping[str, object]]:
        """Yield a menu for each further language: its first page, and what its header has."""
        for name in self._locales:
            about = self._follow(first_data(self._config, "locales", name))
            theme = self._follow(first_data(about, "themeConfig"))
            inner = list(self._nav(self._follow(first_data(theme, "nav")), 1))
            label = as_text(first_data(about, "label")) or name
            home = self._find(as_text(first_data(about, "link")) or f"/{name}/")
            items = [
                *([{"label": label, "href": home}] if home else []),
                *(one for each in inner for one in _leaves(each)),
            ]
            if items:
                yield {"label": label, "items": items}

    def _target(self, link: str) -> str:
        """Return where a link leads in the new site, "" for nowhere."""
        if re.match(r"https?://|mailto:", link):
            return link
        path = link.split("#", maxsplit=1)[0]
        return self._find(link) or (link if path in self._files else "")

    def _footer(self) -> Mapping[str, object]:
        footer = self._of_theme("footer")
        words = [plain_text(self._word(first_data(footer, name))) for name in ("message", "copyright")]
        social: dict[str, str] = {}
        links: list[Mapping[str, str]] = []
        listed = self._of_theme("socialLinks")
        for given in listed if isinstance(listed, list) else []:
            each = self._follow(given)
            icon, href = as_text(first_data(each, "icon")), self._word(first_data(each, "link"))
            name = {"twitter": "x"}.get(icon, icon)
            if name in _SOCIAL and name not in social and href.startswith("http"):
                social[name] = href
            elif re.match(r"https?://", href):
                links.append(
                    {"label": as_text(first_data(each, "ariaLabel")) or icon or _host(href), "href": href}
                )
            else:
                self._lose("link to another place", as_json(each))
        found = {"text": " ".join(filter(None, words)), "social": social, "links": links}
        return {name: value for name, value in found.items() if value}

    def _edit_url(self) -> str:
        given = self._follow(first_data(self._of_theme("editLink"), "pattern"))
        made = re.search(r"(https?://[^\s`'\"{}$]+)/\$\{(?:\w+\.)?filePath\}", getattr(given, "text", ""))
        pattern = f"{made[1]}/:path" if made else as_text(given)
        if not re.match(r"https?://[^\s{}]+/:path\Z", pattern):
            if pattern:
                self._lose("`editLink`", pattern)
            return ""
        found = pattern.replace(":path", "{path}")
        self._lose("`editLink`", pattern, f"{found}: look whether the new files will be there")
        return found


def _leaves(item: Mapping[str, object]) -> Sequence[Mapping[str, object]]:
    """Return the links of a menu, or the link that it is."""
    inner = item.get("items")
    return inner if isinstance(inner, list) else [item]


def _host(href: str) -> str:
    try:
        return urlsplit(href).hostname or href
    except ValueError:
        return href


def plain_text(text: str) -> str:
    """Return a label without HTML, on one line."""
    return " ".join(html.unescape(re.sub(r"<[^<>]*>", "", text)).split())
