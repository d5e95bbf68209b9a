"""Addresses and anchors that a newer build of a site does not have, and the redirects that would mend it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builder.plan.addresses import Addresses, read_addresses
from builder.plan.vanished import vanished

CASES = json.loads(Path(__file__).with_name("vanished.json").read_text())


@pytest.mark.parametrize("case", CASES, ids=[case["about"] for case in CASES])
def test_what_vanished_is_told_with_what_is_near(case: dict[str, Any]) -> None:
    before, now = (read_addresses("\n".join(case[name])) for name in ("before", "now"))
    found = vanished(before, now, case.get("moved"))
    assert [[each.address, each.target] for each in found.addresses] == case["addresses"]
    assert [[each.address, each.anchor, each.nearest] for each in found.anchors] == case["anchors"]


names = st.sampled_from(["a", "ab", "abc", "b", "guide", "install", "instal", "index", "v1.2", "a.png", "ü"])
places = st.builds(
    lambda parts, end: f"/{'/'.join(parts)}{end}", st.lists(names, max_size=3), st.sampled_from(["", "/"])
)
anchors = st.lists(st.sampled_from(["x", "y", "z"]), max_size=3, unique=True).map(
    lambda all: tuple(sorted(all))
)
targets = st.one_of(places, places.map(lambda place: f"{place}#x"), st.just("https://o.example/"))
addresses = st.builds(
    Addresses, st.dictionaries(places, anchors, max_size=8), st.dictionaries(places, targets, max_size=4)
)


@given(before=addresses, now=addresses, moved=st.dictionaries(places, places, max_size=3))
def test_what_is_in_both_stays_and_the_proposed_redirects_mend_the_rest(
    before: Addresses, now: Addresses, moved: dict[str, str]
) -> None:
    found = vanished(before, now, moved)
    there = now.places.keys() | now.redirects.keys()
    assert not {each.address for each in found.addresses} & there
    assert not {(each.address, each.anchor) for each in found.anchors} & {
        (address, anchor) for address, anchors in now.places.items() for anchor in anchors
    }
    proposed = {each.address: each.target for each in found.addresses if each.target is not None}
    mended = Addresses(now.places, {**now.redirects, **proposed})
    assert all(each.target is None for each in vanished(before, mended, moved).addresses)
    assert vanished(before, mended, moved).anchors == found.anchors
    assert vanished(before, before) == vanished(now, now)


@given(before=addresses, now=addresses)
def test_a_proposed_redirect_arrives_at_a_page_or_elsewhere(before: Addresses, now: Addresses) -> None:
    for each in vanished(before, now).addresses:
        if each.target is not None and each.target.startswith("/"):
            asked = Addresses({each.target.partition("#")[0]: ()}, {})
            assert vanished(asked, Addresses(now.places, {})).addresses == ()


def test_ten_thousand_addresses_are_compared_in_a_moment() -> None:
    before = Addresses({f"/docs/part{n % 100}/page-{n}": ("intro", f"use-{n}") for n in range(10_000)}, {})
    now = Addresses({f"/docs/all/page-{n}": ("intro", f"use-{n}") for n in range(10_000)}, {})
    found = vanished(before, now).addresses
    assert [each.target for each in found[:2]] == ["/docs/all/page-0", "/docs/all/page-100"]
    assert len(found) == 10_000
