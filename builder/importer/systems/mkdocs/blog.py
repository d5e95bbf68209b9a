"""The posts of a blog of Material: each is a page at its old address, and the blog's page lists them.

https://squidfunk.github.io/mkdocs-material/plugins/blog/. Lists by year and category have no page here;
their addresses lead to the page of the blog.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence

import msgspec
from msgspec import Struct

from builder.importer.old_site import OldPage
from builder.importer.source_tree import SourceTree
from builder.importer.systems.mkdocs.mkdocs_config import Configuration, without_tags
from builder.importer.systems.mkdocs.references import unicode_anchor_of
from builder.yaml.safe import YamlFault

_DAY = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})")
_TITLE = re.compile(r"^#[ \t]+(?P<text>[^\n]{1,300}?)[ \t]*(?:\{[^{}\n]*\})?$", re.MULTILINE)
_SIGNS = re.compile(r"[`*]|\[([^\[\]]*)\]\([^()]*\)")
_TOKEN = re.compile(r"y{1,4}|M{1,2}|d{1,2}")
FIELDS = frozenset({"date", "authors", "categories", "slug", "readtime", "pin", "links", "draft"})
"""Fields of posts that are read here."""


class BlogPost(Struct, frozen=True):
    """A post: its file, title, day as `2024-01-31`, authors and categories."""

    file: str
    title: str
    day: str
    address: str
    authors: Sequence[str] = ()
    categories: Sequence[str] = ()


class Blog:
    """A blog of a site, with the posts that were added so far."""

    def __init__(self, options: Mapping[str, object], docs: str, origin: SourceTree) -> None:
        self._options = options
        folder = self._text("blog_dir", "blog").strip("/")
        self.folder = "" if folder == "." else folder
        posts = self._text("post_dir", "{blog}/posts").replace("{blog}", self.folder).strip("/")
        self._posts_in = posixpath.normpath(posixpath.join(docs, posts))
        self._home = posixpath.normpath(posixpath.join(docs, self.folder))
        self._names = _authors(origin, posixpath.join(self._home, self._text("authors_file", ".authors.yml")))
        self.posts: list[BlogPost] = []

    def _text(self, name: str, default: str) -> str:
        found = self._options.get(name)
        return found if isinstance(found, str) and found else default

    def has(self, file: str) -> bool:
        """Return whether a file is a post."""
        return file.startswith(f"{self._posts_in}/")

    def post(self, page: OldPage, fields: Mapping[str, object]) -> OldPage:
        """Return a post as a page: at its address, with its day and authors below its title."""
        found = _TITLE.search(page.body)
        title = str(page.fields.get("title") or (found["text"] if found else posixpath.basename(page.name)))
        title = _SIGNS.sub(r"\1", title).strip()
        day = _day(fields.get("date"))
        authors = [self._names.get(each, each) for each in _texts(fields.get("authors"))]
        categories = _texts(fields.get("categories"))
        address = self._address(page, title, day, str(fields.get("slug") or ""), categories)
        self.posts.append(BlogPost(page.file, title, day, address, authors, categories))
        return _signed(
            msgspec.structs.replace(page, address=address), ", ".join(filter(None, (day, *authors)))
        )

    def _address(self, page: OldPage, title: str, day: str, slug: str, categories: Sequence[str]) -> str:
        shown = self._text("post_url_format", "{date}/{slug}")
        most = self._options.get("post_url_max_categories")
        parts = {
            "date": _written(day, self._text("post_url_date_format", "yyyy/MM/dd")),
            "slug": slug or unicode_anchor_of(title),
            "file": posixpath.basename(page.name),
            "categories": "/".join(
                map(unicode_anchor_of, categories[: most if isinstance(most, int) else 1])
            ),
        }
        path = re.sub(r"\{(\w+)\}", lambda found: parts.get(found[1], ""), shown)
        return f"/{posixpath.normpath(posixpath.join(self.folder, path.strip('/')))}/"

    def home(self, pages: Mapping[str, OldPage]) -> OldPage:
        """Return the page of the blog with its posts, the newest first."""
        file = next(
            (each for name in ("index.md", "README.md") if (each := f"{self._home}/{name}") in pages), ""
        )
        name = posixpath.join(self.folder, "index")
        page = (
            pages[file]
            if file
            else OldPage(f"{self._home}/index.md", f"/{name.removesuffix('index')}", name, "# Blog\n")
        )
        posts = sorted(self.posts, key=lambda one: (one.day, one.file), reverse=True)
        lines = [self._item(post) for post in posts]
        return msgspec.structs.replace(page, body="\n".join((page.body.rstrip("\n"), "", *lines, "")))

    def _item(self, post: BlogPost) -> str:
        title = re.sub(r"([\[\]])", r"\\\1", post.title)
        item = f"- [{title}]({posixpath.relpath(post.file, self._home)})"
        return f"{item}, {post.day}" if post.day else item

    def lists(self) -> Iterator[tuple[str, str]]:
        """Yield the addresses of lists of posts, each with that of the blog."""
        home = f"/{posixpath.join(self.folder, '')}"
        years = {
            _written(post.day, self._text("archive_date_format", "yyyy")) for post in self.posts if post.day
        }
        names = {unicode_anchor_of(name) for post in self.posts for name in post.categories}
        size = self._options.get("pagination_per_page")
        per_page = size if isinstance(size, int) and size > 0 else 10
        inner = [f"archive/{year}" for year in sorted(years)] + [f"category/{name}" for name in sorted(names)]
        inner += [f"page/{number}" for number in range(2, -(-len(self.posts) // per_page) + 1)]
        yield from ((f"{home}{each}/", home) for each in inner)


def blogs_of(config: Configuration, docs: str, origin: SourceTree) -> Sequence[Blog]:
    """Return the blogs of a site."""
    return [
        Blog(options, docs, origin)
        for name, options in config.plugins()
        if name.removeprefix("material/") == "blog" and options.get("enabled") is not False
    ]


def _signed(page: OldPage, told: str) -> OldPage:
    """Return a post with its day and authors below its title."""
    if not told:
        return page
    lines = page.body.split("\n")
    numbers = list(page.lines or range(page.first_line, page.first_line + len(lines)))
    found = _TITLE.search(page.body)
    at = page.body.count("\n", 0, found.end()) + 1 if found else 0
    lines[at:at] = ["", f"*{told}*"] if found else [f"*{told}*", ""]
    numbers[at:at] = [numbers[min(at, len(numbers) - 1)]] * 2
    return msgspec.structs.replace(page, body="\n".join(lines), lines=tuple(numbers))


def _authors(origin: SourceTree, file: str) -> Mapping[str, str]:
    """Return the names of authors by the short ones that posts have."""
    try:
        found = without_tags(origin.text(file) or "")
    except YamlFault:
        return {}
    listed = found.get("authors") if isinstance(found, dict) else None
    pairs = listed.items() if isinstance(listed, dict) else ()
    return {name: str(each.get("name") or name) for name, each in pairs if isinstance(each, dict)}


def _texts(given: object) -> Sequence[str]:
    return [str(each) for each in given] if isinstance(given, list) else []


def _day(given: object) -> str:
    """Return the day of a post, "" for none."""
    found = _DAY.search(str(given.get("created") if isinstance(given, dict) else given or ""))
    return f"{found[1]}-{int(found[2]):02}-{int(found[3]):02}" if found else ""


def _written(day: str, shown: str) -> str:
    """Write a day in a form such as `yyyy/MM/dd`."""
    found = _DAY.fullmatch(day)
    if found is None:
        return ""
    parts = {"yyyy": found[1], "y": found[1], "yy": found[1][2:], "MM": found[2], "dd": found[3]}
    parts |= {"M": found[2].lstrip("0"), "d": found[3].lstrip("0")}
    return _TOKEN.sub(lambda token: parts.get(token[0], ""), shown)
