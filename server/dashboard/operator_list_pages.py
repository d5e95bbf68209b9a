"""The operator's first pages: all accounts with what they use, and what is being published on all sites."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from aiohttp import web
from msgspec import Struct

from server.control.accounts.account import Account
from server.dashboard.health_pages import health_lines
from server.dashboard.operator_pages import OPERATOR
from server.dashboard.visit import DashboardRoute, Need, Visit, page_number
from server.sites.account_usage import AccountUsage

JOBS = f"{OPERATOR}/jobs"
SHOWN = 100
"""Accounts on one page, and jobs of a kind."""
DAY = 24 * 3600
_NONE = AccountUsage()


class UsedAccount(Struct, frozen=True):
    """An account, and what it uses."""

    account: Account
    usage: AccountUsage


_SORTS: Mapping[str, Callable[[UsedAccount], Any]] = {
    "email": lambda one: one.account.email.casefold(),
    "plan": lambda one: one.account.plan,
    "sites": lambda one: one.usage.sites,
    "databases": lambda one: one.usage.databases,
    "used": lambda one: one.usage.bytes,
    "seen": lambda one: one.usage.signed_in_at,
    "created": lambda one: one.account.created_at,
}
_FALLING = frozenset({"sites", "databases", "used", "seen"})
"""Columns whose largest values come first, unless the other order is asked for."""
_SHOWS: Mapping[str, Callable[[UsedAccount], bool]] = {
    "suspended": lambda one: one.account.suspended,
    "deleted": lambda one: one.account.delete_at is not None,
    "premium": lambda one: one.account.plan == "premium",
    "operators": lambda one: one.account.operator,
    "unseen": lambda one: not one.usage.signed_in_at,
}


class _Column(Struct, frozen=True):
    """A column by which accounts can be sorted: the address that does so, and how they are sorted now."""

    label: str
    address: str
    sorted: str = ""


class _Wanted(Struct, frozen=True):
    """The accounts that are asked for, and their order, as the address of the page has them."""

    find: str
    show: str
    sort: str
    order: str

    @classmethod
    def of(cls, query: Mapping[str, str]) -> _Wanted:
        """Take what the address has; a column that there is not is the day of creation."""
        find, show, sort, order = (query.get(name, "") for name in ("find", "show", "sort", "order"))
        return cls(find, show, sort if sort in _SORTS else "created", order)

    @property
    def falls(self) -> bool:
        """True if the largest values come first."""
        return (self.order == "turned") != (self.sort in _FALLING)

    def chosen(self, used: Iterable[UsedAccount]) -> list[UsedAccount]:
        """Return the accounts that fit, in order."""
        fits = (one for one in used if _fits(one, self.find.strip(), self.show))
        return sorted(fits, key=_SORTS[self.sort], reverse=self.falls)

    def page_link(self, number: int) -> str:
        """Return the address of a page of the same list."""
        values = {"find": self.find, "show": self.show, "sort": self.sort, "order": self.order}
        return _address({**values, "page": number})


async def accounts(visit: Visit) -> web.StreamResponse:
    """Show accounts with what they use: those that match a search, in the order that is asked for."""
    desk, wanted = visit.desk, _Wanted.of(visit.request.query)
    every, usage, measured = await desk.sites.do(
        lambda: (desk.accounts.list(), desk.usage.usage(), desk.usage.measured().at)
    )
    used = [UsedAccount(one, usage.get(one.id, _NONE)) for one in every]
    fits = wanted.chosen(used)
    number, pages = page_number(visit.request.query.get("page", ""), len(fits), SHOWN)
    lines = await health_lines(desk)
    jobs = await desk.sites.do(lambda: desk.publishing.jobs.counts(int(time.time()) - DAY))
    return visit.show(
        "operator.html",
        here=OPERATOR,
        shown=fits[(number - 1) * SHOWN : number * SHOWN],
        found=len(fits),
        every=len(used),
        total=sum(one.usage.bytes for one in used),
        find=wanted.find,
        show=wanted.show if wanted.show in _SHOWS else "",
        columns=_columns(wanted),
        number=number,
        pages=pages,
        page_link=wanted.page_link,
        measured=measured,
        jobs=jobs,
        act=sum(line.state == "bad" for line in lines),
        look=sum(line.state == "warn" for line in lines),
    )


async def jobs(visit: Visit) -> web.StreamResponse:
    """Show what waits to be published on all sites, what is being published, and what failed within a day."""
    since = int(time.time()) - DAY
    found = await visit.desk.sites.do(lambda: visit.desk.publishing.jobs.of_service(since, SHOWN))
    return visit.show("operator-jobs.html", here=OPERATOR, jobs=found, most=SHOWN)


def _fits(one: UsedAccount, wanted: str, show: str) -> bool:
    is_shown = show not in _SHOWS or _SHOWS[show](one)
    return is_shown and (wanted.casefold() in one.account.email.casefold() or wanted == one.account.id)


def _columns(wanted: _Wanted) -> Mapping[str, _Column]:
    labels: Sequence[tuple[str, str]] = (
        ("email", "Address"),
        ("plan", "Plan"),
        ("sites", "Sites"),
        ("databases", "Databases"),
        ("used", "Used"),
        ("seen", "Last sign-in"),
        ("created", "Created"),
    )
    return {name: _column(name, label, wanted) for name, label in labels}


def _column(name: str, label: str, wanted: _Wanted) -> _Column:
    is_turned = wanted.falls != (name in _FALLING)
    order = "turned" if name == wanted.sort and not is_turned else ""
    now = ("descending" if wanted.falls else "ascending") if name == wanted.sort else ""
    link = _address({"find": wanted.find, "show": wanted.show, "sort": name, "order": order})
    return _Column(label, link, now)


def _address(query: Mapping[str, object]) -> str:
    return f"{OPERATOR}?{urlencode({name: said for name, said in query.items() if said})}"


ROUTES = (
    DashboardRoute("GET", OPERATOR, Need.OPERATOR, accounts),
    DashboardRoute("GET", JOBS, Need.OPERATOR, jobs),
)
