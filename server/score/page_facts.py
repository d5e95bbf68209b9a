"""One page as agents meet it: what is measured of its HTML, of its twin, and of the addresses around."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal
from urllib.parse import urljoin, urlsplit

from msgspec import Struct

from server.score import html_tree, markdown_text
from server.score.html_tree import Node
from server.score.parity import Parity, compare
from server.score.web import FetchedFile, Web

_STYLE = re.compile(r"[{}\s]*[a-z0-9_-]+\s*:\s*[^;]+;")
_CODE = (
    re.compile(r"^\s*(?:function|var|const|let|import|export)\b"),
    re.compile(r"^\s*//"),
    re.compile(r"[{};]\s*$"),
)
_LINKS = re.compile(r"\[[^\]]+\]\([^)]+\)")
_UNDERLINE = re.compile(r"[=-]+")
_LABEL = 40


def content_start(text: str) -> int:
    """Return the percent of a text that come before its content."""
    return int(100 * _start(text) / len(text) + 0.5) if text else 0


def _start(text: str) -> int:
    lines = text.split("\n")
    place = 0
    for number, line in enumerate(lines):
        if _begins(lines, number, line.strip()):
            return place
        place += len(line) + 1
    return place


def _begins(lines: Sequence[str], number: int, line: str) -> bool:
    if not line:
        return False
    below = lines[number + 1].strip() if number + 1 < len(lines) else ""
    if re.match(r"#{1,4}\s+\S", line) or (len(below) >= 2 and _UNDERLINE.fullmatch(below)):
        return _has_text(lines, number)
    if _is_code(line) or _density(line) > 0.5 or line.startswith("]("):
        return False
    return len(line) >= 80 or (len(line) >= 40 and line[-1] in ".!?")


def _has_text(lines: Sequence[str], heading: int) -> bool:
    """Return whether a heading has sentences or a table below it, within six lines."""
    start = heading + 1
    if start < len(lines) and _UNDERLINE.fullmatch(lines[start].strip()):
        start += 1
    seen = 0
    for number in range(start, len(lines)):
        line = lines[number].strip()
        if not line or _is_code(line):
            continue
        seen += 1
        if seen > 6:
            return False
        if _density(line) > 0.5 or re.match(r"\*\s+\[|\]\(", line):
            continue
        below = lines[number + 1].strip() if number + 1 < len(lines) else ""
        if re.match(r"#{1,6}\s", line) or (len(below) >= 2 and _UNDERLINE.fullmatch(below)):
            return False
        if re.match(r"\|.+\|", line) or len(line) > _LABEL or (len(line) >= 10 and line[-1] in ".!?"):
            return True
    return False


def _is_code(line: str) -> bool:
    return bool(_STYLE.search(line)) or any(each.search(line) for each in _CODE)


def _density(line: str) -> float:
    return sum(map(len, _LINKS.findall(line))) / len(line)


Status = Literal["pass", "warn", "fail"]

_LINK = re.compile(
    r"""<a\s[^>]*href\s*=\s*["'][^"']*/llms\.txt(?:[?#][^"']*)?["'][^>]*>.*?</a>""", re.IGNORECASE | re.DOTALL
)
_ASIDE = re.compile(r"<nav\b.*?</nav>|<script\b.*?</script>|<style\b.*?</style>", re.IGNORECASE | re.DOTALL)
_SHELL = ('id="___gatsby"', 'id="__next"', 'id="__nuxt"', 'id="root"')
_SIGN_IN = re.compile(r"<input[^>]+type=[\"']password[\"']", re.IGNORECASE)
SOFT = re.compile(r"not\s*found|404|does\s*not\s*exist", re.IGNORECASE)
_BLOB = re.compile(r"[A-Za-z0-9+/=]{2000}")
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)


class PageFacts(Struct, frozen=True):
    """The measures of a page. `pointer` and `twin_pointer` are where `llms.txt` is named, from 0 to 1.

    `depth` is how many percent of the text come before the content. `wrong_links` are the links of the twin
    that do not work away from it, with the reason.
    """

    url: str
    is_read: bool
    pointer: float | None = None
    twin_pointer: float | None = None
    has_twin: bool = False
    negotiated: str = "none"
    rendered: Status = "pass"
    converted: int = 0
    twin_size: int = 0
    size: int = 0
    depth: int = 0
    tabs: tuple[int, ...] = ()
    fences: int = 0
    unclosed: int = 0
    window: str = ""
    root_links: int = 0
    wrong_links: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    parity: Parity | None = None
    missing_status: int = 404
    hops: tuple[str, ...] = ()
    cached: Status = "pass"
    access: Status = "pass"
    blob: bool = False
    hindered: bool = False


async def look(url: str, published: str, web: Web) -> PageFacts:
    """Look at a page; `published` is the address of its twin as `llms.txt` has it, or an empty text."""
    page = await web.get(url)
    twin = await _twin(url, published, web)
    negotiated = await web.get(url, markdown=True)
    beside = await web.get(f"{url.rstrip('/')}-score-nonexistent-8f3a")
    access: Status = "fail" if page.status in {401, 403} else "pass"
    if not page.is_ok:
        hindered = page.status in {0, 429, 503}
        return PageFacts(
            url, False, hops=page.hops, access=access, missing_status=beside.status, hindered=hindered
        )
    root = html_tree.read(page.text) if page.is_html else None
    text = html_tree.converted(root) if root else page.text
    tokens = markdown_text.tokens(twin.text) if twin else []
    links = [*dict.fromkeys(markdown_text.links(tokens))]
    count, unclosed = markdown_text.fences(twin.text) if twin else (0, 0)
    return PageFacts(
        url,
        True,
        pointer=_html_pointer(page.text) if root else None,
        twin_pointer=_place(twin.text) if twin else None,
        has_twin=twin is not None,
        negotiated=_form(negotiated),
        rendered=_rendered(page.text, root),
        converted=len(text),
        twin_size=len(twin.text) if twin else 0,
        size=page.size,
        depth=content_start(text),
        tabs=tuple(_tabs(root)) if root else (),
        fences=count,
        unclosed=unclosed,
        window=markdown_text.window(tokens),
        root_links=sum(each.startswith("/") for each in links),
        wrong_links=tuple(each for each in links if _is_relative(each)),
        targets=tuple(_targets(links, twin.url, url)) if twin else (),
        parity=compare(root, tokens) if root and twin else None,
        missing_status=beside.status,
        hops=page.hops,
        cached=cache_status(page),
        blob=bool(_BLOB.search(text)),
        access="warn" if root and _SIGN_IN.search(page.text) and len(text) < 2000 else access,
    )


async def _twin(url: str, published: str, web: Web) -> FetchedFile | None:
    """Return the twin: where `llms.txt` says, or where it can be expected."""
    path = url.rstrip("/")
    for each in dict.fromkeys(filter(None, (published, f"{path}.md", f"{path}/index.md"))):
        found = await web.get(each)
        if found.is_ok and ("text/markdown" in found.type or markdown_text.is_markdown(found.text)):
            return found
    return None


def _form(answer: FetchedFile) -> str:
    if not answer.is_ok:
        return "none"
    if "text/markdown" in answer.type:
        return "right"
    return "html" if answer.is_html or not markdown_text.is_markdown(answer.text) else "wrong"


def _html_pointer(html: str) -> float | None:
    start = re.search(r"<body[^>]*>", html, re.IGNORECASE)
    body = _ASIDE.sub("", html[start.end() if start else 0 :].partition("</body")[0])
    found = _LINK.search(body) or re.search(r"/llms\.txt", body, re.IGNORECASE)
    return found.start() / len(body) if found else None


def _place(text: str) -> float | None:
    found = re.search(r"/llms\.txt", text, re.IGNORECASE)
    return found.start() / len(text) if found else None


def _rendered(html: str, root: Node | None) -> Status:
    """Tell a page with its text from one that a script in the browser has yet to fill."""
    if root is None or not any(each in html for each in _SHELL):
        return "pass"
    chrome = {"script", "style", "noscript", "svg", "nav", "header", "footer", "aside"}
    body = (root.first("body") or root).without(lambda node: node.tag in chrome)
    elements = list(body.elements())
    headings = sum(
        each.tag in {"h1", "h2", "h3", "h4", "h5", "h6"} and len(each.plain()) > 3 for each in elements
    )
    paragraphs = sum(each.tag == "p" and len(each.plain()) > 30 for each in elements)
    code, size = sum(each.tag in {"pre", "code"} for each in elements), len(body.plain())
    if size >= 1500 or (headings and size >= 500) or headings >= 3 or paragraphs >= 5 or code >= 3:
        return "pass"
    return "warn" if headings or paragraphs >= 2 or code else "fail"


def _tabs(root: Node) -> list[int]:
    """The sizes of the groups of tabs, as the text that they become."""
    found: list[int] = []
    claimed: set[int] = set()
    for tablist in (each for each in root.elements() if each.attributes.get("role") == "tablist"):
        around = tablist.parent
        for _ in range(4):
            if around is None or id(around) in claimed:
                break
            if any(each.attributes.get("role") == "tabpanel" for each in around.elements()):
                claimed |= {id(around), *(id(each) for each in around.elements())}
                found.append(len(html_tree.converted(around)))
                break
            around = around.parent
    return found


def _is_relative(link: str) -> bool:
    return not link.startswith(("#", "/")) and not _SCHEME.match(link)


def _targets(links: Sequence[str], twin: str, page: str) -> list[str]:
    """The addresses of this site that a twin has links to, without fragments."""
    host = urlsplit(page).netloc
    whole = (urljoin(twin, each).partition("#")[0] for each in links if not each.startswith("#"))
    return [each for each in dict.fromkeys(whole) if urlsplit(each).netloc == host]


def cache_status(answer: FetchedFile) -> Status:
    """Judge for how long an answer may be kept: an hour is fine, a day is long."""
    control, headers = answer.headers.get("cache-control", "").lower(), answer.headers
    parts = dict(part.strip().partition("=")[::2] for part in control.split(","))
    validated = "etag" in headers or "last-modified" in headers
    if "no-cache" in parts or "no-store" in parts or ("must-revalidate" in parts and validated):
        return "pass"
    age = parts.get("s-maxage") or parts.get("max-age") or ""
    if not age.isdigit():
        return "pass" if validated else "fail"
    return "pass" if int(age) <= 3600 else "warn" if int(age) <= 86400 else "fail"
