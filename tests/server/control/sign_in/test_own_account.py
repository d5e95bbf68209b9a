"""Changes that owners make to their own account."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from server.control import ControlDatabase
from server.control.accounts.account import Account
from server.control.accounts.own_account import RESTORABLE, OwnAccount
from server.control.accounts.passwords import Passwords
from server.control.audit import events
from server.control.errors import (
    EmailTaken,
    InvalidEmail,
    InvalidReason,
    LastOperator,
    LinkEnded,
    SessionEnded,
    WeakPassword,
    WrongPassword,
)
from server.control.sign_in.browser_sessions import BrowserSessions
from server.control.sign_in.one_time_links import OneTimeLinks, Purpose
from tests.server.control.clock import START, Clock
from tests.server.control.people import PASSWORD, QUICK, account, accounts

NEW = "another four odd words"


def own(database: ControlDatabase, owner: Account, session: str = "") -> OwnAccount:
    return OwnAccount(database, owner.id, session, Clock(), Passwords(QUICK))


def test_a_new_password_opens_and_the_old_one_does_not(database: ControlDatabase, owner: Account) -> None:
    own(database, owner).set_password(NEW)
    assert accounts(database).verify(owner.email, NEW) == owner
    with pytest.raises(WrongPassword):
        accounts(database).verify(owner.email, PASSWORD)
    assert events(database, owner.id, 1)[0].action == "account.password"


@pytest.mark.parametrize("change", ["set_password", "delete"])
def test_other_sessions_end_with_a_new_password_and_with_a_deletion(
    database: ControlDatabase, owner: Account, change: str
) -> None:
    sessions = BrowserSessions(database)
    this, other = sessions.begin(owner.id), sessions.begin(owner.id)
    theirs = sessions.begin(account(database, "other@example.com").id)
    getattr(own(database, owner, this.session.id), change)(*([NEW] if change == "set_password" else []))
    sessions.check(this.token)
    sessions.check(theirs.token)
    with pytest.raises(SessionEnded):
        sessions.check(other.token)
    sessions.close()


@pytest.mark.parametrize("act", [("set_password", NEW), ("set_email", "new@example.com"), ("delete",)])
def test_a_session_that_ends_meanwhile_changes_nothing(
    database: ControlDatabase, owner: Account, act: tuple[str, ...]
) -> None:
    sessions = BrowserSessions(database)
    thief, this = sessions.begin(owner.id), sessions.begin(owner.id)
    theirs = own(database, owner, thief.session.id)
    own(database, owner, this.session.id).set_password("a third of odd words")
    with pytest.raises(SessionEnded):
        getattr(theirs, act[0])(*act[1:])
    assert accounts(database).verify(owner.email, "a third of odd words") == owner
    sessions.check(this.token)
    sessions.close()


@pytest.mark.parametrize("act", [("set_password", NEW), ("set_email", "new@example.com")])
def test_links_from_before_a_change_open_nothing(
    database: ControlDatabase, owner: Account, act: tuple[str, ...]
) -> None:
    links = OneTimeLinks(database)
    purposes: tuple[Purpose, ...] = ("reset", "second")
    texts = {purpose: links.create(purpose, owner.id) for purpose in purposes}
    theirs = links.create("reset", account(database, "other@example.com").id)
    getattr(own(database, owner), act[0])(*act[1:])
    for purpose, text in texts.items():
        with pytest.raises(LinkEnded):
            links.look(purpose, text)
    links.look("reset", theirs)


@pytest.mark.parametrize("password", ["short", "password123", "me@example.com", "aaaaaaaaaaaa"])
def test_a_weak_password_changes_nothing(database: ControlDatabase, owner: Account, password: str) -> None:
    with pytest.raises(WeakPassword):
        own(database, owner).set_password(password)
    assert accounts(database).verify(owner.email, PASSWORD) == owner


def test_an_address_is_changed_unless_another_account_has_it(
    database: ControlDatabase, owner: Account
) -> None:
    other = account(database, "other@example.com")
    for email in ("other@example.com", "OTHER@example.com "):
        with pytest.raises(EmailTaken):
            own(database, owner).set_email(email)
    with pytest.raises(InvalidEmail):
        own(database, owner).set_email("me at home")
    assert own(database, owner).set_email("ME@example.com").email == "ME@example.com"
    assert own(database, owner).set_email("new@example.com").email == "new@example.com"
    assert accounts(database).verify("new@example.com", PASSWORD).id == owner.id
    assert own(database, other).set_email("me@example.com").email == "me@example.com"


def test_a_deletion_can_be_undone_and_its_time_does_not_move(
    database: ControlDatabase, owner: Account
) -> None:
    assert own(database, owner).delete().delete_at == int(START) + RESTORABLE
    later = OwnAccount(database, owner.id, clock=Clock(START + 60))
    assert later.delete().delete_at == int(START) + RESTORABLE
    assert later.restore().delete_at is None
    assert later.restore().delete_at is None
    assert [event.action for event in events(database, owner.id, 2)] == ["account.restore", "account.delete"]


def test_the_reason_of_a_suspension_is_kept_until_it_is_cleared(
    database: ControlDatabase, owner: Account
) -> None:
    found = accounts(database).suspend(owner.id, reason="  The invoice of May\n is open. ")
    assert (found.suspended, found.reason) == (True, "The invoice of May is open.")
    assert accounts(database).suspend(owner.id).reason == "The invoice of May is open."
    assert (
        accounts(database).suspend(owner.id, reason="Two invoices are open.").reason
        == "Two invoices are open."
    )
    cleared = accounts(database).clear(owner.id)
    assert (cleared.suspended, cleared.reason, cleared.suspensions) == (False, "", 2)


@pytest.mark.parametrize("reason", ["x" * 501, "svc_db_" + "a" * 46, "a\x00b", "\u202ereversed"])
def test_what_is_no_reason_suspends_nobody(database: ControlDatabase, owner: Account, reason: str) -> None:
    with pytest.raises(InvalidReason):
        accounts(database).suspend(owner.id, reason=reason)
    assert accounts(database).get(owner.id) == owner


def leave(database: ControlDatabase, account: Account) -> None:
    accounts(database).set_operator(account.id, False)


def end(database: ControlDatabase, account: Account) -> None:
    own(database, account).delete()


@pytest.mark.parametrize("act", [leave, end])
@pytest.mark.parametrize("other", ["nobody", "suspended", "to be deleted"])
def test_the_last_operator_stays_one(
    database: ControlDatabase, owner: Account, act: Callable[[ControlDatabase, Account], None], other: str
) -> None:
    accounts(database).set_operator(owner.id, True)
    if other != "nobody":
        two = accounts(database).create("two@example.com", PASSWORD, operator=True)
        own(database, two).delete() if other == "to be deleted" else accounts(database).suspend(two.id)
    before = accounts(database).get(owner.id)
    with pytest.raises(LastOperator):
        act(database, owner)
    assert accounts(database).get(owner.id) == before
    accounts(database).create("three@example.com", PASSWORD, operator=True)
    act(database, owner)
    assert accounts(database).get(owner.id) != before


def test_an_operator_is_one_until_they_are_none(database: ControlDatabase, owner: Account) -> None:
    accounts(database).create("two@example.com", PASSWORD, operator=True)
    assert not owner.operator
    for operator in (True, True, False):
        assert accounts(database).set_operator(owner.id, operator).operator is operator
    assert [event.action for event in events(database, owner.id, 2)] == ["account.operator"] * 2
