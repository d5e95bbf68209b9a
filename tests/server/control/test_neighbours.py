"""Changes of an account change the rows that they are about: none of a neighbour's, no others of its own."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from argon2 import PasswordHasher

from server.control import ONE_OFF_SECONDS, KeyKind, audit, hosted_sites, preview_addresses
from server.control.accounts import deletion
from server.control.accounts.own_account import RESTORABLE
from server.control.audit import By
from server.control.errors import SessionEnded
from server.control.hosted_sites import NAME_KEPT
from server.control.keys.site_keys import KEPT_SECONDS
from server.control.sign_in import attempts, one_time_links, shown_once
from server.control.sign_in.attempts import Limit
from server.control.sign_in.browser_sessions import IDLE
from server.control.sign_in.passkeys import ASKED
from server.control.sqlite import saved_choice
from tests.server.control.hosted import INSERT
from tests.server.control.people import PASSWORD
from tests.server.control.sign_in.device import Device
from tests.server.control.street import HOST, Person, Street, street

Act = Callable[[Street], object]
Changes = dict[str, tuple[int, int]]

NOTED = {"audit": (0, 1)}
REMADE, MADE, GONE = (1, 1), (0, 1), (1, 0)


Built = tuple[Path, list[Person]]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """The street, built once: it takes many changes."""
    data = tmp_path_factory.mktemp("street") / "data"
    with street(data) as made:
        return data, [made.ann, made.bob]


@pytest.fixture
def row(built: Built, tmp_path: Path) -> Iterator[Street]:
    """A copy of the street."""
    data = tmp_path / "data"
    shutil.copytree(built[0], data)
    with street(data, built[1]) as made:
        yield made


def new_passkey(s: Street) -> None:
    made = Device(HOST.origin, HOST.host)
    s.passkeys.create(s.ann.id, made.make(s.passkeys.ask_to_create(s.ann.account)))


def used_link(s: Street) -> None:
    with s.database.change() as change:
        s.links.use(change, "reset", s.ann.link)


def key_used(s: Street) -> None:
    text = s.keys.rotate(s.ann.keys[0]).text
    s.keys.check(text)
    s.close()


ACTS: dict[str, tuple[Act, Changes]] = {
    "an account": (
        lambda s: s.accounts.create("cy@example.com", PASSWORD),
        {"accounts": MADE, **NOTED},
    ),
    "plan": (lambda s: s.accounts.set_plan(s.ann.id, "premium"), {"accounts": REMADE, **NOTED}),
    "operator": (lambda s: s.accounts.set_operator(s.ann.id, operator=True), {"accounts": REMADE, **NOTED}),
    "suspend": (lambda s: s.accounts.suspend(s.ann.id, reason="spam"), {"accounts": REMADE, **NOTED}),
    "email": (
        lambda s: s.own(s.ann).set_email("ann@example.org"),
        {"accounts": REMADE, "one_time_links": (2, 0), **NOTED},
    ),
    "password": (
        lambda s: s.own(s.ann).set_password("four other words that are odd"),
        {"accounts": REMADE, "one_time_links": (2, 0), "browser_sessions": GONE, "shown_once": GONE, **NOTED},
    ),
    "account deleted": (
        lambda s: s.own(s.ann).delete(),
        {"accounts": REMADE, "browser_sessions": GONE, "shown_once": GONE, **NOTED},
    ),
    "site": (lambda s: s.sites.create(s.ann.id, "ann-wiki", s.by(s.ann)), {"sites": MADE, **NOTED}),
    "site of a former name": (
        lambda s: s.sites.create(s.ann.id, "ann-blog", s.by(s.ann)),
        {"sites": MADE, "former_site_names": GONE, **NOTED},
    ),
    "site renamed": (
        lambda s: s.sites.rename(s.ann.sites[0], "ann-wiki", s.by(s.ann)),
        {"sites": REMADE, "former_site_names": MADE, **NOTED},
    ),
    "site named as before": (
        lambda s: s.sites.rename(s.ann.sites[1], "ann-blog", s.by(s.ann)),
        {"sites": REMADE, "former_site_names": REMADE, **NOTED},
    ),
    "site deleted": (
        lambda s: s.sites.delete(s.ann.sites[0], s.by(s.ann)),
        {"sites": REMADE, **NOTED},
    ),
    "site forgotten": (
        lambda s: s.sites.forget(s.ann.sites[0]),
        {"sites": GONE, "keys": (2, 0), "site_previews": GONE, "former_site_names": MADE},
    ),
    "site key": (
        lambda s: s.site_keys.create(KeyKind.ONE_OFF, s.ann.sites[0], by=s.by(s.ann)),
        {"keys": MADE, **NOTED},
    ),
    "site key rotated": (
        lambda s: s.site_keys.rotate(s.ann.site_keys[0], s.by(s.ann)),
        {"keys": REMADE, **NOTED},
    ),
    "site key disabled": (
        lambda s: s.site_keys.disable(s.ann.site_keys[0], s.by(s.ann)),
        {"keys": REMADE, **NOTED},
    ),
    "site key deleted": (
        lambda s: s.site_keys.delete(s.ann.site_keys[0], s.by(s.ann)),
        {"keys": GONE, **NOTED},
    ),
    "key rotated": (lambda s: s.keys.rotate(s.ann.keys[0]), {"management_keys": REMADE, **NOTED}),
    "key disabled": (lambda s: s.keys.disable(s.ann.keys[0]), {"management_keys": REMADE, **NOTED}),
    "key deleted": (lambda s: s.keys.delete(s.ann.keys[0]), {"management_keys": GONE, **NOTED}),
    "key used": (key_used, {"management_keys": REMADE, **NOTED}),
    "session": (lambda s: s.sessions.begin(s.ann.id), {"browser_sessions": MADE, **NOTED}),
    "step up": (lambda s: s.sessions.step_up(s.ann.tokens[0]), {"browser_sessions": REMADE, **NOTED}),
    "session ended": (
        lambda s: s.sessions.end(s.ann.id, s.ann.sessions[1]),
        {"browser_sessions": GONE, "shown_once": GONE, **NOTED},
    ),
    "session of somebody else": (lambda s: s.sessions.end(s.ann.id, s.bob.sessions[1]), {}),
    "others ended": (
        lambda s: s.sessions.end_others(s.ann.id, s.ann.sessions[0]),
        {"browser_sessions": GONE, "shown_once": GONE, **NOTED},
    ),
    "link": (lambda s: s.links.create("reset", s.ann.id), {"one_time_links": REMADE}),
    "link used": (used_link, {"one_time_links": GONE}),
    "code": (lambda s: s.codes.check(s.ann.id, s.code(s.ann)), {"time_codes": REMADE}),
    "recovery code": (
        lambda s: s.codes.check(s.ann.id, s.ann.recovery[3]),
        {"recovery_codes": GONE, **NOTED},
    ),
    "recovery codes": (lambda s: s.codes.renew_recovery(s.ann.id), {"recovery_codes": (10, 10)}),
    "codes off": (
        lambda s: s.codes.turn_off(s.ann.id),
        {"time_codes": GONE, "recovery_codes": (10, 0), **NOTED},
    ),
    "passkey": (new_passkey, {"passkeys": MADE, **NOTED}),
    "passkey used": (
        lambda s: s.passkeys.check(s.ann.device.sign(s.passkeys.ask_to_sign())),
        {"passkeys": REMADE},
    ),
    "passkey deleted": (
        lambda s: s.passkeys.delete(s.ann.id, s.ann.device.name),
        {"passkeys": GONE, **NOTED},
    ),
    "passkey of somebody else": (lambda s: s.passkeys.delete(s.ann.id, s.bob.device.name), {}),
    "secret": (lambda s: s.shown.take(s.ann.sessions[0], s.ann.shown), {"shown_once": GONE}),
    "secret of somebody else": (lambda s: s.shown.take(s.ann.sessions[0], s.bob.shown), {}),
    "preview": (
        lambda s: s.previews.label(s.ann.sessions[0], s.ann.sites[1]),
        {"site_previews": MADE},
    ),
    "attempt": (lambda s: s.attempts.take([Limit("password:ann", 9, 60)]), {"attempts": REMADE}),
    "attempts forgiven": (lambda s: s.attempts.forgive("password:ann"), {"attempts": GONE}),
    "choice": (lambda s: saved_choice.keep(s.database, "of ann", "2"), {"settings": REMADE}),
    "choice forgotten": (lambda s: saved_choice.forget(s.database, "of ann"), {"settings": GONE}),
}  # fmt: skip


@pytest.mark.parametrize("name", ACTS)
def test_a_change_is_of_its_own_rows_alone(row: Street, name: str) -> None:
    act, changes = ACTS[name]
    assert row.changed(act) == changes


LATER: dict[str, tuple[Act, Act, Changes]] = {
    "a suspension is cleared": (
        lambda s: [s.accounts.suspend(each.id) for each in (s.ann, s.bob)],
        lambda s: s.accounts.clear(s.ann.id),
        {"accounts": REMADE, **NOTED},
    ),
    "its reason is another one": (
        lambda s: [s.accounts.suspend(each.id, reason="spam") for each in (s.ann, s.bob)],
        lambda s: s.accounts.suspend(s.ann.id, reason="malware"),
        {"accounts": REMADE},
    ),
    "an account is restored": (
        lambda s: [s.own(each).delete() for each in (s.ann, s.bob)],
        lambda s: s.own(s.ann).restore(),
        {"accounts": REMADE, **NOTED},
    ),
    "a site is restored": (
        lambda s: [s.sites.delete(site, s.by(each)) for each in (s.ann, s.bob) for site in each.sites],
        lambda s: s.sites.restore(s.ann.sites[0], s.by(s.ann)),
        {"sites": REMADE, **NOTED},
    ),
    "a site key is enabled": (
        lambda s: [s.site_keys.disable(key) for each in (s.ann, s.bob) for key in each.site_keys],
        lambda s: s.site_keys.enable(s.ann.site_keys[0], s.by(s.ann)),
        {"keys": REMADE, **NOTED},
    ),
    "a key is enabled": (
        lambda s: [s.keys.disable(key) for each in (s.ann, s.bob) for key in each.keys],
        lambda s: s.keys.enable(s.ann.keys[0]),
        {"management_keys": REMADE, **NOTED},
    ),
    "a preview is asked for again": (
        lambda s: setattr(s.clock, "now", s.clock.now + 120),
        lambda s: s.previews.label(s.ann.sessions[0], s.ann.sites[0]),
        {"site_previews": REMADE},
    ),
    "a known place is seen again": (
        lambda s: setattr(s.clock, "now", s.clock.now + 120),
        lambda s: s.known.note(s.ann.id, "192.0.2.7"),
        {"known_blocks": REMADE},
    ),
    "an account is restored too late": (
        lambda s: [s.own(s.ann).delete(), setattr(s.clock, "now", s.clock.now + RESTORABLE)],
        lambda s: s.own(s.ann).restore(),
        {},
    ),
    "a site is restored too late": (
        lambda s: [
            s.sites.delete(s.ann.sites[0], s.by(s.ann)),
            setattr(s.clock, "now", s.clock.now + hosted_sites.RESTORABLE),
        ],
        lambda s: s.sites.restore(s.ann.sites[0], s.by(s.ann)),
        {},
    ),
    "a password that was hashed otherwise is right": (
        lambda s: [
            s.database.write("UPDATE accounts SET password_hash = ? WHERE id = ?", (old, each.id))
            for old in [PasswordHasher(time_cost=2, memory_cost=8, parallelism=1).hash(PASSWORD)]
            for each in (s.ann, s.bob)
        ],
        lambda s: s.accounts.verify("ann@example.com", PASSWORD),
        {"accounts": REMADE},
    ),
    "an account whose time is over still has a database": (
        lambda s: [
            s.own(s.ann).delete(),
            *(s.sites.forget(site) for site in s.ann.sites),
            s.database.write(INSERT, ("db_1", s.ann.id, 1, "x", "x", None, None)),
            setattr(s.clock, "now", s.clock.now + RESTORABLE),
        ],
        lambda s: deletion.delete_empty(s.database, int(s.clock())),
        {},
    ),
    "an account whose time is over still has sites": (
        lambda s: [s.own(s.ann).delete(), setattr(s.clock, "now", s.clock.now + RESTORABLE)],
        lambda s: deletion.delete_empty(s.database, int(s.clock())),
        {},
    ),
    "one that has none is deleted": (
        lambda s: [
            s.own(s.ann).delete(),
            *(s.sites.forget(site) for site in s.ann.sites),
            setattr(s.clock, "now", s.clock.now + RESTORABLE),
        ],
        lambda s: deletion.delete_empty(s.database, int(s.clock())),
        {
            "accounts": GONE, "browser_sessions": GONE, "former_site_names": (3, 0), "known_blocks": GONE,
            "management_keys": (2, 0), "one_time_links": (2, 0), "passkey_challenges": GONE, "passkeys": GONE,
            "recovery_codes": (10, 0), "shown_once": GONE, "time_codes": GONE,
        },
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", LATER)
def test_so_is_one_that_another_change_went_before(row: Street, name: str) -> None:
    first, act, changes = LATER[name]
    first(row)
    assert row.changed(act) == changes


SWEEPS: dict[str, tuple[Act, int, Changes]] = {
    "secrets": (lambda s: s.shown.forget_old(), shown_once.LIFE, {"shown_once": (4, 0)}),
    "questions to devices": (lambda s: s.passkeys.forget_old(), ASKED, {"passkey_challenges": (2, 0)}),
    "second steps": (
        lambda s: s.links.forget_old(),
        one_time_links.LIFE["second"],
        {"one_time_links": (2, 0)},
    ),
    "previews": (lambda s: s.previews.forget_old(), preview_addresses.LIFE, {"site_previews": (2, 0)}),
    "attempts": (
        lambda s: s.attempts.forget_old(),
        attempts.LONGEST + attempts.SLOT,
        {"attempts": (2, 0)},
    ),
    "sessions": (
        lambda s: s.sessions.forget_old(),
        IDLE,
        {"browser_sessions": (4, 0), "shown_once": (4, 0), "site_previews": (2, 0)},
    ),
    "former names": (lambda s: s.sites.forget_old_names(), NAME_KEPT, {"former_site_names": (2, 0)}),
    "known places": (lambda s: s.known.forget_old(), attempts.KNOWN_FOR, {"known_blocks": (2, 0)}),
    "events": (
        lambda s: audit.forget_old(s.database, int(s.clock())),
        audit.KEPT_SECONDS + 1,
        {"audit": (20, 0)},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SWEEPS)
def test_what_is_over_is_removed_and_nothing_before(row: Street, name: str) -> None:
    sweep, seconds, changes = SWEEPS[name]
    assert row.changed(sweep) == {}
    row.clock.now += seconds - 1
    assert row.changed(sweep) == {}
    row.clock.now += 1
    assert row.changed(sweep) == changes


def test_a_key_for_an_hour_is_removed_when_a_key_is_made_long_after(row: Street) -> None:
    for person in (row.ann, row.bob):
        row.site_keys.create(KeyKind.ONE_OFF, person.sites[0])
    row.clock.now += ONE_OFF_SECONDS + KEPT_SECONDS
    assert row.changed(lambda s: s.site_keys.create(KeyKind.LONG_LIVED, s.ann.sites[0])) == {"keys": MADE}
    row.clock.now += 1
    assert row.changed(lambda s: s.site_keys.create(KeyKind.LONG_LIVED, s.ann.sites[0])) == {"keys": (2, 1)}


def test_an_account_is_due_when_its_time_is_over_and_not_before(row: Street) -> None:
    now = int(row.clock())
    row.own(row.ann).delete()
    found = [deletion.due(row.database, now + seconds) for seconds in (0, RESTORABLE - 1, RESTORABLE)]
    assert found == [[], [], [row.ann.id]]


def test_what_is_read_is_of_its_owner(row: Street) -> None:
    for person, name in ((row.ann, "ann"), (row.bob, "bob")):
        assert row.accounts.find(f" {name.upper()}@example.com").id == person.id
        assert row.accounts.get(person.id).email == f"{name}@example.com"
        assert row.accounts.verify(f"{name}@example.com", PASSWORD).id == person.id
        assert [site.name for site in row.sites.list(person.id)] == [f"{name}-docs", f"{name}-news"]
        assert row.sites.named(person.id, f"{name}-docs").id == row.sites.get(person.sites[0]).id
        assert [key.id for key in row.keys.list(person.id)] == person.keys
        assert {key.id for key in row.site_keys.list(person.sites[0])} == set(person.site_keys)
        assert row.site_keys.list(person.sites[1]) == ()
        assert {one.id for one in row.sessions.of(person.id)} == set(person.sessions)
        assert [row.sessions.check(token).id for token in person.tokens] == person.sessions
        assert [one.id for one in row.passkeys.of(person.id)] == [person.device.name]
        assert row.passkeys.check(person.device.sign(row.passkeys.ask_to_sign())) == person.id
        assert row.links.look("reset", person.link).account == person.id
        assert (row.codes.state(person.id), row.codes.recovery_left(person.id)) == ("on", 10)
        assert {event.account for event in audit.events(row.database, person.id)} == {person.id}
        assert saved_choice.known(row.database, f"of {name}") == "1"
        assert saved_choice.chosen(row.database, f"of {name}", lambda: "2") == "1"
        assert saved_choice.chosen(row.database, f"new of {name}", lambda: "3") == "3"
        assert row.known.has(f"{name}@example.com", "192.0.2.99")
        assert not row.known.has(f"{name}@example.com", "198.51.100.1")


def refused() -> None:
    raise SessionEnded("you are signed out")


ENDED = By("somebody", refused)
NOT_ALLOWED: dict[str, Act] = {
    "create a site": lambda s: s.sites.create(s.ann.id, "ann-wiki", ENDED),
    "rename a site": lambda s: s.sites.rename(s.ann.sites[0], "ann-wiki", ENDED),
    "delete a site": lambda s: s.sites.delete(s.ann.sites[0], ENDED),
    "restore a site": lambda s: s.sites.restore(s.ann.sites[0], ENDED),
    "create a key": lambda s: s.site_keys.create(KeyKind.LONG_LIVED, s.ann.sites[0], by=ENDED),
    "rotate a key": lambda s: s.site_keys.rotate(s.ann.site_keys[0], ENDED),
    "disable a key": lambda s: s.site_keys.disable(s.ann.site_keys[0], ENDED),
    "enable a key": lambda s: s.site_keys.enable(s.ann.site_keys[0], ENDED),
    "delete a key": lambda s: s.site_keys.delete(s.ann.site_keys[0], ENDED),
    "email": lambda s: s.own(s.bob, s.ann.sessions[0]).set_email("ann@example.org"),
    "password": lambda s: s.own(s.bob, s.ann.sessions[0]).set_password("four other words that are odd"),
    "delete an account": lambda s: s.own(s.bob, s.ann.sessions[0]).delete(),
    "restore an account": lambda s: s.own(s.bob, s.ann.sessions[0]).restore(),
    "see a preview": lambda s: s.previews.label("ended", s.ann.sites[0]),
}


@pytest.mark.parametrize("name", NOT_ALLOWED)
def test_who_may_not_changes_nothing(row: Street, name: str) -> None:
    def tried(s: Street) -> None:
        with pytest.raises(SessionEnded):
            NOT_ALLOWED[name](s)

    assert row.changed(tried) == {}


@pytest.mark.parametrize(("seconds", "told"), [(0, "a secret"), (299, "a secret"), (300, None)])
def test_a_secret_is_shown_once_in_its_session_and_in_time(
    row: Street, seconds: int, told: str | None
) -> None:
    row.clock.now += seconds
    session, secret = row.ann.sessions[0], row.ann.shown
    for other in (row.ann.sessions[1], row.bob.sessions[0], ""):
        assert row.shown.take(other, secret) is None
    assert [row.shown.take(session, secret) for _ in "12"] == [told, None]
