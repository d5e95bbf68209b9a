"""Notices from the event to whoever is told: once, again after a failure, and whatever ends in between."""

from __future__ import annotations

import json
import ssl
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from msgspec import Struct, field

from builder.errors import TwinpressError
from server.control.audit import By, events
from server.control.notices.deliveries import EACH, KEPT, MOST_WAITING, TAKEN, WAITS, Notices
from server.control.notices.events import (
    DomainBroken,
    DomainMended,
    NoticeEvent,
    PublishFailed,
    TestNotice,
    from_body,
    to_body,
)
from server.control.notices.webhooks import MOST, InvalidWebhook, WebhookNotFound, Webhooks, check_url
from server.control.sealing import Keyring, open_keyring, rotation
from server.control.sealing.key_file import KeyFile
from server.control.sqlite.data_folder import open_data
from server.control.sqlite.database import ControlDatabase
from server.webhooks.courier import COURIERS, Couriers
from tests.server.control.people import account
from tests.server.webhooks.receiver import FINE, Receiver, answering, receiver
from tests.waiting import until

OWNER = By("session abc")
FAILED = PublishFailed("quay-docs", 12, "the site has 1 error, so it was not published")
REFUSED = b"HTTP/1.1 500 Oh\r\n\r\n"


class Told(Struct):
    """A service's data with an account, whose time stands still."""

    database: ControlDatabase
    keyring: Keyring
    account: str
    now: float = 1_000_000.0
    mails: list[tuple[str, NoticeEvent]] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    @property
    def notices(self) -> Notices:
        """The notices of all accounts."""
        return Notices(self.database, lambda: self.now)

    @property
    def webhooks(self) -> Webhooks:
        """The webhooks of all accounts."""
        return Webhooks(self.database, self.keyring, lambda: self.now)

    @contextmanager
    def couriers(self, *, private: bool = True) -> Iterator[None]:
        """Deliver for the time of the block."""

        def mail(account: str, event: NoticeEvent) -> None:
            if self.faults == ["no mails"]:
                raise TwinpressError("the service sends no mails")
            self.mails.append((account, event))

        made = Couriers(self.notices, self.webhooks, mail, self.faults.append, private=private)
        with closing(made):
            made.start()
            yield

    def state(self) -> tuple[str, int | None, int]:
        """Return the state of the last notice to the one webhook, and how often it was tried."""
        last = self.webhooks.list(self.account)[0].last
        assert last is not None
        return last.state, last.status, last.attempts


@pytest.fixture
def told(tmp_path: Path) -> Iterator[Told]:
    with closing(open_data(tmp_path / "data")) as database:
        found = Told(database, open_keyring(database, tmp_path / "data"), account(database).id)
        yield found
    assert found.faults in ([], ["no mails"])


@pytest.fixture
def hook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Receiver]:
    """A receiver that takes what comes, and whose certificate is trusted."""
    with receiver(tmp_path, answering(FINE)) as found:
        monkeypatch.setenv("SSL_CERT_FILE", str(found.authority))
        yield found


def test_an_event_arrives_once_at_every_webhook_of_the_account(told: Told, hook: Receiver) -> None:
    other = account(told.database, "bob@example.com").id
    for owner in (told.account, told.account, other):
        told.webhooks.create(owner, hook.url, OWNER)
    with told.couriers(), told.couriers():
        told.notices.notify(told.account, FAILED)
        until(lambda: len(hook.received) == 2)
        until(lambda: told.state() == ("delivered", 200, 1))
    assert len(hook.received) == 2
    body = json.loads(hook.received[0].body)
    assert body["event"] == "publish.failed"
    assert body["data"] == {
        "site": "quay-docs",
        "job": 12,
        "why": "the site has 1 error, so it was not published",
        "by_itself": False,
    }
    assert body["at"] == "1970-01-12T13:46:40Z"
    assert json.loads(hook.received[1].body) == body
    assert told.mails == []


def test_what_was_refused_is_tried_again_and_given_up_at_last(
    told: Told, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with receiver(tmp_path, answering(REFUSED)) as found, told.couriers():
        monkeypatch.setenv("SSL_CERT_FILE", str(found.authority))
        told.webhooks.create(told.account, found.url, OWNER)
        told.notices.notify(told.account, FAILED)
        waits = "SELECT attempts FROM notices WHERE taken_until = 0 AND status = 500"
        for tries, wait in enumerate(WAITS, 1):
            until(lambda tries=tries: told.database.read(waits) == [(tries,)])
            told.now += wait
        until(lambda: told.state() == ("failed", 500, len(WAITS) + 1))
        told.now += 10 * WAITS[-1]
    assert len(found.received) == len(WAITS) + 1
    assert len({one.body for one in found.received}) == 1


def test_a_redirect_is_not_followed(told: Told, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    moved = b"HTTP/1.1 307 Moved\r\nLocation: https://127.0.0.1/\r\n\r\n"
    with receiver(tmp_path, answering(moved)) as found, told.couriers():
        monkeypatch.setenv("SSL_CERT_FILE", str(found.authority))
        told.webhooks.create(told.account, found.url, OWNER)
        told.notices.notify(told.account, FAILED)
        until(lambda: told.state() == ("waiting", 307, 1))
        last = told.webhooks.list(told.account)[0].last
    assert last is not None
    assert last.said == "it leads elsewhere, where it is not followed"
    assert len(found.received) == 1


def test_without_the_operators_leave_nothing_near_is_called(told: Told, hook: Receiver) -> None:
    told.webhooks.create(told.account, hook.url, OWNER)
    with told.couriers(private=False):
        told.notices.notify(told.account, FAILED)
        until(lambda: told.state() == ("waiting", None, 1))
    last = told.webhooks.list(told.account)[0].last
    assert last is not None
    assert last.said == "the host has an address that is not public"
    assert hook.received == []


def test_a_notice_of_a_process_that_was_killed_is_anothers_after_a_while(told: Told, hook: Receiver) -> None:
    told.webhooks.create(told.account, hook.url, OWNER)
    told.notices.notify(told.account, FAILED)
    taken = told.notices.take()  # and nothing comes of it
    assert taken is not None
    assert told.notices.take() is None
    told.now += TAKEN
    with told.couriers():
        until(lambda: told.state() == ("delivered", 200, 2))


def test_a_webhook_that_is_deleted_while_it_is_called_leaves_nothing(told: Told, tmp_path: Path) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def slowly(opened: ssl.SSLSocket) -> None:
        begun.set()
        go_on.wait(5)
        opened.sendall(FINE)

    with receiver(tmp_path, slowly) as found, pytest.MonkeyPatch.context() as patch, told.couriers():
        patch.setenv("SSL_CERT_FILE", str(found.authority))
        made, _ = told.webhooks.create(told.account, found.url, OWNER)
        told.notices.notify(told.account, FAILED)
        assert begun.wait(10)
        told.webhooks.delete(told.account, made.id, OWNER)
        go_on.set()
    assert told.database.read("SELECT COUNT(*) FROM notices") == [(0,)]


def test_an_account_may_have_mails_too(told: Told) -> None:
    told.notices.notify(told.account, FAILED)
    told.webhooks.choose_mails(told.account, OWNER, on=True)
    told.webhooks.choose_mails(told.account, OWNER, on=True)
    with told.couriers():
        told.notices.notify(told.account, FAILED)
        until(lambda: told.mails)
        until(lambda: not told.database.read("SELECT 1 FROM notices WHERE state = 'waiting'"))
    assert told.mails == [(told.account, FAILED)]
    told.webhooks.choose_mails(told.account, OWNER, on=False)
    assert not told.webhooks.mails(told.account)


def test_a_mail_that_cannot_be_sent_waits(told: Told) -> None:
    told.webhooks.choose_mails(told.account, OWNER, on=True)
    told.faults.append("no mails")
    with told.couriers():
        told.notices.notify(told.account, FAILED)
        until(lambda: told.database.read("SELECT 1 FROM notices WHERE said = 'the service sends no mails'"))


def test_what_fails_by_our_own_fault_is_given_up_at_last(told: Told) -> None:
    def break_down(*_: object) -> None:
        raise ValueError("a bug")

    told.webhooks.choose_mails(told.account, OWNER, on=True)
    told.notices.notify(told.account, FAILED)
    ended = "SELECT state, attempts FROM notices WHERE taken_until = 0 AND attempts = ?"
    with closing(Couriers(told.notices, told.webhooks, break_down, told.faults.append)) as made:
        made.start()
        for tries, wait in enumerate(WAITS, 1):
            until(lambda tries=tries: told.database.read(ended, (tries,)))
            told.now += wait
        until(lambda: told.database.read("SELECT 1 FROM notices WHERE state = 'failed'"))
    assert {fault.partition(" (")[0] for fault in told.faults} == {
        "Delivering notices failed: ValueError: a bug"
    }
    told.faults.clear()


def test_accounts_take_turns(told: Told) -> None:
    other = account(told.database, "bob@example.com").id
    for owner in (told.account, other):
        told.webhooks.choose_mails(owner, OWNER, on=True)
    for _ in range(9):
        told.notices.notify(told.account, FAILED)
    told.notices.notify(other, FAILED)
    taken = [told.notices.take() for _ in range(4)]
    assert [one.account for one in taken if one] == [told.account] * EACH + [other]
    assert taken[0] is not None
    told.notices.delivered(taken[0])
    assert told.notices.take() is not None


def test_notices_arrive_though_the_clock_is_set_back(told: Told) -> None:
    told.webhooks.choose_mails(told.account, OWNER, on=True)
    told.notices.notify(told.account, FAILED)
    told.now -= 86_400
    first = told.notices.take()
    assert first is not None
    assert told.notices.take() is None
    told.now -= 86_400
    again = told.notices.take()
    assert again is not None
    assert again.number == first.number


def test_only_so_many_notices_of_an_account_wait_and_stay(told: Told) -> None:
    told.webhooks.create(told.account, "https://example.com/", OWNER)
    for _ in range(MOST_WAITING + 5):
        told.notices.notify(told.account, FAILED)
    waiting = "SELECT COUNT(*) FROM notices WHERE state = 'waiting'"
    assert told.database.read(waiting) == [(MOST_WAITING,)]
    while (taken := told.notices.take()) is not None:
        told.notices.delivered(taken, 200)
    assert told.database.read("SELECT COUNT(*) FROM notices") == [(KEPT,)]


def test_an_account_has_so_many_webhooks_and_only_its_own(told: Told) -> None:
    other = account(told.database, "bob@example.com").id
    made = [told.webhooks.create(told.account, f"https://example.com/{n}", OWNER)[0] for n in range(MOST)]
    with pytest.raises(InvalidWebhook, match="at most 5"):
        told.webhooks.create(told.account, "https://example.com/more", OWNER)
    with pytest.raises(WebhookNotFound):
        told.webhooks.delete(other, made[0].id, OWNER)
    told.notices.test(other, made[0].id, TestNotice())
    assert told.database.read("SELECT COUNT(*) FROM notices") == [(0,)]
    told.webhooks.delete(told.account, made[0].id, OWNER)
    assert {one.id for one in told.webhooks.list(told.account)} == {one.id for one in made[1:]}
    assert [each.action for each in events(told.database, told.account)].count("account.webhook.delete") == 1


def test_the_secret_is_sealed_and_survives_new_master_keys(told: Told, tmp_path: Path) -> None:
    made, secret = told.webhooks.create(told.account, "https://example.com/", OWNER)
    stored = str(told.database.read("SELECT secret FROM webhooks")[0][0])
    assert secret not in stored
    rotation.rotate(told.database, KeyFile(tmp_path / "data/master.keys"))
    assert rotation.rewrap(told.database, told.keyring) > 0
    assert told.webhooks.target(made.id) == ("https://example.com/", secret)


@pytest.mark.parametrize(
    "url",
    [
        "http://example.com/", "example.com", "", "https://", "https:///x", "https://example.com:0/",
        "https://example.com:99999/", "https://user:pass@example.com/", "https://user@example.com/",
        "https://example.com/#part", "https://example.com/a b", "https://example.com/\r\nHost: x",
        "https://ex\tample.com/", "https://exämple.com/", "https://[::1/", "file:///etc/passwd",
        f"https://example.com/{'x' * 500}",
    ],
)  # fmt: skip
def test_what_is_no_address_of_https_is_no_webhook(url: str) -> None:
    with pytest.raises(InvalidWebhook):
        check_url(url)


@pytest.mark.parametrize("url", ["https://example.com", "https://example.com:8443/a/b?c=d&e=%20"])
def test_an_address_of_https_is_one(url: str) -> None:
    assert check_url(f" {url}\n") == url


EVENTS: list[NoticeEvent] = [
    FAILED,
    DomainBroken("quay-docs", "docs.example.org", "the record is gone"),
    DomainMended("quay-docs", "docs.example.org"),
    TestNotice(),
]


@pytest.mark.parametrize("event", EVENTS)
def test_every_event_has_words_and_comes_back_from_its_json(event: NoticeEvent) -> None:
    body = to_body(event, "evt_1", 1_700_000_000)
    assert json.loads(body)["event"] == event.name
    assert from_body(body) == event
    assert all(event.paragraphs())


def test_a_fault_that_goes_on_is_not_told_each_second(told: Told) -> None:
    class Broken(Notices):
        """Notices that nobody can read, as where the disk is broken."""

        def take(self) -> None:
            tries.append(1)
            raise OSError(5, "Input/output error")

    tries: list[int] = []
    faults: list[str] = []
    broken = Broken(told.database, lambda: told.now)
    with closing(Couriers(broken, told.webhooks, lambda *_: None, faults.append)) as made:
        made.start()
        until(lambda: len(tries) > 2 * COURIERS)
    (fault,) = faults
    assert "Delivering notices failed: OSError: [Errno 5] Input/output error" in fault
