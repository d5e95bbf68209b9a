"""Write the fields of a home page of VitePress, its hero and its features, as text above the page's own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from builder.importer.source_page import SourcePage


def with_home(source: SourcePage) -> str:
    """Return the body of a page, with the words and links of a home page's fields above it."""
    hero, features = source.fields.get("hero"), source.fields.get("features")
    lines: list[str] = []
    if isinstance(hero, dict):
        name = " ".join(str(hero[one]) for one in ("name", "text") if hero.get(one))
        lines += [f"# {' '.join(name.split())}", ""] if name else []
        lines += [str(hero["tagline"]), ""] if hero.get("tagline") else []
        lines += [*_actions(hero.get("actions"))]
    lines += _features(features)
    return "\n".join((*lines, source.body)) if lines else source.body


def _features(listed: object) -> Iterator[str]:
    for each in listed if isinstance(listed, list) else []:
        if isinstance(each, dict) and each.get("title"):
            title, link = " ".join(str(each["title"]).split()), each.get("link")
            yield from (f"## [{title}](<{link}>)" if isinstance(link, str) else f"## {title}", "")
            yield from (str(each.get("details") or ""), "")
            if isinstance(each.get("linkText"), str) and isinstance(link, str):
                yield from (f"[{each['linkText']}](<{link}>)", "")


def _actions(listed: object) -> Sequence[str]:
    found = [
        f"[{each['text']}](<{each['link']}>)"
        for each in (listed if isinstance(listed, list) else [])
        if isinstance(each, dict) and each.get("text") and each.get("link")
    ]
    return [" ".join(found), ""] if found else []
