"""Settings of a tenant's sessions, whatever they are: its database can be dumped, and restored into."""

from __future__ import annotations

from pathlib import Path

import pytest

from server.postgres.dump_restore import Form, Login, dump, restore
from tests.server.postgres.clusters import both_at_night
from tests.server.postgres.dumped import enter, filled, known, tenant

SPOILT = {
    "a library that is not there, so that nobody logs in": ("local_preload_libraries", "nosuchlib"),
    "an encoding that does not have all letters": ("client_encoding", "LATIN1"),
    "statements that end at once": ("statement_timeout", "1"),
    "sessions that end at once": ("idle_session_timeout", "1"),
    "an element without a value is read as a word": ("array_nulls", "off"),
}
"""Settings that a tenant may have for its own sessions, which those of the tools are, too."""
ODD = "CREATE TABLE odd AS SELECT 'ветер'::text AS word, ARRAY[NULL, 'a'] AS list"


@both_at_night
@pytest.mark.parametrize("setting", SPOILT)
@pytest.mark.parametrize("form", ["custom", pytest.param("plain", marks=pytest.mark.slow)])
def test_settings_of_a_tenant_spoil_no_dump_and_no_restore(
    tmp_path: Path, bin_dir: Path | None, setting: str, form: Form
) -> None:
    with filled(bin_dir) as (made, login):
        other = tenant(made.server, "db_empty")
        with enter(login) as connection:
            connection.execute(ODD)
        for each in (login, other):
            with enter(each) as connection:
                connection.execute("ALTER ROLE CURRENT_USER SET {} = '{}'".format(*SPOILT[setting]).encode())
        dump(made.programs, login, tmp_path / "dump", form)
        restore(made.programs, other, tmp_path / "dump")
        with made.server.connect("db_empty") as connection:
            assert connection.execute("SELECT * FROM odd").fetchone() == ("ветер", [None, "a"])
            assert connection.execute("SELECT count(*) FROM people").fetchone() == (500,)


def test_limits_that_only_newer_servers_have_are_set_there_alone() -> None:
    options = [
        Login(server=known(version), database="d", role="r", password="p").environment()["PGOPTIONS"]
        for version in (160000, 170000)
    ]
    assert ["-c transaction_timeout=0" in each for each in options] == [False, True]
