"""Check values of options against tables and types that only commands which are given them load."""

from __future__ import annotations

import math

import click

from builder.diagnostic_codes import CODES
from builder.diagnostics import did_you_mean
from server.http.addresses import Network, network


def known_codes(codes: tuple[str, ...]) -> tuple[str, ...]:
    """Codes of diagnostics; one that does not exist is refused."""
    for code in codes:
        if code not in CODES:
            hint = did_you_mean(code, CODES) or "the reference of diagnostics lists all of them"
            raise click.BadParameter(f"there is no code {code!r}; {hint}")
    return codes


def share(text: str) -> float:
    """The share that a percentage is, from 0 to 1; what is none is refused."""
    number = text.strip().removesuffix("%").strip()
    try:
        found = float(number) / 100
    except ValueError:
        found = math.nan
    if not 0 <= found <= 1:
        raise click.BadParameter(f"{text!r} is no part of all pages: write it as 1% or 12.5%")
    return found


def networks(named: tuple[str, ...]) -> tuple[Network, ...]:
    """The networks that were named; what is none is refused."""
    try:
        return tuple(network(each) for each in named)
    except ValueError as error:
        way_out = "name an IP address or a network, such as 127.0.0.1 or 10.0.0.0/8"
        raise click.BadParameter(f"{error}: {way_out}") from error
