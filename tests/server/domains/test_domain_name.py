"""Names that may be a domain of a site, and the form that they get."""

from __future__ import annotations

import json
import socket
from pathlib import Path

import pytest

from server.domains.domain_name import LONGEST, DomainRules, InvalidDomain, companion, registered
from server.releases.folder_store import FolderStore
from server.releases.hosts import Hosts, MountedHost, write_hosts
from tests.time_bounds import processor_seconds

CASES = json.loads(Path(__file__).with_name("domain_name.json").read_text("utf-8"))
RULES = DomainRules(("app.twin.example", "sites.twin.example"))


@pytest.mark.parametrize(("text", "name"), CASES["taken"].items())
def test_a_name_gets_the_form_that_dns_has(text: str, name: str, tmp_path: Path) -> None:
    assert RULES.parse(text) == name
    write_hosts(FolderStore(tmp_path), Hosts("localhost", {name: MountedHost("site")}))


@pytest.mark.parametrize(("text", "why"), CASES["refused"].items(), ids=lambda text: text or "nothing")
def test_what_no_site_can_have_is_refused_with_a_reason(text: str, why: str) -> None:
    with pytest.raises(InvalidDomain, match=why) as refused:
        RULES.parse(text)
    assert refused.value.hint


@pytest.mark.parametrize("text", ["a" * 64 + ".example", "a." * 200 + "example", "ü" * 100_000, "." * 60_000])
def test_what_is_too_long_is_refused_at_once(text: str) -> None:
    with processor_seconds(0.5), pytest.raises(InvalidDomain):
        RULES.parse(text)


def test_the_longest_name_leaves_room_for_the_record_before_it() -> None:
    name = ".".join(["a" * 60] * 3 + ["b" * (LONGEST - 3 * 61 - len(".example")) + ".example"])
    assert len(RULES.parse(name)) == LONGEST == 253 - len("_twinpress.")
    with pytest.raises(InvalidDomain):
        RULES.parse(f"c{name}")


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("quayside.example", "www.quayside.example"),
        ("www.quayside.example", "quayside.example"),
        ("quayside.co.uk", "www.quayside.co.uk"),
        ("docs.quayside.example", ""),
        ("www.docs.quayside.example", ""),
    ],
)
def test_a_registered_name_has_a_companion(name: str, other: str) -> None:
    assert companion(name) == other


def test_the_list_of_endings_is_there_without_a_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket, "socket", refused)
    assert registered("a.b.quayside.co.uk") == "quayside.co.uk"
