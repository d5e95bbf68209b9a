"""The tables of both APIs and their handlers fit."""

from __future__ import annotations

from typing import Any

import pytest

from server.api.describe.table import Group
from server.authoring.group import GROUP as PAGES
from server.authoring.handlers import Handlers
from server.authoring.page_preview.preview_handlers import PreviewHandlers
from server.databases.database_group import GROUP as DATABASES
from server.databases.database_handlers import DatabaseHandlers

OF_PAGES = (Handlers, PreviewHandlers)


@pytest.mark.parametrize(("group", "kinds"), [(PAGES, OF_PAGES), (DATABASES, (DatabaseHandlers,))])
def test_each_endpoint_has_exactly_one_handler(group: Group, kinds: tuple[Any, ...]) -> None:
    made = [kind(*(None for _ in kind.__struct_fields__)) for kind in kinds]
    handlers = [name for each in made for name in each.by_operation()]
    assert sorted(handlers) == sorted(endpoint.operation for endpoint in group.endpoints)
