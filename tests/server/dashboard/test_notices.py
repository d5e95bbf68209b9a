"""Notices of an account in the dashboard: webhooks, mails, and publishing by itself."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path

import pytest

from server.control.keys.key_text import KeyKind
from server.control.notices.deliveries import Notices
from server.control.notices.webhooks import MOST
from server.dashboard.mails import MailSettings
from server.dashboard.notice_pages import send_notice
from server.webhooks.courier import Couriers
from tests.server.dashboard.browser import Browser
from tests.server.dashboard.conftest import Dashboard, running
from tests.server.dashboard.publishing import ended, site_of
from tests.server.dashboard.test_mails import KEEP
from tests.server.webhooks.receiver import FINE, Receiver, answering, receiver
from tests.sites import write_site
from tests.waiting import until

ANN = "ann@example.com"
NOTICES, HOOKS = "/account/notices", "/account/webhooks"
SITE = "/sites/quay-docs"


@pytest.fixture
def ann(dashboard: Dashboard) -> Browser:
    return owner(dashboard)


def owner(dashboard: Dashboard) -> Browser:
    """A browser of an owner with a site."""
    dashboard.account(ANN)
    browser = dashboard.signed_in(ANN)
    browser.post("/sites", {"name": "quay-docs"})
    return browser


@contextmanager
def delivering(dashboard: Dashboard) -> Iterator[None]:
    """Deliver notices for the time of the block, as the service does."""
    desk, told = dashboard.desk, list[str]()
    mail = partial(send_notice, desk)
    with closing(Couriers(Notices(desk.database), desk.webhooks, mail, told.append, private=True)) as made:
        made.start()
        yield
    assert told == []


@pytest.fixture
def hook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Receiver]:
    """A receiver whose certificate is trusted."""
    with receiver(tmp_path, answering(FINE)) as found:
        monkeypatch.setenv("SSL_CERT_FILE", str(found.authority))
        yield found


def hook_id(browser: Browser) -> str:
    """The id of the one webhook."""
    (id,) = re.findall(rf"{HOOKS}/(\w+)/delete", browser.get(NOTICES).text)
    return str(id)


def test_a_webhook_is_created_tested_and_deleted(dashboard: Dashboard, ann: Browser, hook: Receiver) -> None:
    assert "There is none yet" in ann.get(NOTICES).words
    made = ann.post(HOOKS, {"url": hook.url})
    assert re.search(r"whsec_[0-9A-Za-z]{40}", made.text)
    assert "whsec_" not in ann.get(NOTICES).text
    assert hook.url in ann.get(NOTICES).words
    with delivering(dashboard):
        ann.post(f"{HOOKS}/{hook_id(ann)}/test")
        until(lambda: "Delivered" in ann.get(NOTICES).words)
    assert json.loads(hook.received[0].body)["event"] == "test"
    ann.post(f"{HOOKS}/{hook_id(ann)}/delete")
    assert "There is none yet" in ann.get(NOTICES).words
    said = ann.get("/activity").words
    assert "Webhook created" in said
    assert "Webhook deleted" in said


def test_what_cannot_be_a_webhook_is_said_beside_its_field(ann: Browser) -> None:
    page = ann.post(HOOKS, {"url": 'http://"><script>x</script>'})
    assert page.status == 422
    assert "https://" in page.words
    assert "<script>x" not in page.text
    for number in range(MOST):
        assert ann.post(HOOKS, {"url": f"https://example.com/{number}"}).status == 200
    assert 'name="url"' not in ann.get(NOTICES).text
    page = ann.post(HOOKS, {"url": "https://example.com/more"})
    assert (page.status, f"An account has at most {MOST} webhooks" in page.words) == (422, True)


def test_a_publish_that_fails_is_told(dashboard: Dashboard, ann: Browser, hook: Receiver) -> None:
    ann.post(HOOKS, {"url": hook.url})
    write_site(dashboard.desk.sites.opened.root(site_of(dashboard).id), {"docs/a.md": "[x](/docs/nowhere)\n"})
    with delivering(dashboard):
        job = ended(ann, ann.post(f"{SITE}/publish")).path.rpartition("/")[2]
        until(lambda: hook.received)
    told = json.loads(hook.received[0].body)
    assert told["event"] == "publish.failed"
    assert (told["data"]["site"], told["data"]["job"]) == ("quay-docs", int(job))
    assert told["data"]["why"] == "the site has 1 error, so it was not published"


def test_mails_are_sent_where_the_operator_has_a_command(tmp_path: Path) -> None:
    folder = tmp_path / "post"
    folder.mkdir()
    mail = MailSettings((sys.executable, "-c", KEEP, str(folder)), "Twinpress <docs@example.com>")
    with running(tmp_path / "data", mail=mail) as dashboard, delivering(dashboard):
        ann = owner(dashboard)
        assert "Off" in ann.get(NOTICES).words
        assert "You get mails." in ann.post("/account/mails", {"on": "on"}).words
        write_site(dashboard.desk.sites.opened.root(site_of(dashboard).id), {"docs/a.md": "[x](/docs/no)\n"})
        ended(ann, ann.post(f"{SITE}/publish"))
        until(lambda: list(folder.glob("*.mail")))
        assert "no mails any more" in ann.post("/account/mails").words
    (sent,) = (path.read_text() for path in folder.glob("*.mail"))
    assert f"To: {ANN}" in sent
    assert "Subject: A site was not published at localhost" in sent
    assert "quay-docs could not be published: the site has 1 error" in sent.replace("\n", " ")


def test_without_a_command_no_mails_can_be_turned_on(ann: Browser) -> None:
    assert "sends no mails" in ann.get(NOTICES).words
    assert ann.post("/account/mails", {"on": "on"}).status == 404


def test_the_owner_switches_publishing_by_itself_on_and_off(dashboard: Dashboard, ann: Browser) -> None:
    page = ann.get(f"{SITE}/publish")
    assert '<option value="nothing" selected>' in page.text
    done = ann.post(f"{SITE}/publish/by-itself", {"keys": "long_lived"})
    assert "What long-lived keys write is published by itself" in done.words
    assert "It begins when you have published the site" in done.words
    assert dashboard.desk.sites.choices.of(site_of(dashboard).id).publishes_after == "long_lived"
    ended(ann, ann.post(f"{SITE}/publish"))
    words = ann.get(f"{SITE}/publish").words
    assert "It begins when" not in words
    assert "A key has written" not in words
    choices, site = dashboard.desk.sites.choices, site_of(dashboard).id
    kind = KeyKind.LONG_LIVED
    choices.end_write(choices.begin_write(site, "key_ci", kind), site, "key_ci", kind)
    words = ann.get(f"{SITE}/publish").words
    assert re.search(r"A key has written: the site is published by itself at \d\d:\d\d:\d\d\.", words), words
    assert dashboard.desk.publishing.jobs.ask_by_itself(site, online=True)
    last = dashboard.desk.publishing.jobs.last(site)
    failed = ended(ann, ann.get(f"{SITE}/publish/{last.number}" if last else ""))  # nobody has that key
    assert f'<a href="{SITE}/publish">Look at the changes</a>' in failed.text
    assert ann.post(f"{SITE}/publish/by-itself", {"keys": "everybody"}).status == 400
    ann.post(f"{SITE}/publish/by-itself", {"keys": "nothing"})
    assert dashboard.desk.sites.choices.of(site_of(dashboard).id).publishes_after == "nothing"
    said = ann.get("/activity").words
    assert "Publishing after writes switched on" in said
    assert "Publishing after writes switched off" in said
