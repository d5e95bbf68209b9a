"""Dumps in the export of an account: of a service that runs, with a real PostgreSQL, restored elsewhere."""

from __future__ import annotations

import json
import zipfile

from server.cli.actions import db
from tests.server.service.hosting import admin, connect, hosting
from tests.server.service.place import data_folder


def test_a_dump_has_the_data_and_another_accounts_database_is_not_there() -> None:
    with data_folder() as data, hosting(data) as service:
        client, other = service.client(), service.client()
        made, gone, copy = client.create("orders"), client.create("gone"), other.create("copy")
        with connect(made["connection_uri"]) as session:
            session.execute("CREATE TABLE t AS SELECT generate_series(1, 9) AS n")
        with service.administrator() as session:
            session.execute(f"DROP DATABASE {gone['id']}".encode())
        file = data.parent / "account.zip"
        done = admin(data, "account", "export", client.account.email, str(file))
        assert done.returncode == 1, done.stderr
        assert f"databases/{gone['id']}.dump is missing in it: " in done.stderr
        again, kept = admin(data, "account", "export", client.account.email, str(file)), file.read_bytes()
        assert (again.returncode, "there is a file already" in again.stderr) == (2, True)
        assert file.read_bytes() == kept
        with zipfile.ZipFile(file) as archive:
            dumps = [name for name in archive.namelist() if name.endswith(".dump")]
            assert dumps == [f"databases/{made['id']}.dump"]
            (missing,) = json.loads(archive.read("manifest.json"))["missing"]
            assert gone["id"] in missing["name"]
            archive.extract(dumps[0], data.parent)
            for each in (made, copy):
                password = each["password"].encode()
                assert [name for name in archive.namelist() if password in archive.read(name)] == []
        db.restore(data=data, database=copy["id"], file=data.parent / dumps[0], db_bin_dir=None)
        with connect(copy["connection_uri"]) as session:
            assert session.execute("SELECT sum(n) FROM t").fetchone() == (45,)
