"""A browser as far as HTTP goes: it keeps cookies, follows answers to forms, and says where it comes from."""

from __future__ import annotations

import http.client
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import unescape
from urllib.parse import urlencode

from tests.waiting import PATIENCE

ORIGIN = "http://localhost"
BOUNDARY = "----a-boundary"


@dataclass(slots=True)
class Page:
    """An answer: `path` is where it came from, behind all redirects."""

    status: int
    path: str
    text: str
    headers: dict[str, str]

    @property
    def words(self) -> str:
        """Return what a reader sees, without tags, on one line."""
        body = re.sub(r"<(script|style|title).*?</\1>", " ", self.text, flags=re.DOTALL)
        body = re.sub(r"</?(code|time)\b[^>]*>", "", body)
        return " ".join(unescape(re.sub(r"<[^>]*>", " ", body)).split())


@dataclass(slots=True)
class Browser:
    """One person's browser, at the service that listens on `port`."""

    port: int
    cookies: dict[str, str] = field(default_factory=dict)

    @property
    def origin(self) -> str:
        """The service as this browser knows it."""
        return f"{ORIGIN}:{self.port}"

    def get(self, path: str, **headers: str) -> Page:
        """Open an address, and go where it leads."""
        return self.ask("GET", path, None, headers)

    def post(self, path: str, form: dict[str, str] | None = None, **headers: str) -> Page:
        """Send a form of a page of the service, and go where the answer leads."""
        return self.ask("POST", path, form or {}, {"Sec-Fetch-Site": "same-origin", **headers})

    def upload(self, path: str, parts: Sequence[tuple[str, bytes]]) -> Page:
        """Send a form with files, each part as what is said of it and its data; go where the answer leads."""
        body = b"".join(
            f"--{BOUNDARY}\r\nContent-Disposition: form-data; {about}\r\n\r\n".encode() + data + b"\r\n"
            for about, data in parts
        )
        kind = {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}", "Sec-Fetch-Site": "same-origin"}
        page = self.once("POST", path, body + f"--{BOUNDARY}--\r\n".encode(), kind)
        return self.get(page.headers["location"]) if page.status == 303 else page

    def ask(self, method: str, path: str, form: dict[str, str] | None, headers: dict[str, str]) -> Page:
        """Ask, and follow up to five redirects as browsers do: behind a 303 with GET."""
        for _ in range(6):
            page = self.once(method, path, form, headers)
            if page.status not in {303, 307}:
                return page
            path, method, form = page.headers["location"], "GET", None
        raise AssertionError(f"it leads in a circle: {path}")

    def once(
        self, method: str, path: str, form: dict[str, str] | bytes | None, headers: dict[str, str]
    ) -> Page:
        """One request, with the cookies that were set; those of the answer are kept."""
        connection = self.connection()
        sent = {
            "Host": f"localhost:{self.port}",
            **{name.replace("_", "-"): text for name, text in headers.items()},
        }
        if self.cookies:
            sent.setdefault("Cookie", "; ".join(f"{name}={text}" for name, text in self.cookies.items()))
        body: str | bytes | None = form if isinstance(form, bytes) else None
        if isinstance(form, dict):
            sent.setdefault("Content-Type", "application/x-www-form-urlencoded")
            body = urlencode(form)
        connection.request(method, path, body, sent)
        answer = connection.getresponse()
        for name, value in answer.getheaders():
            if name.lower() == "set-cookie":
                self._keep(value)
        found = {name.lower(): value for name, value in answer.getheaders()}
        page = Page(answer.status, path, answer.read().decode(), found)
        connection.close()
        return page

    def connection(self) -> http.client.HTTPConnection:
        """A connection to the service, for one request."""
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)

    def _keep(self, header: str) -> None:
        name, _, text = header.partition(";")[0].partition("=")
        if text:
            self.cookies[name] = text
        else:
            self.cookies.pop(name, None)


def form_of(page: Page) -> dict[str, str]:
    """Return what the editor's form would send, as browsers do: line ends are CR LF."""
    hidden = dict(re.findall(r'<input type="hidden" name="(\w+)" value="(.*?)">', page.text))
    areas = dict(re.findall(r'<textarea[^>]* name="(\w+)"[^>]*>\n(.*?)</textarea>', page.text, re.DOTALL))
    areas |= dict(re.findall(r'<textarea name="(\w+)"[^>]*>\n(.*?)</textarea>', page.text, re.DOTALL))
    return {
        name: unescape(value).replace("\r\n", "\n").replace("\n", "\r\n")
        for name, value in (hidden | areas).items()
    }
