"""Ceph's radosgw with one monitor and one OSD in memory: an S3 of somebody else, with conditions for real.

Needs Debian's `radosgw ceph-mon ceph-osd`. It took keyrings, and addresses of both versions of the protocol.
"""

from __future__ import annotations

import shutil
import subprocess
import urllib.error
import urllib.request
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.ports import free_port
from tests.waiting import PATIENCE, until

PROGRAMS = ("radosgw", "radosgw-admin", "ceph-mon", "ceph-osd", "ceph-authtool", "monmaptool", "ceph")
_CONFIGURATION = """
[global]
fsid = {fsid}
mon_host = {monitor}
mon_initial_members = a
public_addr = 127.0.0.1
ms_bind_ipv6 = false
auth_cluster_required = cephx
auth_service_required = cephx
auth_client_required = cephx
keyring = {folder}/keyring
run_dir = {folder}
admin_socket = {folder}/$name.socket
log_file = {folder}/$name.log
mon_data = {folder}/mon
osd_data = {folder}/osd
osd_objectstore = memstore
memstore_device_bytes = 1073741824
osd_pool_default_size = 1
osd_pool_default_min_size = 1
osd_pool_default_pg_num = 8
osd_pool_default_pg_autoscale_mode = off
mon_allow_pool_size_one = true
mon_data_avail_crit = 1
osd_crush_chooseleaf_type = 0
auth_allow_insecure_global_id_reclaim = true
[client.rgw.a]
rgw_frontends = beast endpoint=127.0.0.1:{port}
rgw_data = {folder}/rgw
"""
_KEYS = {
    "mon.": ("mon", "allow *"),
    "client.admin": ("mon", "allow *", "osd", "allow *", "mgr", "allow *"),
    "osd.0": ("mon", "allow profile osd", "osd", "allow *"),
    "client.rgw.a": ("mon", "allow rw", "osd", "allow rwx"),
}


def is_installed() -> bool:
    """Return whether all programs are there."""
    return all(map(shutil.which, PROGRAMS))


@contextmanager
def radosgw(folder: Path) -> Iterator[int]:
    """Run the server, whose user has the key `test`; gives its port."""
    first, second, port = (free_port() for _ in range(3))
    fsid, monitor = str(uuid.uuid4()), f"[v2:127.0.0.1:{first},v1:127.0.0.1:{second}]"
    text = _CONFIGURATION.format(fsid=fsid, monitor=monitor, folder=folder, port=port)
    (folder / "ceph.conf").write_text(text)
    for name in ("mon", "osd", "rgw"):
        (folder / name).mkdir()

    def run(program: str, *arguments: str) -> None:
        command = [program, "-c", str(folder / "ceph.conf"), *arguments]
        subprocess.run(command, check=True, capture_output=True, timeout=PATIENCE, cwd=folder)

    _make_keys(folder)
    make_map = ["monmaptool", "--create", "--fsid", fsid, "--addv", "a", monitor, str(folder / "monmap")]
    subprocess.run(make_map, check=True, capture_output=True)
    keyring = ("--keyring", str(folder / "keyring"))
    with ExitStack() as opened:

        def start(program: str, *arguments: str) -> None:
            command = [program, "-f", "-c", str(folder / "ceph.conf"), *arguments, *keyring]
            opened.enter_context(_running(command, folder / f"{program}.out"))

        run("ceph-mon", "--mkfs", "-i", "a", "--monmap", str(folder / "monmap"), *keyring)
        start("ceph-mon", "-i", "a")
        run("ceph", "osd", "create")
        run("ceph-osd", "-i", "0", "--mkfs", *keyring)
        start("ceph-osd", "-i", "0")
        names = ("--uid=test", "--display-name=test", "--access-key=test", "--secret-key=test")
        run("radosgw-admin", "-n", "client.rgw.a", "user", "create", *names)
        start("radosgw", "-n", "client.rgw.a")
        until(lambda: _answers(port))
        yield port


def _make_keys(folder: Path) -> None:
    keyring = str(folder / "keyring")
    subprocess.run(["ceph-authtool", "--create-keyring", keyring], check=True, capture_output=True)
    for name, rights in _KEYS.items():
        caps = [word for pair in zip(rights[::2], rights[1::2], strict=True) for word in ("--cap", *pair)]
        command = ["ceph-authtool", keyring, "--gen-key", "-n", name, *caps]
        subprocess.run(command, check=True, capture_output=True)


@contextmanager
def _running(command: list[str], out: Path) -> Iterator[None]:
    with out.open("wb") as file, subprocess.Popen(command, stdout=file, stderr=file) as process:
        try:
            yield
        finally:
            process.kill()


def _answers(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=5):
            return True
    except (urllib.error.URLError, ConnectionError):
        return False
