"""A backup of databases on a server that somebody else runs, whose administrator is no superuser."""

from __future__ import annotations

import pytest

from server.backup.create_backup import create_backup
from server.backup.restore_backup import restore_backup
from server.control.sqlite.data_folder import existing_data
from server.hosting import hosted
from server.postgres.errors import EngineError, ToolFailed
from server.postgres.server import DatabaseServer
from tests.server.backup.test_hostile_backups import backup, parts_of
from tests.server.postgres.clusters import dsn, limited, needs_debian
from tests.server.service.hosting import admin, connect, hosting, opens
from tests.server.service.place import data_folder
from tests.waiting import until

pytestmark = needs_debian
DSN = "TWINPRESS_POSTGRES_DSN"


def names_on(server: DatabaseServer) -> list[str]:
    """The databases of tenants on a server."""
    with server.connect() as session:
        found = session.execute("SELECT datname FROM pg_database WHERE datname LIKE 'db!_%' ESCAPE '!'")
        return [name for (name,) in found.fetchall()]


def test_databases_come_to_another_server_all_or_none() -> None:
    with limited() as first, limited() as second, data_folder() as data, data_folder() as new:
        here, there, file = dsn(first, "limited"), dsn(second, "limited"), data.parent / "backup.tar"
        with hosting(data, ready=False, **{DSN: here}) as service:
            until(service.is_ready)
            client, other = service.client(), service.client()
            made, locked = client.create("orders"), other.create("locked")
            for each in (made, locked):
                with connect(each["connection_uri"]) as session:
                    session.execute("CREATE TABLE t AS SELECT generate_series(1, 9) AS n")
            admin(data, "account", "suspend", other.account.email, **{DSN: here})
            _, failed = create_backup(data, file, here)
            assert [each.id for each in failed] == [locked["id"]], "no superuser comes into what is locked"
        keys = data / "master.keys"
        with pytest.raises(EngineError, match="on the server already"):
            restore_backup(file, new, master_keys=keys, dsn=here)
        assert not new.exists()
        assert sorted(names_on(first)) == sorted([made["id"], locked["id"]]), "they are not ours to delete"
        forged = data.parent / "forged.tar"
        forged.write_bytes(backup(parts_of(file) | {f"databases/{made['id']}.dump": b"PGDMP and no more"}))
        with pytest.raises(ToolFailed, match=made["id"]):
            restore_backup(forged, new, master_keys=keys, dsn=there)
        assert (new.exists(), names_on(second)) == (False, [])
        restore_backup(file, new, master_keys=keys, dsn=there)
        with existing_data(new) as control:
            assert {row.id: row.lost for row in hosted.every(control)} == {
                made["id"]: False,
                locked["id"]: True,
            }
        place = f"{first.host}:{first.port}/", f"{second.host}:{second.port}/"
        moved = {**made, "connection_uri": made["connection_uri"].replace(*place)}
        with hosting(new, ready=False, **{DSN: there}) as service:
            until(service.is_ready)
            assert opens(moved)
            with connect(moved["connection_uri"]) as session:
                assert session.execute("SELECT sum(n) FROM t").fetchone() == (45,)
