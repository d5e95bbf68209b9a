"""The tables of both APIs and their handlers fit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from server.api.authentication import Handler
from server.api.describe.table import Group
from server.authoring.group import GROUP as PAGES
from server.authoring.mcp_tools import MCP
from server.authoring.site_operations import site_handlers
from server.databases.database_group import GROUP as DATABASES
from server.databases.database_handlers import DatabaseHandlers


def _of_databases(nothing: Any) -> Mapping[str, Handler]:
    return DatabaseHandlers(*(nothing for _ in DatabaseHandlers.__struct_fields__)).by_operation()


@pytest.mark.parametrize(("group", "handlers_of"), [(PAGES, site_handlers), (DATABASES, _of_databases)])
def test_each_endpoint_has_exactly_one_handler(
    group: Group, handlers_of: Callable[[Any], Mapping[str, Handler]]
) -> None:
    handlers = handlers_of(None)
    assert sorted(handlers.keys() - {MCP}) == sorted(endpoint.operation for endpoint in group.endpoints)
