"""One request of a browser: who it is, and what the service has for it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from enum import IntEnum

from aiohttp import hdrs, web
from msgspec import Struct

from builder.errors import TwinpressError
from server.control.accounts.account import Account
from server.control.errors import SiteNotFound
from server.control.hosted_sites import HostedSite
from server.control.sign_in.browser_sessions import LIFE, BrowserSession, NewToken
from server.control.sign_in.sign_in import Client
from server.dashboard.desk import Desk
from server.dashboard.pages import here_of, menu, see
from server.dashboard.template_filters import capital
from server.http.failure import Failure

_NOT_DONE = "not done"
"""Kept with what a page says of something that was not done."""


class Need(IntEnum):
    """The demands of a route on who comes."""

    NOTHING = 0
    SESSION = 1
    STEP_UP = 2
    """A session whose owner was authenticated within the last minutes."""
    OPERATOR = 3
    STEPPED_UP_OPERATOR = 4


class Visit(Struct):
    """A request, with its session and account where it has one: None only where nothing is needed."""

    request: web.Request
    desk: Desk
    token: str = ""
    session: BrowserSession | None = None
    account: Account | None = None

    @property
    def who(self) -> Account:
        """Return who is signed in; only for routes that need a session."""
        if self.account is None:
            raise LookupError("the route needs no session")
        return self.account

    @property
    def client(self) -> Client:
        """Return who asks, for the list of sessions and the limits on attempts."""
        address = getattr(self.request.protocol, "address", "") or (self.request.remote or "")
        return Client(address, _client_name(self.request.headers.get("User-Agent", "")))

    @property
    def actor(self) -> str:
        """Return who asks for a change, for the record of what was done."""
        return f"session {self.session.id}" if self.session else ""

    def keep(self, secret: str) -> str:
        """Keep a text for the page that follows; returns the id for its address."""
        return self.desk.shown_once.keep(self.session.id if self.session else "", secret)

    def take(self, id: str) -> str | None:
        """Return a text that was kept for this session, once, and only where a page is shown with it."""
        if self.session is None or self.request.method != hdrs.METH_GET:
            return None
        return self.desk.shown_once.take(self.session.id, id)

    def did(self, path: str, said: str, link: str = "") -> web.Response:
        """Go on to a page that says what was done, and shows a link once if there is one."""
        kept = self.keep(f"{said}\n{link}")
        return see(f"{path}{'&' if '?' in path else '?'}done={kept}")

    def refused(self, path: str, said: str) -> web.Response:
        """Go on to a page that says what was not done, and why."""
        kept = self.keep(f"{said}\n\n{_NOT_DONE}")
        return see(f"{path}?done={kept}")

    def show(self, template: str, status: int = 200, **values: object) -> web.Response:
        """Return a page; `errors` and `given` are empty unless they are said."""
        done = self.request.query.get("done", "")
        said, link, mark = [*((self.take(done) if done else None) or "").split("\n", 2), "", ""][:3]
        site = values.get("site")
        opened, last = site.name if isinstance(site, HostedSite) else "", self._last_site()
        groups = menu(self.account, opened or last) if self.account else ()
        every: Mapping[str, object] = {
            "errors": {},
            "given": {},
            "account": self.account,
            "address": self.desk.address,
            "menu": groups,
            "here": here_of(groups, self.request.path),
            "sign_up": self.desk.sign_up,
            "done": said,
            "not_done": mark == _NOT_DONE,
            "link": link,
            **values,
        }
        frames = self.desk.previews.frame_source if self.desk.previews and values.get("framed") else ""
        response = self.desk.pages.show(template, every, status, frames)
        if opened and opened != last:
            self.desk.last_site.give(response, opened, LIFE)
        return response

    def _last_site(self) -> str:
        """Return the name of the site that was opened last, "" where there is none now."""
        name = self.desk.last_site.read(self.request)
        if not name or self.account is None:
            return ""
        try:
            site = self.desk.sites.sites.named(self.account.id, name)
        except SiteNotFound:
            return ""
        return site.name if site.delete_at is None else ""

    def enter(self, new: NewToken, path: str = "/") -> web.Response:
        """Give the browser the token of a session, and go on; one that it had before ends."""
        if self.session is not None and self.session.id != new.session.id:
            self.desk.sessions.end(self.session.account, self.session.id)
        response = see(path)
        self.desk.cookie.give(response, new.token, LIFE)
        return response


Act = Callable[[Visit], Awaitable[web.StreamResponse]]


class DashboardRoute(Struct, frozen=True):
    """One address: what it needs, and who answers."""

    method: str
    path: str
    need: Need
    act: Act


def page_number(asked: str, length: int, shown: int) -> tuple[int, int]:
    """Return the number of the page that is asked for, and of the last one of so many things."""
    last = max(1, -(-length // shown))
    if not asked.isdecimal():
        return 1, last
    return (last if len(asked) > len(str(last)) else min(max(int(asked), 1), last)), last


def sentence(error: TwinpressError | Failure) -> str:
    """Return an error with its way out, as a form says it."""
    hint = error.hint if isinstance(error, TwinpressError) else ""
    text = f"{error.message}: {hint}" if hint else error.message
    return f"{capital(text)}{'' if text.endswith(('.', '?')) else '.'}"


_BROWSERS = (
    ("Edg/", "Edge"),
    ("OPR/", "Opera"),
    ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"),
    ("CriOS/", "Chrome"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
    ("curl/", "curl"),
)
_SYSTEMS = (
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
)
"""The first that is found counts: browsers also name those that they are like."""


def _client_name(agent: str) -> str:
    """Return something like `Firefox on Linux`, "" for what nobody knows."""
    browser = next((name for part, name in _BROWSERS if part in agent), "")
    system = next((name for part, name in _SYSTEMS if part in agent), "")
    return " on ".join(filter(None, (browser, system)))
