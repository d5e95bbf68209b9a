"""All addresses of the dashboard, by area."""

from __future__ import annotations

from aiohttp import web

from server.dashboard import (
    account_pages,
    activity_pages,
    authenticator_pages,
    database_key_pages,
    database_pages,
    link_pages,
    mail_pages,
    operator_pages,
    sign_in_pages,
)
from server.dashboard.pages import see
from server.dashboard.visit import DashboardRoute, Need, Visit


async def _home(_: Visit) -> web.StreamResponse:
    return see(database_pages.DATABASES)


ROUTES = (
    DashboardRoute("GET", "/", Need.SESSION, _home),
    *sign_in_pages.ROUTES,
    *link_pages.ROUTES,
    *mail_pages.ROUTES,
    *database_key_pages.ROUTES,
    *database_pages.ROUTES,
    *activity_pages.ROUTES,
    *account_pages.ROUTES,
    *authenticator_pages.ROUTES,
    *operator_pages.ROUTES,
)
