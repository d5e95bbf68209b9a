"""Rules of the API that a JSON schema cannot say: a cursor is one that the list has answered with."""

from __future__ import annotations

import schemathesis
from hypothesis import strategies as st

from server.databases.database_handlers import encode_cursor

schemathesis.openapi.format("cursor", st.integers(0, 10**17).map(encode_cursor))
