"""The audience of a request: a person, an agent that reads for one, or a crawler that collects pages.

Told by what was asked for and by the name in `User-Agent`, and by nothing else: no address, no cookie.
"""

from __future__ import annotations

import re
from typing import Literal

from msgspec import Struct

Kind = Literal["people", "agents", "bots"]
OTHERS = ""
"""The name of all that has none of its own, or for which there is no room."""
MARKDOWN, PROGRAMS = "markdown", "programs"
"""The names of agents that are known only by having asked for markdown, or by being no browser."""
LONGEST_AGENT = 512
"""Characters of a `User-Agent` that are looked at."""
_MOST_KNOWN = 2048
"""Values that are remembered: browsers send the same ones over and over."""

AGENTS = {
    "chatgpt-user": "ChatGPT",
    "claude-user": "Claude",
    "claude-code": "Claude Code",
    "codex": "Codex",
    "cohere-ai": "Cohere",
    "cursor": "Cursor",
    "devin": "Devin",
    "duckassistbot": "DuckAssist",
    "gemini": "Gemini",
    "google-agent": "Google Agent",
    "google-notebooklm": "NotebookLM",
    "githubcopilot": "GitHub Copilot",
    "kagi-fetcher": "Kagi",
    "manus-user": "Manus",
    "meta-externalfetcher": "Meta AI",
    "mistralai-user": "Mistral",
    "novaact": "Nova Act",
    "perplexity-user": "Perplexity",
    "windsurf": "Windsurf",
}
"""Programs that fetch a page because somebody asks for it, by a part of their `User-Agent`."""
_AGENT = re.compile("|".join(map(re.escape, AGENTS)))
_BOT = re.compile(
    r"bot\b|bot[/;_-]|crawl|spider|slurp|archiver|scrapy|scanner|monitor|uptime|pingdom|lighthouse|headlesschrome"
    r"|facebookexternalhit|whatsapp|embedly|feedfetcher|google-(?:inspectiontool|read-aloud|extended)"
    r"|mediapartners|bytespider|ccbot|petalbot|yandex|baidu|semrush|ahrefs|dataprovider|censys|nuclei|zgrab"
)
"""Crawlers, monitors and scanners, which nobody waits for."""
_BROWSER = "mozilla/"


class ReaderKind(Struct, frozen=True, cache_hash=True):
    """The one who asks: of agents `name` says which, as far as that is known."""

    kind: Kind
    name: str = OTHERS


_known: dict[str, ReaderKind] = {}


def audience(user_agent: str) -> ReaderKind:
    """Return who asks, by the value of `User-Agent`. Every request of a reader comes here, so it is quick."""
    found = _known.get(user_agent)
    if found is None:
        found = _named(user_agent[:LONGEST_AGENT].lower())
        if len(_known) >= _MOST_KNOWN:
            _known.clear()
        if len(user_agent) <= LONGEST_AGENT:
            _known[user_agent] = found
    return found


def machine(user_agent: str) -> ReaderKind:
    """Return who asks for what no browser does, such as a page as markdown."""
    told = audience(user_agent)
    is_unknown = told.kind == "people" or told.name == PROGRAMS
    return ReaderKind("agents", MARKDOWN) if is_unknown else told


def _named(name: str) -> ReaderKind:
    if agent := _AGENT.search(name):
        return ReaderKind("agents", AGENTS[agent[0]])
    if _BOT.search(name):
        return ReaderKind("bots")
    return ReaderKind("people") if _BROWSER in name else ReaderKind("agents", PROGRAMS)
