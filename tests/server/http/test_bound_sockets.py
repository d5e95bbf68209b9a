"""Sockets that listen before a server is there: at all addresses of a name, at one port."""

from __future__ import annotations

import socket

import pytest

from builder.errors import TwinpressError
from server.http.listening import bound, free_ports


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "0.0.0.0"])
def test_all_addresses_of_a_name_have_one_port(host: str) -> None:
    found = bound(host, 0)
    addresses = {each[4][0] for each in socket.getaddrinfo(host, 0, type=socket.SOCK_STREAM)}
    assert {each.getsockname()[0] for each in found} == addresses
    assert len({each.getsockname()[1] for each in found}) == 1
    with socket.create_connection(("127.0.0.1", found[0].getsockname()[1])):
        pass
    for each in found:
        each.close()


def test_a_port_that_is_taken_is_told_with_its_option() -> None:
    (taken,) = bound("127.0.0.1", 0)
    with taken, pytest.raises(TwinpressError, match="cannot listen on") as told:
        bound("127.0.0.1", taken.getsockname()[1], "--sites-port")
    assert "--sites-port" in str(told.value.hint)


def test_what_is_no_address_is_told() -> None:
    with pytest.raises(TwinpressError, match="cannot listen on"):
        bound("nowhere.invalid", 0)


def test_free_ports_are_others_and_free() -> None:
    """Given one after the other, two of them were the same at times."""
    wanted = {f"--port-{number}": ("127.0.0.1", 0) for number in range(400)}
    found = free_ports(wanted)
    assert len(set(found.values())) == len(wanted)
    assert free_ports({option: ("127.0.0.1", port) for option, port in found.items()}) == found


def test_one_port_for_two_is_told() -> None:
    (opened,) = bound("127.0.0.1", 0)
    port = opened.getsockname()[1]
    opened.close()
    with pytest.raises(TwinpressError, match="cannot listen on") as told:
        free_ports({"--port": ("127.0.0.1", port), "--sites-port": ("127.0.0.1", port)})
    assert "--sites-port" in str(told.value.hint)
