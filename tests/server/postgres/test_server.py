"""The words for a server that does not let its administrator in."""

from __future__ import annotations

from pathlib import Path

import pytest

from server.postgres.errors import EngineUnavailable
from tests.server.postgres.clusters import both_at_night, cluster

ALL_LOCKS = """
DO $$ BEGIN
    FOR g IN 1..200000 LOOP
        BEGIN PERFORM pg_advisory_xact_lock(g); EXCEPTION WHEN out_of_memory THEN EXIT; END;
    END LOOP;
END $$"""


@both_at_night
def test_a_login_that_fails_is_told_by_what_went_wrong_and_not_by_advice(bin_dir: Path | None) -> None:
    with cluster(bin_dir=bin_dir) as server, server.connect() as greedy:
        greedy.execute("BEGIN")
        greedy.execute(ALL_LOCKS)
        with pytest.raises(EngineUnavailable) as caught:
            server.connect()
        greedy.execute("ROLLBACK")
        server.connect().close()
    assert caught.value.message.endswith("FATAL:  out of shared memory")
