"""Links that open something once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from server.control import ControlDatabase
from server.control.accounts.account import Account
from server.control.errors import LinkEnded
from server.control.sign_in.one_time_links import LIFE, OneTimeLink, OneTimeLinks, Purpose
from tests.server.control.clock import START, Clock


def use(database: ControlDatabase, links: OneTimeLinks, purpose: Purpose, text: str) -> OneTimeLink:
    with database.change() as change:
        return links.use(change, purpose, text)


def use_twice(database: ControlDatabase, links: OneTimeLinks, text: str) -> None:
    with database.change() as change:
        links.use(change, "first", text)
        links.use(change, "first", text)


@pytest.mark.parametrize("purpose", ["first", "invite", "reset", "second"])
def test_a_link_opens_what_it_is_for_once(
    database: ControlDatabase, owner: Account, purpose: Purpose
) -> None:
    links = OneTimeLinks(database, Clock())
    text = links.create(purpose, owner.id)
    made = OneTimeLink(purpose, owner.id, "", int(START), int(START) + LIFE[purpose])
    assert links.look(purpose, text) == links.look(purpose, text) == made
    for other in set(LIFE) - {purpose}:
        with pytest.raises(LinkEnded):
            use(database, links, other, text)
    assert use(database, links, purpose, text) == made
    for again in (lambda: links.look(purpose, text), lambda: use(database, links, purpose, text)):
        with pytest.raises(LinkEnded) as ended:
            again()
        assert ended.value.hint


def test_a_link_is_not_used_up_by_what_fails(database: ControlDatabase) -> None:
    links = OneTimeLinks(database)
    text = links.create("first")
    with pytest.raises(LinkEnded):
        use_twice(database, links, text)
    assert use(database, links, "first", text).purpose == "first"


def test_of_many_at_once_one_uses_it(database: ControlDatabase) -> None:
    links = OneTimeLinks(database)
    text = links.create("invite")

    def opens(_: int) -> bool:
        try:
            use(database, links, "invite", text)
        except LinkEnded:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(opens, range(16))) == 1


@pytest.mark.parametrize("purpose", list(LIFE))
def test_a_link_ends_by_itself(database: ControlDatabase, owner: Account, purpose: Purpose) -> None:
    clock = Clock()
    links = OneTimeLinks(database, clock)
    text = links.create(purpose, owner.id)
    clock.now += LIFE[purpose] - 1
    links.forget_old()
    links.look(purpose, text)
    clock.now += 1
    with pytest.raises(LinkEnded):
        links.look(purpose, text)
    links.forget_old()
    assert database.read("SELECT * FROM one_time_links") == []


@pytest.mark.parametrize(("purpose", "still"), [("first", 1), ("reset", 1), ("invite", 2), ("second", 2)])
def test_the_newest_of_two_counts(
    database: ControlDatabase, owner: Account, purpose: Purpose, still: int
) -> None:
    links = OneTimeLinks(database)
    old, new = (links.create(purpose, None if purpose == "first" else owner.id) for _ in range(2))
    links.look(purpose, new)
    assert database.read("SELECT COUNT(*) FROM one_time_links") == [(still,)]
    if still == 1:
        with pytest.raises(LinkEnded):
            links.look(purpose, old)


@pytest.mark.parametrize("text", ["", "x", "é" * 43, "A" * 43, "' OR 1=1 --"])
def test_other_texts_open_nothing(database: ControlDatabase, text: str) -> None:
    links = OneTimeLinks(database)
    assert links.create("first") not in str(database.read("SELECT * FROM one_time_links"))
    with pytest.raises(LinkEnded):
        links.look("first", text)
