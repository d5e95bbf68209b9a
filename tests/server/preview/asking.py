"""Ask a preview for a page in one form or the other."""

from __future__ import annotations

import re

from tests.server.commands import Answer, Preview
from tests.server.http_client import request

MARKDOWN = "text/markdown"
BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
TYPES = {"html": "text/html; charset=utf-8", "markdown": "text/markdown; charset=utf-8"}


def ask(preview: Preview, path: str, *accept: str, method: str = "GET") -> Answer:
    """Ask with any number of `Accept` headers."""
    return Answer(*request(preview.port, method, path, [("Accept", value.encode()) for value in accept]))


def links(answer: Answer) -> dict[str, tuple[str, str]]:
    """The targets of the Link header and their types, by relation."""
    found = re.findall(r'<([^>]*)>; rel="([^"]*)"; type="([^"]*)"', answer.headers.get("link", ""))
    return {relation: (target, kind) for target, relation, kind in found}
