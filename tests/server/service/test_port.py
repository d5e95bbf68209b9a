"""The port of PostgreSQL is kept, whoever has chosen it: connection strings that were given away hold it."""

from __future__ import annotations

from server.control.sqlite.data_folder import open_data
from server.service.postgres_server import reached
from tests.ports import free_port
from tests.server.postgres.clusters import open_folder
from tests.server.service.process import Host


def test_the_port_that_was_named_once_is_found_by_other_programs_and_by_the_next_start() -> None:
    port = free_port()
    with open_folder() as folder:
        for arguments in (("--db-port", str(port)), ()):
            host = Host(folder / "data", arguments=arguments)
            host.start()
            try:
                with open_data(host.data) as database:
                    server = reached(host.data, database, "")
            finally:
                assert host.stop() == 0
            assert server is not None
            assert server.port == port
