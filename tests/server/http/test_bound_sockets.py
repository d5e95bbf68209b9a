"""Sockets that listen before a server is there: at all addresses of a name, at one port."""

from __future__ import annotations

import socket

import pytest

from builder.errors import TwinpressError
from server.http.listening import bound


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
