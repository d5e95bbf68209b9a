"""The settings of a Docusaurus site as `site.yml` has them: names, header, footer, announcement, redirects.

https://docusaurus.io/docs/api/themes/configuration. An entry that leads to what the new site does not have is
left out and told.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from builder.importer.literals import CodeValue, Literal, as_text, texts
from builder.importer.old_site import NavEntry, NavPart
from builder.importer.systems.docusaurus.documents import DocFile, unnumbered
from builder.importer.systems.docusaurus.docusaurus_config import DocSet, DocusaurusConfig

Find = Callable[[str], str]
"""Gives the address of a path within the site, "" for one that the new site does not have."""
_ELSEWHERE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")
_OWN = frozenset({"search", "localeDropdown", "docsVersionDropdown", "docsVersion"})
"""Entries of the header that the new site has by itself, or that need no other version."""
_TOLD = ("headTags", "scripts", "stylesheets", "clientModules", "customFields")
_LONGEST = 5_000
"""Characters of a function that are looked at."""
_SOCIAL = ("github", "gitlab", "x", "mastodon", "bluesky", "linkedin", "youtube", "discord", "slack")


class DocusaurusSettings:
    """Reads the settings of a site."""

    def __init__(
        self,
        config: DocusaurusConfig,
        documents: Mapping[tuple[str, str], DocFile],
        find: Find,
        parts: Mapping[str, NavPart],
        addresses: Mapping[str, str],
    ) -> None:
        self._config = config
        self._documents = documents
        self._find = find
        self._parts = parts
        self._addresses = addresses
        self._blogs = {
            addresses.get(part.entries[0].page, ""): part.name
            for part in parts.values()
            if part.name and part.entries and part.entries[0].page.endswith("#posts")
        }

    def settings(self, url: str, docs_at: str, docs: DocSet | None) -> Mapping[str, object]:
        """Return the fields of `site.yml` that say something."""
        config = self._config
        site, base = (url or config.text("url")).rstrip("/"), config.text("baseUrl").strip("/")
        found: dict[str, object] = {
            "title": config.text("title"),
            "description": " ".join(config.text("tagline").split()),
            "url": f"{site}/{base}".rstrip("/") if site else "",
            "docs_at": docs_at,
            "language": config.text("i18n", "defaultLocale"),
            "favicon": self._file(config.text("favicon")),
            "logo": self._file(config.text("themeConfig", "navbar", "logo", "src")),
            "social_image": self._file(config.text("themeConfig", "image")),
            "announcement": self._announcement(),
            "nav": list(self._nav(config.at("themeConfig", "navbar", "items"))),
            "footer": self._footer(),
            "extras": self._extras(),
            "analytics": self._analytics(),
            "edit_url": self._edit_url(docs),
        }
        self._tell()
        return {name: value for name, value in found.items() if value}

    def _file(self, path: str) -> str:
        """Return a file's path, nothing for one that is not there."""
        if not path or _ELSEWHERE.match(path):
            return path
        found = self._find(f"/{path.lstrip('/')}")
        if not found:
            self._config.lose("image of the configuration that is not there", path)
        return found

    def _announcement(self) -> Mapping[str, object]:
        bar = self._config.at("themeConfig", "announcementBar")
        content = as_text(bar.get("content")) if isinstance(bar, dict) else ""
        link = re.search(r"<a\b[^>]{0,500}?href=[\"']([^\"']+)", content)
        found: dict[str, object] = {"text": plain(content)}
        if link and (href := self._target(link[1])):
            found["href"] = href
        if isinstance(bar, dict) and bar.get("isCloseable") is False:
            found["dismissible"] = False
        return found if found["text"] else {}

    def _target(self, href: str) -> str:
        """Return where a link leads in the new site, "" for nowhere."""
        if _ELSEWHERE.match(href) and not href.startswith("pathname:"):
            return href
        path = href.removeprefix("pathname://")
        inner, sign, rest = path.partition("#")
        found = self._find(f"/{inner.lstrip('/')}") if path else ""
        return f"{found}{sign}{rest}" if found else ""

    def _nav(self, items: Literal) -> Iterator[Mapping[str, object]]:
        for item in items if isinstance(items, list) else []:
            if not isinstance(item, dict):
                self._config.lose("entry of the header that is no data", item)
                continue
            label, kind = plain(as_text(item.get("label"))), as_text(item.get("type"))
            inner = [one for each in self._nav(item.get("items")) for one in _leaves(each)]
            link = self._link(item, kind, label)
            if inner and label:
                yield {"label": label, "items": inner}
            elif link:
                yield link
            elif kind not in _OWN:
                self._lose_link("entry of the header", item, label)

    def _lose_link(self, what: str, item: Mapping[str, object], label: str) -> None:
        place = as_text(item.get("to")) or as_text(item.get("href")) or as_text(item.get("html"))
        shown = " ".join(filter(None, (label, place or as_text(item.get("value")))))
        self._config.lose(f"{what} that leads to what is not there", shown or as_text(item.get("type")))

    def _link(self, item: Mapping[str, object], kind: str, label: str) -> Mapping[str, object]:
        """Return a link of the header; nothing where the new site has nothing there."""
        if kind in {"doc", "docSidebar"}:
            return self._doc_link(item, kind, label)
        href = self._target(as_text(item.get("to")) or as_text(item.get("href")))
        if not label and href:
            label = as_text(item.get("aria-label")) or _host(href)
        named = {"sidebar": self._blogs[href]} if href in self._blogs else {}
        return {"label": label, "href": href, **named} if label and href else {}

    def _doc_link(self, item: Mapping[str, object], kind: str, label: str) -> Mapping[str, object]:
        if kind == "doc":
            key = as_text(item.get("docsPluginId"), "default")
            id_ = as_text(item.get("docId"))
            found = self._documents.get((key, id_)) or self._documents.get((key, _unnumbered(id_)))
            href = found.page.address if found else ""
            label = label or (str(found.page.fields.get("title", "")) if found else "")
            return {"label": label, "href": href} if href and label else {}
        key = as_text(item.get("docsPluginId"), "default")
        part = self._parts.get(f"{key}/{as_text(item.get('sidebarId'))}")
        part = part or self._parts.get(as_text(item.get("sidebarId")))
        href = first_address(part.entries, self._addresses) if part else ""
        if not part or not href:
            return {}
        named = {"sidebar": part.name} if part.name else {}
        return {"label": label or part.label or "Docs", "href": href, **named}

    def _footer(self) -> Mapping[str, object]:
        listed = self._config.at("themeConfig", "footer", "links")
        columns, links = [], []
        for each in listed if isinstance(listed, list) else []:
            if isinstance(each, dict) and isinstance(each.get("items"), list):
                items = list(self._footer_links(each["items"]))
                title = plain(as_text(each.get("title")))
                columns += [{"label": title, "items": items}] if items and title else []
                links += items if items and not title else []
            else:
                links += list(self._footer_links([each]))
        found = {"text": self._copyright(), "links": links, "columns": columns}
        return {name: value for name, value in found.items() if value}

    def _footer_links(self, items: Sequence[Literal]) -> Iterator[Mapping[str, object]]:
        for item in items:
            if not isinstance(item, dict):
                self._config.lose("entry of the footer that is no data", item)
                continue
            label = plain(as_text(item.get("label")))
            href = self._target(as_text(item.get("to")) or as_text(item.get("href")))
            if label and href:
                yield {"label": label, "href": href}
            else:
                self._lose_link("entry of the footer", item, label)

    def _copyright(self) -> str:
        """Return the line of the footer, without what a program would put into it."""
        found = self._config.at("themeConfig", "footer", "copyright")
        text = as_text(found)
        if isinstance(found, CodeValue) and found.text[:1] in "`\"'":
            text = re.sub(r"\$\{[^{}]*\}", "", found.text.strip("`\"'"))
            self._config.lose("expression in the footer", found, text)
        return plain(text)

    def _extras(self) -> Sequence[str]:
        """Return the extras for what the site's plugins added to its language."""
        text = self._config.origin.text(self._config.file) or ""
        found = ["math"] if "remark-math" in text else []
        return [*found, "diagrams"] if "theme-mermaid" in text else found

    def _analytics(self) -> Mapping[str, object]:
        for name, options in list(self._config.plugins()):
            own = self._config.follow(options.get("gtag")) if name.endswith("classic") else options
            if name.endswith(("classic", "plugin-google-gtag")) and isinstance(own, dict):
                ids = texts(own.get("trackingID"))
                if ids and re.fullmatch(r"G-[A-Z0-9]{4,20}", ids[0]):
                    return {"google": ids[0]}
        return {}

    def _edit_url(self, docs: DocSet | None) -> str:
        given = docs.options.get("editUrl") if docs else None
        if isinstance(given, str) and re.match(r"https?://[^\s{}]+\Z", given):
            now = f"{given.rstrip('/')}/{{path}}"
            self._config.lose("`editUrl`", given, f"{now}: look whether the new files will be there")
            return now
        code = getattr(given, "text", "")
        found = re.findall(r"(https?://[^\s`'\"{}$]+)/\$\{(?:\w+\.)?\w*[pP]ath\}", code[:_LONGEST])
        if given is not None:
            now = f"{found[-1]}/{{path}}" if found else ""
            self._config.lose(
                "`editUrl`", given, f"{now}: look whether the new files will be there" if now else ""
            )
            return now
        return ""

    def _tell(self) -> None:
        """Tell what nothing stands for."""
        for name in _TOLD:
            if self._config.data.get(name):
                self._config.lose(f"`{name}`", self._config.data[name])
        for name, options in list(self._config.plugins()):
            theme = options.get("theme")
            css = theme.get("customCss") if isinstance(theme, dict) else None
            if css:
                self._config.lose("`customCss`", getattr(css, "arguments", css))
            known = ("classic", "content-docs", "content-blog", "content-pages", "client-redirects", "gtag")
            if not name.endswith((*known, "theme-mermaid", "plugin-sitemap", "live-codeblock")):
                self._config.lose("plugin", name)


def _unnumbered(id_: str) -> str:
    return "/".join(unnumbered(part)[0] for part in id_.split("/"))


def _host(href: str) -> str:
    found = re.match(r"https?://(?:www\.)?([^/]+)", href)
    name = found[1] if found else href
    return next((each for each in _SOCIAL if len(each) > 1 and each in name), name)


def _leaves(item: Mapping[str, object]) -> Sequence[Mapping[str, object]]:
    """Return the links of a menu, or the link that it is."""
    inner = item.get("items")
    return inner if isinstance(inner, list) else [item]


def first_address(entries: Sequence[NavEntry], addresses: Mapping[str, str]) -> str:
    """Return the address of the first page of a sidebar."""
    for entry in entries:
        found = addresses.get(entry.page, "") or first_address(entry.items, addresses)
        if found:
            return found
    return ""


def plain(text: str) -> str:
    """Return a label without HTML, on one line."""
    return " ".join(html.unescape(re.sub(r"<[^<>]*>", "", text)).split())
