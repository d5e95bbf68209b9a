"""An account that has one of everything that it can have, made in its browser as an owner makes it.

All that opens something is in `secrets`, all that names something of the account in `names`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html import unescape

import pyotp

from server.control.accounts.account import Account
from server.control.sign_in.one_time_links import OneTimeLinks
from server.control.sign_in.passkeys import Passkeys, PasskeySite
from server.control.sign_in.token import digest
from server.dashboard.domain_pages import DOMAIN
from server.dashboard.publish_pages import NUMBER
from tests.server.api.exchange import exchange
from tests.server.control.people import accounts
from tests.server.control.sign_in.device import Device
from tests.server.dashboard.browser import Browser, Page
from tests.server.service.hosting import Service
from tests.waiting import until

PAGES = "/api/v1/pages/ai"
KEY = re.compile(r"(?:dpk|svc_docs|svc_db)_[0-9A-Za-z]{46}")


@dataclass
class Owner:
    """One account of a service: `told` is a word that stands in each of its texts and labels."""

    service: Service
    told: str
    secrets: list[str] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)
    keys: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Make all of it."""
        self.email, self.password = f"{self.told}@example.com", f"{self.told}: four unrelated words"
        self.account: Account = accounts(self.service.database).create(self.email, self.password)
        self.browser = Browser(self.service.preview.port)
        self.site = f"{self.told}-docs"
        self.secrets += [self.password]
        self._sign_in()
        self._write_a_site()
        self._create_a_database()
        self._add_ways_to_sign_in()
        self._create_a_webhook()
        self.names |= {"account": self.account.id, "email": self.email, "site": self.site}
        self.secrets += [*self.keys.values(), self.browser.cookies["twinpress"]]
        self.service.secrets.update(self.secrets)

    def path(self, route: str) -> str:
        """An address of a route of the dashboard, for what this account has."""
        key = "site_key" if "{site" in route else "api_key"
        kinds = {
            "/sessions/": "session",
            "/passkeys/": "passkey",
            "/accounts/": "account",
            "/webhooks/": "webhook",
        }
        id = next((name for part, name in kinds.items() if part in route), key)
        found = route.replace("{id:db_[a-z2-7]+}", self.names["database"])
        found = found.replace("{site:[a-z0-9-]+}", self.site).replace("{id}", self.names[id])
        found = found.replace(DOMAIN, "docs.quayside.example").replace("{page:/.*}", "/docs/berths")
        found = found.replace(NUMBER, "1" if "/releases/" in route else self.job)
        return found + ("?path=docs/guide" if route.endswith("/category") else "?path=docs/berths")

    def _sign_in(self) -> None:
        other = Browser(self.service.preview.port)
        for browser in (other, self.browser):
            page = browser.post("/sign-in", {"email": self.email, "password": self.password})
            assert page.status == 200
        self.secrets.append(other.cookies["twinpress"])
        sql = "SELECT id FROM browser_sessions WHERE digest = ?"
        ((id,),) = self.service.database.read(sql, (digest(other.cookies["twinpress"]),))
        self.names["session"] = str(id)

    def _write_a_site(self) -> None:
        self.browser.post("/sites", {"name": self.site})
        home = f"/sites/{self.site}"
        self.browser.post(f"{home}/domains", {"domain": "docs.quayside.example"})
        for kind, label in (("one-off", ""), ("long-lived", f"{self.told} ci")):
            page = self.browser.post(f"{home}/keys", {"kind": kind, "label": label})
            self.keys[kind] = self._value(page)
        self.names["site_key"] = re.findall(r"/keys/(\w+)/delete", page.text)[0]
        body = {"path": "docs/berths", "body": f"Berths of {self.told}.\n"}
        reply = exchange(self.browser.port, "PUT", f"{PAGES}/page", self.keys["long-lived"], body)
        assert reply.status == 201, reply.body
        job = self.browser.post(f"{home}/publish").path
        until(lambda: "Readers have release" in self.browser.get(job).words)
        self.job = job.rpartition("/")[2]

    def _create_a_database(self) -> None:
        page = self.browser.post("/databases", {"name": f"{self.told}_orders"})
        self.secrets += re.findall(r'<code id="password">([^<]+)<', page.text)
        self.names["database"] = re.findall(r"/databases/(db_[a-z2-7]+)/", page.text)[0]
        page = self.browser.post("/databases/keys", {"label": f"{self.told} nightly"})
        self.keys["management"] = self._value(page)
        self.names["api_key"] = re.findall(r"/databases/keys/(\w+)/delete", page.text)[0]
        until(lambda: "Active" in self.browser.get("/databases").words)

    def _add_ways_to_sign_in(self) -> None:
        site = PasskeySite("localhost", self.browser.origin)
        device, passkeys = Device(site.origin, site.host), Passkeys(self.service.database, site)
        passkeys.create(self.account.id, device.make(passkeys.ask_to_create(self.account)))
        self.names["passkey"] = device.name
        page = self.browser.post("/account/codes")
        (secret,) = set(re.findall(r"\b[A-Z2-7]{32}\b", page.text))
        page = self.browser.post("/account/codes/confirm", {"code": pyotp.TOTP(secret).now()})
        recovery = re.findall(r"\b(?:[a-z2-7]{4}-){3}[a-z2-7]{4}\b", unescape(page.text))
        assert len(recovery) == 10
        link = OneTimeLinks(self.service.database).create("reset", self.account.id)
        self.secrets += [secret, *recovery, link]

    def _create_a_webhook(self) -> None:
        page = self.browser.post("/account/webhooks", {"url": f"https://{self.told}.example.com/hooks"})
        self.secrets += re.findall(r"whsec_[0-9A-Za-z]{40}", page.text)
        (self.names["webhook"],) = re.findall(r"/account/webhooks/(\w+)/delete", page.text)

    def _value(self, page: Page) -> str:
        """The value of a new key, from the one page that shows it."""
        (text,) = {found[0] for found in KEY.finditer(page.text)}
        return text
