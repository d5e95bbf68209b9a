"""Addresses to which the service goes for strangers: those of other machines on the internet alone."""

from __future__ import annotations

import pytest

from server.domains.public_address import is_public

PRIVATE = [
    "127.0.0.1", "127.1.2.3", "0.0.0.0", "10.0.0.1", "172.16.0.1", "172.16.3.4", "192.168.1.1",
    "169.254.169.254", "100.64.0.1", "192.0.0.1", "198.18.0.1", "224.0.0.1", "224.0.0.251",
    "239.255.255.250", "240.0.0.1", "255.255.255.255", "::", "::1", "fe80::1", "fe80::1%eth0", "fc00::1",
    "fd12::1", "ff02::1", "fec0::1", "::ffff:127.0.0.1", "::ffff:169.254.169.254", "::ffff:10.0.0.1",
    "::127.0.0.1", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b::a00:1", "64:ff9b:1::a00:1",
    "2002:7f00:1::", "2002:a00:1::", "2002:a00:1::1", "2001:0:7f00:1::1",
    "2001:0:4136:e378:8000:63bf:f5ff:fffe", "2001:db8::1", "::ffff:0:7f00:1", "no address",
]  # fmt: skip
PUBLIC = [
    "93.184.216.34", "8.8.8.8", "1.1.1.1", "2606:4700:4700::1111", "2a00:1450:4001:800::200e",
]  # fmt: skip


@pytest.mark.parametrize("address", PRIVATE)
def test_no_address_of_this_machine_or_network_is_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", PUBLIC)
def test_others_are_public(address: str) -> None:
    assert is_public(address)
