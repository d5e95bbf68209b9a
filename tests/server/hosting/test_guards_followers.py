"""A process that does not lead says so, touches nothing, and is ready to take over."""

from __future__ import annotations

import os
import signal
from contextlib import closing
from pathlib import Path
from threading import Thread

from server.postgres.server import DatabaseServer
from server.postgres.tenants.leadership import CHANGES, LEADS
from server.postgres.tenants.provisioning import Provisioner
from tests.server.hosting.network import Network
from tests.server.hosting.world import World, world
from tests.waiting import until


def test_a_follower_asks_for_the_lead_again_and_again_and_does_nothing_else(
    tmp_path: Path, service: World, network: Network
) -> None:
    with world(tmp_path / "data", service.server, provisioner=lambda _: Provisioner(network)) as other:
        until(other.leader.is_well)
        asked = network.asked
        until(lambda: network.asked > asked + 2)
        # Whoever does what leaders do is no follower meanwhile.
        assert other.leader.is_well()
        assert service.leader.leads()


def test_a_follower_does_not_say_that_somebody_leads_while_it_reaches_nobody(
    tmp_path: Path, service: World, network: Network
) -> None:
    with world(tmp_path / "data", service.server, provisioner=lambda _: Provisioner(network)) as other:
        until(other.leader.follows)
        network.cut()
        until(lambda: not other.leader.follows())
        assert not other.leader.is_well()
        network.mend()
        until(other.leader.is_well)


def test_who_takes_over_is_not_well_before_tenants_are_let_in(tmp_path: Path, service: World) -> None:
    seen = list[bool]()
    with world(tmp_path / "data", service.server, ready=lambda: seen.append(other.leader.is_well())) as other:
        until(other.leader.is_well)
        service.leader.close()
        until(other.leader.leads)
        assert seen == [False]
        assert other.leader.is_well()


def test_who_asks_for_the_lead_that_it_has_does_not_let_go_of_it(server: DatabaseServer) -> None:
    with closing(Provisioner(server)) as provisioner, server.connect() as admin:
        lead = provisioner.leadership
        query = "SELECT pid FROM pg_stat_activity WHERE application_name = %s"
        assert lead.try_lead()
        before = admin.execute(query, [f"{LEADS} {provisioner.service}"]).fetchall()
        assert lead.try_lead()
        assert admin.execute(query, [f"{LEADS} {provisioner.service}"]).fetchall() == before
        lead.resign()


def test_the_fence_waits_until_what_it_ends_has_ended(server: DatabaseServer) -> None:
    dead = server.connect(application=f"{CHANGES} 0123abcd")
    process = dead.info.backend_pid
    with closing(dead), closing(Provisioner(server, needs_lead=False)) as leader:
        leader.check()
        fence = Thread(target=leader.fence)
        os.kill(process, signal.SIGSTOP)
        try:
            fence.start()
            fence.join(0.3)
            assert fence.is_alive()
        finally:
            os.kill(process, signal.SIGCONT)
            fence.join()
