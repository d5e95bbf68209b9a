"""Read what a Docusaurus site has beside its documents: single pages, and the posts of blogs.

https://docusaurus.io/docs/creating-pages and .../blog. A post becomes a page at its address, with its day and
its authors above the text; the blog's list becomes a page that lists them. Lists by tag, author and year lead
there.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct, field

from builder.importer.literals import Literal, as_text
from builder.importer.old_site import Loss, NavEntry, NavPart, OldPage
from builder.importer.source_page import read_page, read_yaml
from builder.importer.systems.docusaurus.documents import PAGE, old_page, page_losses
from builder.importer.systems.docusaurus.docusaurus_config import DocusaurusConfig
from builder.yaml.safe import YamlFault

_POST = re.compile(r"(?P<folder>.*?)(?P<date>\d{4}[-/]\d{1,2}[-/]\d{1,2})[-/]?(?P<name>.*)")
_PROGRAM = re.compile(r"\.(?:mdx?|jsx?|tsx?)$")
_HEADING = re.compile(r"\s*# [^\n]*\n")
_SHOWN = frozenset({"author", "authors", "date"})
"""Fields of a post whose words stand above its text."""
_LISTS = ("archive", "tags", "tags/*", "page/*", "authors", "authors/*")


class _Post(Struct, frozen=True):
    """A post: its page, its day, and the fields that it had."""

    page: OldPage
    date: str
    losses: tuple[Loss, ...]


class PagesAndPosts(Struct):
    """The pages, the parts of the navigation for blogs, and what leads elsewhere.

    `programs` are the addresses of pages that are programs, `blogs` the folders of posts with their routes.
    """

    config: DocusaurusConfig
    detects: bool
    pages: dict[str, OldPage] = field(default_factory=dict)
    parts: list[NavPart] = field(default_factory=list)
    redirects: dict[str, str] = field(default_factory=dict)
    programs: list[str] = field(default_factory=list)
    blogs: list[tuple[str, str]] = field(default_factory=list)

    def read(self, locales: Sequence[str]) -> None:
        """Read the pages and posts of the site's own language, and of others that are asked for."""
        for options in list(self.config.options_of("pages")):
            folder = posixpath.normpath(as_text(options.get("path"), "src/pages"))
            route = as_text(options.get("routeBasePath")).strip("/")
            self._read_pages(folder, route)
            for locale in locales:
                inner = f"i18n/{locale}/docusaurus-plugin-content-pages"
                self._read_pages(inner, f"{locale}/{route}".strip("/"))
        for options in list(self.config.options_of("blog")):
            self._read_blog(options, "")
            for locale in locales:
                self._read_blog(options, locale)

    def _read_pages(self, folder: str, route: str) -> None:
        for file in self.config.origin.files(folder):
            inner = posixpath.relpath(file, folder)
            is_hidden = any(part.startswith("_") for part in inner.split("/"))
            if not is_hidden and _PROGRAM.search(inner) and ".test." not in inner:
                self._read_single(file, _PROGRAM.sub("", inner), route)

    def _read_single(self, file: str, stem: str, route: str) -> None:
        source = read_page(self.config.origin, file) if PAGE.search(file) else None
        folder, name = posixpath.split(stem)
        path = f"{folder}/" if name == "index" and folder else "" if name == "index" else stem
        slug = source.fields.get("slug") if source else None
        path = posixpath.normpath(posixpath.join(folder, slug)) if isinstance(slug, str) and slug else path
        address = f"/{posixpath.join(route, path.lstrip('/'))}"
        if source is None:
            self._leave_program(file, stem, address)
            return
        page = old_page(source, address, posixpath.join(route, stem), detects=self.detects)
        is_single = "/" not in stem and name != "index" and not route
        self.pages[file] = OldPage(
            file, address, page.name, page.body, page.first_line, page.fields, page.is_mdx, is_single
        )
        self.config.losses += page_losses(source)

    def _leave_program(self, file: str, stem: str, address: str) -> None:
        """Tell of a page that is a program; its address leads to the documentation."""
        now = "its address leads to the documentation" if stem != "404" else ""
        self.config.losses.append(Loss("page that is a program", file, 0, address, now))
        if stem != "404":
            self.programs.append(address)

    def _read_blog(self, options: Mapping[str, Literal], locale: str) -> None:
        own = posixpath.normpath(as_text(options.get("path"), "blog"))
        key = as_text(options.get("id"), "default")
        plugin = f"docusaurus-plugin-content-blog{'' if key == 'default' else f'-{key}'}"
        folder = f"i18n/{locale}/{plugin}" if locale else own
        route = f"{locale}/{as_text(options.get('routeBasePath'), 'blog').strip('/')}".strip("/")
        authors = self._authors(folder) or self._authors(own)
        posts = [self._post(file, folder, route, authors) for file in self.config.origin.files(folder)]
        found = sorted((post for post in posts if post), key=lambda one: (one.date, one.page.file))[::-1]
        if not found:
            return
        self.blogs.append((folder, route))
        for post in found:
            self.pages[post.page.file] = post.page
            self.config.losses += post.losses
        title = as_text(options.get("blogTitle"), "Blog")
        index = self._index(found, folder, route, title, as_text(options.get("blogDescription")))
        entries = (NavEntry(title, index), *(NavEntry("", post.page.file) for post in found))
        name = "" if locale else "blog" if key == "default" else re.sub(r"[^\w-]+", "-", f"blog-{key}")
        self.parts.append(NavPart(entries, f"{title} {locale}".strip(), name))

    def _post(self, file: str, folder: str, route: str, authors: Mapping[str, str]) -> _Post | None:
        inner = posixpath.relpath(file, folder)
        is_post = PAGE.search(inner) and not any(part.startswith("_") for part in inner.split("/"))
        source = read_page(self.config.origin, file) if is_post else None
        if source is None:
            return None
        stem = PAGE.sub("", inner)
        found = _POST.fullmatch(stem.removesuffix("/index"))
        date = found["date"].replace("/", "-") if found else ""
        date = str(source.fields.get("date") or date)[:10]
        address = _address(route, stem.removesuffix("/index"), source.fields.get("slug"))
        page = old_page(source, address, posixpath.join(route or "blog", stem), detects=self.detects)
        by = ", ".join(_names(source.fields, authors))
        line = f"*{date}{', ' if date and by else ''}{by}*" if date or by else ""
        page = OldPage(
            file, address, page.name, _headed(page, line), page.first_line, page.fields, page.is_mdx
        )
        losses = [loss for loss in page_losses(source) if loss.what not in _TOLD_ABOVE]
        return _Post(page, date, tuple(losses))

    def _authors(self, folder: str) -> Mapping[str, str]:
        """Return the names of authors by their keys."""
        for name in ("authors.yml", "authors.yaml", "authors.json"):
            text = self.config.origin.text(f"{folder}/{name}")
            try:
                found = read_yaml(text).value if text else None
            except YamlFault as fault:
                what = "file of authors that cannot be read"
                self.config.losses.append(Loss(what, f"{folder}/{name}", 1, fault.message))
                continue
            if isinstance(found, dict):
                return {key: str(one["name"]) for key, one in found.items() if _has_name(one)}
        return {}

    def _index(self, posts: Sequence[_Post], folder: str, route: str, title: str, about: str) -> str:
        """Add the page that lists the posts, and lead lists by tag, author and year there."""
        address, file = f"/{route}", f"{folder}#posts"
        lines = [f"- {_escaped(post)}" for post in posts if not post.page.fields.get("unlisted")]
        body = "\n".join((*([about, ""] if about and about != "Blog" else []), *lines, ""))
        fields = {"title": title}
        self.pages[file] = OldPage(file, address, posixpath.join(route or "blog", "index"), body, 1, fields)
        for name in _LISTS:
            self.redirects[f"/{posixpath.join(route, name)}"] = address
        return file


_TOLD_ABOVE = frozenset(f"frontmatter `{name}`" for name in _SHOWN)


def _has_name(author: object) -> bool:
    return isinstance(author, dict) and isinstance(author.get("name"), str)


def _address(route: str, stem: str, slug: object) -> str:
    """Return the address of a post: its slug, else its day and its name."""
    found = _POST.fullmatch(stem)
    name = f"{found['date'].replace('-', '/')}/{found['folder']}{found['name']}" if found else stem
    if isinstance(slug, str) and slug.strip("/"):
        name = slug
    return re.sub(r"/+", "/", f"/{route}/{name}").rstrip("/")


def _names(fields: Mapping[str, object], authors: Mapping[str, str]) -> Iterator[str]:
    """Yield the names of those who wrote a post."""
    given = fields.get("authors", fields.get("author"))
    for each in given if isinstance(given, list) else [given]:
        if isinstance(each, str):
            yield authors.get(each, each)
        elif isinstance(each, dict) and isinstance(each.get("name") or each.get("key"), str):
            key = str(each.get("key"))
            yield str(each.get("name") or authors.get(key, key))


def _headed(page: OldPage, line: str) -> str:
    """Return the body of a post with a line above its text, behind the heading with which it begins."""
    if not line:
        return page.body
    found = _HEADING.match(page.body) if "title" not in page.fields else None
    if found is None:
        return f"{line}\n\n{page.body}"
    return f"{found[0]}\n{line}\n{page.body[found.end() :]}"


def _title(source: OldPage) -> str:
    found = _HEADING.match(source.body)
    heading = found[0].strip("# \n") if found else ""
    return str(source.fields.get("title") or heading or posixpath.basename(source.name))


def _escaped(post: _Post) -> str:
    """Return the link to a post, with its day."""
    title = re.sub(r"([\[\]<>{}])", r"\\\1", " ".join(_title(post.page).split()))
    return f"[{title}](<{post.page.address}>){f', {post.date}' if post.date else ''}"
