"""The addresses that may be linked and those that may be framed: the cases are in `addresses.json`."""

import json
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from components import embed_hosts
from components.embed_providers import PROVIDERS, find_provider
from components.safe_href import is_safe

CASES = json.loads((Path(__file__).parent / "addresses.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(("address", "frame"), CASES["frames"])
def test_a_provider_s_page_becomes_what_can_be_framed(address, frame):
    url = embed_hosts.address(address)
    assert find_provider(url.netloc.removeprefix("www.")).frame(url) == frame


@pytest.mark.parametrize(("address", "frame"), [case for case in CASES["frames"] if case[1]])
def test_what_is_framed_is_in_the_policy(address, frame):
    host = urlsplit(address).hostname
    assert embed_hosts.permits(host, [host])
    assert f"https://{urlsplit(frame).netloc}" in embed_hosts.frame_sources([host])


@pytest.mark.parametrize("text", CASES["no_frame_address"])
def test_this_is_never_framed(text):
    assert embed_hosts.address(text) is None


@pytest.mark.parametrize(("place", "hosts"), CASES["permitted"])
def test_a_host_in_the_list_is_permitted(place, hosts):
    assert embed_hosts.permits(place, hosts)


@pytest.mark.parametrize(("place", "hosts"), CASES["refused"])
def test_a_host_that_is_not_in_the_list_is_refused(place, hosts):
    assert not embed_hosts.permits(place, hosts)


@pytest.mark.parametrize(("hosts", "sources"), CASES["sources"])
def test_the_policy_s_sources_follow_from_the_list(hosts, sources):
    assert list(embed_hosts.frame_sources(hosts)) == sources


@given(st.lists(st.text() | st.sampled_from(["example.com", "*.a.example", "youtube.com"])))
def test_no_entry_can_add_to_the_policy(hosts):
    for source in embed_hosts.frame_sources(hosts):
        assert source.startswith("https://")
        assert not set(source) & set(" ;,'\"\n")


@given(st.text())
def test_an_address_is_read_or_refused_and_never_raises(text):
    url = embed_hosts.address("https://" + text)
    if url is not None:
        assert url.hostname


def test_the_default_hosts_are_the_known_providers():
    assert all(embed_hosts.permits(host, embed_hosts.DEFAULT_HOSTS) for it in PROVIDERS for host in it.hosts)


@pytest.mark.parametrize("href", CASES["linked"])
def test_this_may_be_linked(href):
    assert is_safe(href)


@pytest.mark.parametrize("href", CASES["not_linked"])
def test_this_may_not_be_linked(href):
    assert not is_safe(href)
