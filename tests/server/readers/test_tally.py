from __future__ import annotations

import pytest

from server.readers.audience import OTHERS, ReaderKind
from server.readers.tally import DAY, MOST, MOST_ENTRIES, Tally, TallyEntry, search_text, vain_address

PEOPLE, AGENTS, BOTS = ReaderKind("people"), ReaderKind("agents", "Claude"), ReaderKind("bots")


def tally(now: float = 100 * DAY) -> Tally:
    return Tally(lambda: now)


def test_views_are_counted_by_page_and_by_who_asks() -> None:
    counted = tally()
    for by in (PEOPLE, PEOPLE, AGENTS, BOTS):
        counted.view("quay", "/docs/a", by)
    assert counted.take() == {
        TallyEntry("quay", 100, "people", "/docs/a"): 2,
        TallyEntry("quay", 100, "agents", "/docs/a"): 1,
        TallyEntry("quay", 100, "agent", "Claude"): 1,
        TallyEntry("quay", 100, "bots", OTHERS): 1,
    }
    assert counted.take() == {}


def test_a_flood_of_addresses_is_counted_as_others() -> None:
    counted = tally()
    for number in range(5_000):
        counted.vain("quay", f"/made-up/{number}", PEOPLE)
    taken = counted.take()
    assert len(taken) == MOST["vain_people"] + 1
    assert taken[TallyEntry("quay", 100, "vain_people", OTHERS)] == 5_000 - MOST["vain_people"]


def test_many_sites_together_have_a_bound() -> None:
    counted = tally()
    for site in range(25):
        for number in range(MOST["people"]):
            counted.view(str(site), f"/{number}", PEOPLE)
    taken = counted.take()
    assert sum(taken.values()) == 25 * MOST["people"]
    assert len(taken) <= MOST_ENTRIES + 25


def test_what_could_not_be_written_is_counted_again() -> None:
    counted = tally()
    counted.view("quay", "/", PEOPLE)
    taken = counted.take()
    counted.view("quay", "/", PEOPLE)
    counted.give_back(taken)
    assert counted.take() == {TallyEntry("quay", 100, "people", "/"): 2}


@pytest.mark.parametrize(
    "path",
    [
        "/favicon.ico",
        "/robots.txt",
        "/apple-touch-icon-120x120.png",
        "/.well-known/x",
        "/_tp/old.js",
        "/wp-login.php",
        "/a/.env",
        "/.git/config",
        "/index.PHP/x",
        "/dump.sql",
        "/docs/wp-content/a",
    ],
)
def test_what_browsers_try_on_their_own_is_not_asked_for_in_vain(path: str) -> None:
    counted = tally()
    counted.vain("quay", path, PEOPLE)
    assert counted.take() == {}


@pytest.mark.parametrize(
    ("path", "kept"),
    [
        ("/docs/old page", "/docs/old%20page"),
        ("/a\r\nSet-Cookie: x", "/a%0D%0ASet-Cookie:%20x"),
        ('/<script>alert("1")</script>', "/%3Cscript%3Ealert(%221%22)%3C/script%3E"),
        ("/\x1b[31m", "/%1B%5B31m"),
        ("/ünï", "/%C3%BCn%C3%AF"),
        ("/\udcff", "/%3F"),
        ("/" + "x" * 300, OTHERS),
        ("/svc_docs_0123456789ABCDEF", OTHERS),
    ],
)
def test_an_address_is_kept_percent_encoded_and_short(path: str, kept: str) -> None:
    assert vain_address(path) == kept


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("  Slack   WATER\n", "slack water"),
        ("ﬁnd\x1b[31m\x00me", "find [31m me"),
        ("ann@example.com", ""),
        ("call 0172 5550123", ""),
        ("dpk_0123456789abcdefghij", ""),
        ("x" * 101, ""),
        ("x" * 100, "x" * 100),
        ("\u202e", ""),
        ("", ""),
    ],
)
def test_a_search_is_kept_unless_it_may_say_something_of_somebody(typed: str, kept: str) -> None:
    assert search_text(typed) == kept
