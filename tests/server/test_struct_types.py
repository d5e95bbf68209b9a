"""Structs that several threads read are prepared: whoever reads the first ones together ends no process."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.waiting import PATIENCE

# msgspec calls Python for the annotations of a struct that it sees for the first time.
CHILD = """
import sys
{imports}
seen = []
def note(frame, event, argument):
    if frame.f_code.co_name == "get_class_annotations":
        seen.append(frame.f_locals["obj"].__name__)
sys.setprofile(note)
try:
    {read}
finally:
    sys.setprofile(None)
print(*seen)
"""
ROUTES = """
from aiohttp import web
from server.api.authentication import Api
from server.http.convert import convert
from server.api.routes import add_routes
from server.{package} import {group}
async def handler(request):
    pass
endpoints = {group}.GROUP.endpoints
handlers = dict.fromkeys([one.operation for one in endpoints], handler)
add_routes(web.Application(), [Api({group}.GROUP, None, handlers)])
kinds = [one.body for one in endpoints if one.body]
assert kinds
"""
READ = """for kind in kinds:
        try:
            convert(dict.fromkeys(kind.__struct_fields__), kind)
        except Exception as error:
            assert type(error).__name__ == "Failure", error"""
RECORDS = [
    ("server.control.keys.key_record", "KeyRecord", "to_record"),
    ("server.control.keys.management_key", "ManagementKey", "to_key"),
    ("server.control.accounts.account", "Account", "to_account"),
    ("server.hosting.hosted", "Hosted", "to_hosted"),
]


def looked_at(imports: str, read: str) -> str:
    """The structs that msgspec had to look at while they were read, in a process that had read none."""
    script = CHILD.format(imports=imports, read=read)
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize(("module", "record", "read"), RECORDS)
def test_a_record_is_ready_before_a_thread_reads_its_first_row(module: str, record: str, read: str) -> None:
    row = f"try: {read}((None,) * len({record}.__struct_fields__))\n    except ValueError: pass"
    assert not looked_at(f"from {module} import {record}, {read}", row)


def test_an_event_is_ready_before_a_thread_reads_its_first_row() -> None:
    read = "try: convert({}, Event)\n    except ValueError: pass"
    assert not looked_at("from msgspec import convert\nfrom server.control.audit import Event", read)


@pytest.mark.parametrize(("package", "group"), [("authoring", "group"), ("databases", "database_group")])
def test_a_body_is_ready_before_a_thread_reads_the_first_one(package: str, group: str) -> None:
    assert not looked_at(ROUTES.format(package=package, group=group), READ)
