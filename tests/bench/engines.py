"""Searches in a real browser: a page that answers each query with addresses, best first."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from playwright.sync_api import Page

from builder.search import Part

OURS = """async () => {
  const { search: script, index, misspelt } = document.querySelector(".tp-search").dataset;
  const { makeIndex } = await import(script);
  const search = makeIndex(await (await fetch(index)).json(), new URL(index, location), misspelt);
  const places = ({ url, sections }) => sections.map(([anchor]) => url + (anchor && `#${anchor}`));
  window.ask = async (query) => (await search(query, 0)).results.flatMap(places);
}"""
MINISEARCH = """(rows) => {
  const index = new MiniSearch({ fields: ["title", "titles", "text"], storeFields: ["url"],
    searchOptions: { fuzzy: 0.2, prefix: true, boost: { title: 4, text: 2, titles: 1 } } });
  index.addAll(rows);
  window.ask = async (query) => index.search(query).slice(0, 30).map(({ id }) => id);
}"""
"""With the settings of VitePress."""
PAGEFIND = """async () => {
  const pagefind = await import("/pagefind/pagefind.js");
  await pagefind.init();
  window.ask = async (query) => {
    const { results } = await pagefind.search(query);
    const data = await Promise.all(results.slice(0, 8).map((result) => result.data()));
    return data.flatMap(({ url, sub_results }) => [url, ...sub_results.map((each) => each.url)])
      .map((url) => url.replace(/(index)?\\.html(?=#|$)/, ""));
  };
}"""


def engines(folder: Path, parts: Sequence[Part]) -> Mapping[str, tuple[str, Any]]:
    """The searches that there are here, each with its script and what that is given."""
    found: dict[str, tuple[str, Any]] = {"twinpress": (OURS, None)}
    if _indexed(folder):
        found["pagefind"] = (PAGEFIND, None)
    if os.environ.get("MINISEARCH"):
        found["minisearch"] = (MINISEARCH, _rows(parts))
    return found


def prepare(page: Page, name: str, script: str, given: Any) -> None:
    """Make `window.ask` of a page ready."""
    if name == "minisearch":
        page.add_script_tag(path=os.environ["MINISEARCH"])
    page.evaluate(script, given)


def _indexed(folder: Path) -> bool:
    """Return whether Pagefind has indexed the built site in `folder`."""
    command = [sys.executable, "-m", "pagefind", "--site", str(folder)]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def _rows(parts: Sequence[Part]) -> list[dict[str, str]]:
    """A document for each section."""
    return [
        {"id": f"{part.url}#{anchor}", "url": part.url, "title": heading or part.title, "text": text}
        | {"titles": part.title if heading else ""}
        for part in parts
        for anchor, heading, text in part.sections
    ]
