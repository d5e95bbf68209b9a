"""Outcomes of asking for a link, with a real host on loopback: statuses, redirects, robots, waits."""

from __future__ import annotations

import time
from collections.abc import Sequence

import pytest
from yarl import URL

from server.external_links.answer import LinkAnswer, asked_url
from server.external_links.asker import AGENT, AskLimits, ask_links
from tests.server.external_links.linked_host import LinkedHost, Reply, serving

QUICK = AskLimits(seconds=5, pause=0, patience=0.5)


def asked(urls: Sequence[str], limits: AskLimits = QUICK, *, private: bool = True) -> dict[str, LinkAnswer]:
    """The answers for addresses, by address."""
    found: dict[str, LinkAnswer] = {}
    ask_links(
        [URL(url) for url in urls],
        lambda url, answer: found.update({str(url): answer}),
        limits,
        private=private,
    )
    return found


REPLIES: dict[str, Reply | list[Reply]] = {
    "/gone": (410, {}),
    "/nothing": (404, {}),
    "HEAD /no-head": (405, {}),
    "HEAD /wrong-head": (404, {}),
    "/sign-in": (401, {}),
    "/refused": (403, {}),
    "/fails": (500, {}),
    "/odd": (418, {}),
    "/moved": (301, {"Location": "/fine"}),
    "/moved-twice": (308, {"Location": "/moved"}),
    "/moved-then-not": (301, {"Location": "/elsewhere"}),
    "/elsewhere": (302, {"Location": "/fine"}),
    "/to-nothing": (302, {"Location": "/nothing"}),
    "/circle": (302, {"Location": "/circle"}),
    "/to-mail": (302, {"Location": "mailto:me@example.com"}),
    "/to-no-host": (302, {"Location": "http://x.invalid/"}),
    "/often": [(429, {"Retry-After": "0"}), (200, {})],
    "/busy-long": (503, {}),
}

EXPECTED = [
    ("/fine", "fine", 200, ""),
    ("/gone", "broken", 410, ""),
    ("/nothing", "broken", 404, ""),
    ("/no-head", "fine", 200, ""),
    ("/wrong-head", "fine", 200, ""),
    ("/sign-in", "unsure", 401, ""),
    ("/refused", "unsure", 403, ""),
    ("/fails", "unsure", 500, ""),
    ("/odd", "unsure", 418, ""),
    ("/moved", "fine", 200, "/fine"),
    ("/moved-twice", "fine", 200, "/fine"),
    ("/moved-then-not", "fine", 200, "/elsewhere"),
    ("/elsewhere", "fine", 200, ""),
    ("/to-nothing", "broken", 404, ""),
    ("/circle", "broken", 0, ""),
    ("/to-mail", "unsure", 302, ""),
    ("/to-no-host", "broken", 0, ""),
    ("/often", "fine", 200, ""),
    ("/busy-long", "unsure", 503, ""),
]


def test_each_answer_of_a_host_has_its_outcome() -> None:
    with serving(LinkedHost(REPLIES)) as host:
        answers = asked([host.url(path) for path, *_ in EXPECTED])
        found = [
            (
                path,
                answers[host.url(path)].outcome,
                answers[host.url(path)].status,
                answers[host.url(path)].moved,
            )
            for path, *_ in EXPECTED
        ]
        assert found == [(path, *rest, host.url(to) if to else "") for path, *rest, to in EXPECTED]
        assert host.asked.count("GET /robots.txt") == 1
        assert host.asked.count("GET /fine") == 0
        assert host.most_at_once == 1
        assert host.agents == {AGENT}


def test_robots_is_heeded_also_behind_a_redirect() -> None:
    rules = "User-agent: *\nDisallow: /shut\n\nUser-agent: other\nDisallow: /\n"
    with serving(LinkedHost({"/in": (302, {"Location": "/shut/x"})}, rules)) as host:
        answers = asked([host.url("/shut/a"), host.url("/in"), host.url("/open")])
        assert [one.outcome for one in answers.values()] == ["unasked", "unasked", "fine"]
        assert [each for each in host.asked if "/shut" in each] == []


@pytest.mark.parametrize(("status", "outcome"), [(403, "fine"), (404, "fine"), (500, "unasked")])
def test_a_robots_txt_that_cannot_be_read_shuts_a_host_only_where_it_fails(status: int, outcome: str) -> None:
    with serving(LinkedHost({}, (status, {}))) as host:
        assert asked([host.url("/a")])[host.url("/a")].outcome == outcome


def test_a_host_that_asks_for_a_long_time_is_left_alone() -> None:
    with serving(LinkedHost({"/a": (429, {"Retry-After": "3600"})})) as host:
        answers = asked([host.url("/a"), host.url("/b")])
        assert [one.outcome for one in answers.values()] == ["unsure", "unsure"]
        assert "left alone" in answers[host.url("/b")].said
        assert [each for each in host.asked if "/b" in each] == []


def test_between_two_requests_of_a_host_there_is_a_pause() -> None:
    with serving(LinkedHost({})) as host:
        begun = time.monotonic()
        asked([host.url("/a"), host.url("/b")], AskLimits(5, 0.1, 1))
        assert time.monotonic() - begun >= 0.2


def test_a_host_that_does_not_answer_is_only_told() -> None:
    with serving(LinkedHost({})) as host:
        found = asked([host.url("/slow")], AskLimits(0.2, 0, 1))[host.url("/slow")]
        assert (found.outcome, found.said) == ("unsure", "no answer came in time")


def test_a_host_without_tls_is_only_told() -> None:
    with serving(LinkedHost({})) as host:
        (found,) = asked([host.url("/a").replace("http:", "https:")]).values()
    assert (found.outcome, found.said) == ("unsure", "the host does not speak TLS")


def test_nobody_listens_is_told_and_no_such_name_is_broken() -> None:
    with serving(LinkedHost({})) as host:
        port = host.port
    nobody, nameless = f"http://127.0.0.1:{port}/", "http://x.invalid/"
    answers = asked([nobody, nameless])
    assert (answers[nobody].outcome, answers[nameless].outcome) == ("unsure", "broken")
    assert answers[nameless].said == "there is no host of this name"


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "localhost",
        "[::1]",
        "169.254.169.254",
        "10.0.0.1",
        "[::ffff:127.0.0.1]",
        "0.0.0.0",
    ],
)
def test_private_addresses_are_not_asked(address: str) -> None:
    with serving(LinkedHost({})) as host:
        url = f"http://{address}:{host.port}/"
        (found,) = asked([url], private=False).values()
        assert (found.outcome, host.asked) == ("unasked", [])


@pytest.mark.parametrize("address", ["127.1", "2130706433", "0x7f000001"])
def test_no_other_spelling_of_a_private_address_is_asked(address: str) -> None:
    with serving(LinkedHost({})) as host:
        (found,) = asked([f"http://{address}:{host.port}/"], private=False).values()
        assert (found.outcome == "fine", host.asked) == (False, [])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("https://a.example/b#c", "https://a.example/b"),
        ("https://me:secret@a.example/b", "https://a.example/b"),
        ("https://a.example:99999/", None),
        ("https://", None),
        ("mailto:me@a.example", None),
    ],
)
def test_neither_fragment_nor_password_is_asked_for(text: str, expected: str | None) -> None:
    found = asked_url(text)
    assert (None if found is None else str(found)) == expected
