"""A small site as agents like it, and what breaks it: changes of its files, and of its host."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

from aiohttp import web

from builder.build import build
from builder.output import MemoryOutput
from builder.plan.options import Options
from server.site_files import mime, page_form, routing
from tests.sites import write_site

Built = dict[str, str]
Change = Callable[[Built], Built]

SENTENCES = (
    "The harbour of page {} has a gate that closes at night.",
    "Ships of page {} wait outside until the tide is high.",
    "A pilot of page {} comes aboard before the narrow part.",
    "Charts of page {} show the depth at the lowest water.",
    "The office of page {} answers questions by radio only.",
    "Fees of page {} are due on the day of the departure.",
    "Cranes of page {} lift what is not heavier than they are.",
    "Fog of page {} is told by a horn from the northern pier.",
    "Fishers of page {} land before the market in the morning.",
    "The ferry of page {} leaves whenever it has enough people.",
    "Repairs of page {} are made in the dock behind the bridge.",
    "Flags of page {} say what a captain may not say by radio.",
)


def build_it(port: int) -> Built:
    """Return the site as it is built for a server at this port."""
    return {path: text.replace(":8000", f":{port}") for path, text in _built().items()}


@cache
def _built(pages: int = 8) -> Built:
    files = {"site.yml": "title: Harbour\ndescription: All of it.\nurl: http://127.0.0.1:8000\n"}
    for number in range(pages):
        text = "\n\n".join(each.format(number) for each in SENTENCES)
        head = f"---\ntitle: Page {number}\ndescription: About page {number}.\n---\n\n"
        code, link = f"```sh\nls {number}\n```\n", f"[Next](./p{(number + 1) % pages}.md)\n"
        files[f"docs/p{number}.md"] = f"{head}{text}\n\n{code}\n{link}"
    files["docs/index.md"] = f"---\ntitle: Start\n---\n\n{SENTENCES[0].format('one')}\n"
    output = MemoryOutput()
    with tempfile.TemporaryDirectory() as folder:
        build(write_site(Path(folder), files), output, Options())
    kept = (".html", ".md", ".txt", ".xml")
    return {path: (output.get(path) or b"").decode() for path in output.paths if path.endswith(kept)}


def each(ending: str, change: Callable[[str], str], *, some: int = 99) -> Change:
    """Change the text of pages or twins, of all or the first of them."""

    def changed(files: Built) -> Built:
        names = sorted(name for name in files if re.fullmatch(rf"docs/p\d{ending}", name))[:some]
        return files | {name: change(files[name]) for name in names}

    return changed


def one(name: str, change: Callable[[str], str]) -> Change:
    """Change one file."""
    return lambda files: files | {name: change(files[name])}


def gone(pattern: str) -> Change:
    """Delete files."""
    return lambda files: {name: text for name, text in files.items() if not re.fullmatch(pattern, name)}


def body(before: str) -> Callable[[str], str]:
    """Put something at the begin of the body."""
    return lambda html: re.sub(r"(<body[^>]*>)", lambda found: found[0] + before, html, count=1)


LONG, LONGER = "\n\n<p>Words of a long page.</p>" * 2_700, "\n\n<p>Words of a long page.</p>" * 5_400
LINKS = "<ul>" + "<li><a href='/docs/'>Some other page</a></li>" * 400 + "</ul>"
POINTER = re.compile(r"<p class=\"tp-hidden\">.*?</p>")
TABS = (
    '<div><div role="tablist"><button role="tab">A</button></div>'
    f'<div role="tabpanel"><p>{"Words of a tab. " * 4_000}</p></div></div>'
)
SHELL = '<!doctype html><html><head><title>X</title></head><body><div id="root"></div></body></html>'

CHANGES: Mapping[str, Change] = MappingProxyType(
    {
        "as built": dict,
        "no llms.txt": gone(r"llms\.txt"),
        "one dead link in llms.txt": one(
            "llms.txt", lambda text: text.replace("/docs/p3.md", "/docs/gone.md")
        ),
        "half of the links dead": one(
            "llms.txt", lambda text: re.sub("/docs/p([0-4])", r"/docs/gone\1", text)
        ),
        "no summary": one("llms.txt", lambda text: text.replace("> All of it.\n", "")),
        "no links in llms.txt": one("llms.txt", lambda _: "# Harbour\n\n> All of it.\n\n## Pages\n\nNone.\n"),
        "llms.txt links to HTML": one("llms.txt", lambda text: text.replace(".md)", ")")),
        "a long llms.txt": one("llms.txt", lambda text: text + LONG),
        "no twins": gone(r".*\.md"),
        "half of the twins": gone(r"(llms/)?docs/p[0-4]\.md"),
        "a long page": each(
            r"\.(html|md)", lambda text: text.replace("</article>", LONG + "</article>"), some=2
        ),
        "a long twin": each(r"\.md", lambda text: text + LONG, some=1),
        "a longer twin": each(r"\.md", lambda text: text + LONGER, some=1),
        "no pointer in HTML": each(r"\.html", lambda text: POINTER.sub("", text)),
        "a pointer in half of HTML": each(r"\.html", lambda text: POINTER.sub("", text), some=4),
        "no pointer in twins": each(r"\.md", lambda text: text.partition("\n\n")[2]),
        "the pointer at the end of twins": each(
            r"\.md", lambda text: text.partition("\n\n")[2] + "\n[a](/llms.txt)\n"
        ),
        "content behind a menu": each(r"\.html", lambda text: body(LINKS)(POINTER.sub("", text))),
        "code without an end": each(r"\.md", lambda text: text + "\n```sh\nls\n", some=2),
        "code in a list": each(r"\.md", lambda text: text + "\n1. a\n\n   ```sh\n   ls\n   ```\n"),
        "relative links": each(r"\.md", lambda text: text + "\n[x](p1.md)\n", some=3),
        "links from the root": each(r"\.md", lambda text: text + "\n[x](/docs/p1.md)\n", some=3),
        "a part of a list": each(r"\.md", lambda text: text + "\nShowing 10 of 20 rows\n", some=1),
        "text by a script": each(r"\.html", lambda _: SHELL),
        "text by a script on some": each(r"\.html", lambda _: SHELL, some=3),
        "large tabs": each(r"\.html", lambda text: text.replace("</article>", TABS + "</article>"), some=2),
        "twins that say less": each(r"\.md", lambda text: text[:400], some=3),
        "twins that say a little less": each(
            r"\.md", lambda text: text.replace(text.split("\n\n")[4], ""), some=3
        ),
        "no sitemap": gone(r"sitemap\.xml|robots\.txt"),
        "more in the sitemap": one(
            "sitemap.xml",
            lambda text: re.sub(
                r"<url><loc>([^<]*/docs/p)\d</loc></url>", r"\g<0><url><loc>\g<1>x</loc></url>", text, count=1
            ),
        ),
    }
)
HOSTS = ("soft", "no negotiation", "wrong type", "kept for a week", "kept for a day")
"""What a host does wrong, with the site as it is built."""


def host(files: Built, does: str = "") -> web.Application:
    """Serve files as a host with clean URLs and negotiation does, but for what is wrong with it."""

    async def answer(request: web.Request) -> web.Response:
        found = routing.answer(request.path, files, "")
        if isinstance(found, routing.Moved):
            return web.Response(status=found.status, headers={"Location": found.location})
        if found is None:
            return web.Response(status=404)
        wants = does != "no negotiation" and "text/markdown" in request.headers.get("Accept", "")
        form = page_form.form(found, files, "", lambda: wants)
        kind = mime.content_type(form.output)
        age = {"kept for a week": 604_800, "kept for a day": 86_400}.get(does, 0)
        return web.Response(
            status=200 if does == "soft" else found.status,
            body=files[form.output].encode(),
            headers={
                "Content-Type": "text/plain"
                if does == "wrong type" and kind.startswith("text/markdown")
                else kind,
                "Cache-Control": f"max-age={age}",
            },
        )

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", answer)
    return app


def variants() -> list[tuple[str, str]]:
    """The names of all broken sites, each with what its host does wrong."""
    return [*((name, "") for name in CHANGES), *(("as built", does) for does in HOSTS)]
