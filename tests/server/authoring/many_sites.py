"""The authoring API of several sites in one application, in a thread of the test."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from aiohttp import web
from msgspec import Struct, field

from server.api.guard import Gate, api_guard
from server.api.routes import add_routes
from server.authoring.site_apis import hosted_api
from server.authoring.site_key_limits import ClientLimits
from server.authoring.site_work import SiteWork, open_site_work
from server.control.accounts.account import Account
from server.control.audit import By
from server.control.hosted_sites import HostedSite
from server.control.keys.key_text import KeyKind
from server.control.plans import PLANS, Plans
from server.control.sqlite.database import ControlDatabase
from server.http.limits import RateLimit
from tests.server.app_thread import served
from tests.server.authoring.schema import DESCRIBED
from tests.server.control.fresh_data import open_fresh
from tests.server.control.people import account
from tests.server.http_client import request as http_request

BASE = "/api/v1/pages"
OWNER = By("session of the test")
DESK = "https://app.example.net"
"""Where the dashboard would be."""


class ManySites(Struct):
    """A running application."""

    port: int
    database: ControlDatabase
    work: SiteWork
    ann: Account
    bob: Account
    faults: list[str] = field(default_factory=list)

    def site(self, owner: Account, name: str) -> tuple[HostedSite, str]:
        """A new site, and a key of it."""
        site = self.work.create(owner.id, name, OWNER)
        return site, self.work.keys.create(KeyKind.LONG_LIVED, site.id, "", OWNER).text

    def ask(self, method: str, path: str, key: str, body: object = None) -> tuple[int, Any]:
        """Status and JSON of an answer, which must be as the document says."""
        sent = None if body is None else json.dumps(body).encode()
        headers = [("Authorization", f"Bearer {key}")]
        status, found, data = http_request(self.port, method, f"{BASE}{path}", headers, sent)
        DESCRIBED.check(method, f"{BASE}{path}", status, found, data)
        return status, json.loads(data)

    def titles(self, key: str) -> dict[str, str]:
        """The pages of the key's site, as the API lists them."""
        status, answer = self.ask("GET", "/ai/site", key)
        assert status == 200, answer
        return {page["path"]: page["title"] for page in answer["data"]["pages"]}


@contextmanager
def many_sites(data: Path, limits: ClientLimits | None = None, plans: Plans = PLANS) -> Iterator[ManySites]:
    """The application on a data folder, with two accounts."""
    with (
        closing(open_fresh(data)) as database,
        open_site_work(database, data, plans) as work,
    ):
        found = ManySites(0, database, work, account(database), account(database, "bob@example.com"))
        with served(_app(found, limits or ClientLimits())) as found.port:
            yield found
        assert not found.faults


def _app(found: ManySites, limits: ClientLimits) -> web.Application:

    def preview_root(id: str) -> str:
        return f"{DESK}/sites/{found.work.sites.get(id).name}/preview"

    apis = (hosted_api(found.work, limits, RateLimit(), preview_root=preview_root),)
    app = web.Application(
        middlewares=[api_guard(Gate(apis, lambda _: True, lambda _: None, found.faults.append))]
    )
    add_routes(app, apis)
    return app
