from __future__ import annotations

import pytest

from server.preview.host_guard import allowed

LOCAL, NAMED, ANY, ANY6 = "127.0.0.1", "docs.local", "0.0.0.0", "::"


@pytest.mark.parametrize(
    ("header", "bound", "expected"),
    [
        ("localhost", LOCAL, True),
        ("localhost:8000", LOCAL, True),
        ("LocalHost:8000", LOCAL, True),
        ("localhost.:8000", LOCAL, True),
        ("docs.localhost:8000", LOCAL, True),
        ("127.0.0.1:8000", LOCAL, True),
        ("[::1]:8000", LOCAL, True),
        ("192.168.1.5:8000", "192.168.1.5", True),
        ("[fe80::1]:8000", "fe80::1", True),
        ("docs.local:8000", NAMED, True),
        ("Docs.Local", NAMED, True),
        ("192.168.1.5:8000", ANY, True),
        ("[2001:db8::1]:8000", ANY6, True),
        ("", LOCAL, False),
        ("192.168.1.5:8000", LOCAL, False),
        ("evil.example", LOCAL, False),
        ("evil.example", ANY, False),
        ("evil.example:8000", NAMED, False),
        ("localhost.evil.example", LOCAL, False),
        ("evil.example@localhost", LOCAL, False),
        ("localhost/evil.example", LOCAL, False),
        ("notlocalhost", LOCAL, False),
        ("127.0.0.1.evil.example", ANY, False),
        ("[::1", LOCAL, False),
        ("127.1", LOCAL, False),
        ("\u212aocal", LOCAL, False),
    ],
)
def test_only_names_that_cannot_be_rebound_are_answered(header, bound, expected):
    assert allowed(header, bound) is expected
