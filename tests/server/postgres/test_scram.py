from __future__ import annotations

import base64
import hmac
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.postgres.scram import keys, parsed, scram_verifier, verifier_matches
from server.postgres.tenant_names import PATTERN, new_name, new_password
from tests.time_bounds import in_time
from tests.waiting import PATIENCE

SALT = base64.b64decode("W22ZaJ0SNY7soEsUEjb6gQ==")


def test_the_keys_are_those_of_the_example_in_rfc_7677() -> None:
    made = keys("pencil", SALT, 4096)
    first = "n=user,r=rOprNGfwEbeRWgbNEkqO"
    nonce = "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0"
    message = f"{first},{nonce},s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096,c=biws,{nonce}".encode()
    signature = hmac.digest(made.server_key, message, "sha256")
    assert base64.b64encode(signature) == b"6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4="


@given(st.text(max_size=40), st.text(max_size=40))
def test_a_verifier_matches_its_password_alone(password: str, other: str) -> None:
    verifier = scram_verifier(password, iterations=1)
    assert verifier_matches(password, verifier)
    assert verifier_matches(other, verifier) == (other == password)


def test_two_verifiers_of_a_password_have_nothing_in_common() -> None:
    one, other = (parsed(scram_verifier("x")) for _ in range(2))
    assert one
    assert other
    assert one.iterations == other.iterations == 4096
    assert len({one.salt, other.salt}) == len({one.stored_key, other.stored_key}) == 2


@pytest.mark.parametrize(
    "text",
    [
        "",
        "md5a6343a68d964ca596d9752250d54bb8a",
        "SCRAM-SHA-256",
        "SCRAM-SHA-256$x:y$z:w",
        "SCRAM-SHA-256$4096:!$!:!",
        scram_verifier("x", iterations=1).replace("256", "512"),
        scram_verifier("x", iterations=1).replace("$1:", "$0:"),
        scram_verifier("x", iterations=1).replace("$1:", "$-1:"),
    ],
)
def test_what_is_no_verifier_matches_nothing(text: str) -> None:
    assert not verifier_matches("x", text)


def test_a_verifier_that_takes_minutes_is_not_computed() -> None:
    slow = scram_verifier("x", iterations=1).replace("$1:", "$2000000000:")
    with in_time(PATIENCE):
        assert not verifier_matches("x", slow)


def test_names_are_opaque_and_passwords_need_no_quoting() -> None:
    names, passwords = {new_name() for _ in range(100)}, {new_password() for _ in range(100)}
    assert len(names) == len(passwords) == 100
    assert all(re.fullmatch(PATTERN, name) for name in names)
    assert all(re.fullmatch("[0-9A-Za-z]{32}", password) for password in passwords)
