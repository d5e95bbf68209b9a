"""The tables of both APIs and their handlers fit."""

from __future__ import annotations

from typing import Any

import pytest

from server.api.describe.table import Group
from server.authoring.group import GROUP as PAGES
from server.authoring.handlers import Handlers
from server.databases.database_group import GROUP as DATABASES
from server.databases.database_handlers import DatabaseHandlers


@pytest.mark.parametrize(("group", "kind"), [(PAGES, Handlers), (DATABASES, DatabaseHandlers)])
def test_each_endpoint_has_exactly_one_handler(group: Group, kind: Any) -> None:
    handlers = kind(*(None for _ in kind.__struct_fields__)).by_operation()
    assert sorted(handlers) == sorted(endpoint.operation for endpoint in group.endpoints)
