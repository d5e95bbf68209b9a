"""Ask a preview for a page in one form or the other."""

from __future__ import annotations

import http.client
import re

from tests.server.commands import Answer, Preview
from tests.waiting import PATIENCE

MARKDOWN = "text/markdown"
BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
TYPES = {"html": "text/html; charset=utf-8", "markdown": "text/markdown; charset=utf-8"}


def ask(preview: Preview, path: str, *accept: str, method: str = "GET") -> Answer:
    """Ask with any number of `Accept` headers."""
    connection = http.client.HTTPConnection("127.0.0.1", preview.port, timeout=PATIENCE)
    try:
        connection.putrequest(method, path)
        for value in accept:
            connection.putheader("Accept", value.encode())
        connection.endheaders()
        response = connection.getresponse()
        headers = {name.lower(): value for name, value in response.getheaders()}
        return Answer(response.status, headers, response.read())
    finally:
        connection.close()


def links(answer: Answer) -> dict[str, tuple[str, str]]:
    """The targets of the Link header and their types, by relation."""
    found = re.findall(r'<([^>]*)>; rel="([^"]*)"; type="([^"]*)"', answer.headers.get("link", ""))
    return {relation: (target, kind) for target, relation, kind in found}
