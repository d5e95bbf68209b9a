"""Checks that answers are as the API's own document says; every test's client makes them."""

from __future__ import annotations

from server.authoring.group import GROUP
from tests.server.api.described import Described

DESCRIBED = Described(GROUP)
