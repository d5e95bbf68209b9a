"""The settings of PostgreSQL itself."""

from __future__ import annotations

from collections.abc import Mapping

from server.postgres.run.binaries import PostgresPrograms
from server.postgres.run.server_files import ServerFiles
from server.postgres.server_settings import ServerSettings

NAME = "twinpress.conf"
INCLUDED = f"\n# Written by Twinpress at each start.\ninclude '{NAME}'\n"
RESERVED = 32
"""Sessions that are kept for the administrator."""

Values = Mapping[str, str | int]

FIXED: Values = {
    "password_encryption": "scram-sha-256",
    "unix_socket_permissions": "0700",
    "superuser_reserved_connections": RESERVED,
    # Nobody copies the server's journal: it need hold no more than a restart takes.
    "wal_level": "minimal",
    "max_wal_senders": 0,
    "max_logical_replication_workers": 0,
    "max_prepared_transactions": 0,
    "min_wal_size": "32MB",
    "max_wal_size": "256MB",
    # One tenant's query shall take one processor, and bounded room on the disk.
    "max_parallel_workers_per_gather": 0,
    "max_parallel_workers": 0,
    "max_worker_processes": 0,
    # The table of locks is one for all tenants. A login that was begun with an old password is soon over.
    "max_locks_per_transaction": 512,
    "authentication_timeout": "15s",
    "temp_file_limit": "256MB",
    "idle_in_transaction_session_timeout": "10min",
    # Which sessions lock a row together is written down for all tenants, beside every storage, with 30 bytes
    # and more. Usually PostgreSQL keeps up to ten GiB of that.
    "autovacuum_multixact_freeze_max_age": 20_000_000,
    "huge_pages": "off",
    # Who watches the server starts it again, closed to tenants at first. By itself it would let those in who
    # were suspended meanwhile.
    "restart_after_crash": "off",
    # After a crash the server has all files written out before it starts. One by one that takes seconds.
    "recovery_init_sync_method": "syncfs",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "lc_messages": "C",
}

LOGGING: Values = {
    "logging_collector": "off",
    "log_destination": "stderr",
    "log_line_prefix": "%m [%p] %u ",
    # No statement, no value and no row of a tenant reaches the log: a statement may hold a password.
    "log_statement": "none",
    "log_min_error_statement": "panic",
    "log_min_duration_statement": -1,
    "log_min_duration_sample": -1,
    "log_transaction_sample_rate": 0,
    "log_duration": "off",
    "log_parameter_max_length": 0,
    "log_parameter_max_length_on_error": 0,
    "log_error_verbosity": "terse",
    "log_checkpoints": "off",
    "log_connections": "off",
    "log_disconnections": "off",
    "log_replication_commands": "off",
    "log_lock_waits": "off",
    "log_temp_files": -1,
    "debug_print_parse": "off",
    "debug_print_rewritten": "off",
    "debug_print_plan": "off",
}

SINCE: Mapping[int, Values] = {17: {"max_notify_queue_pages": 65_536}}
"""What there is from a major version on: half a GiB of notifications that nobody has fetched, not eight."""

FLEETING: Values = {"fsync": "off", "full_page_writes": "off"}
"""What survives a server that was killed, and not the end of the machine."""


def configuration(settings: ServerSettings, place: ServerFiles, programs: PostgresPrograms) -> str:
    """The text of our own file, which `postgresql.conf` includes last.

    It begins with the version of the programs, so that it changes when a server must be started anew.
    """
    values = {**FIXED, **LOGGING, **_chosen(settings, place), **({} if settings.durable else FLEETING)}
    for major, more in SINCE.items():
        values |= more if programs.major >= major else {}
    lines = (f"{name} = {_quoted(str(value))}\n" for name, value in values.items())
    return f"# PostgreSQL {programs.version} {programs.release}\n{''.join(lines)}"


def _chosen(settings: ServerSettings, place: ServerFiles) -> Values:
    values: dict[str, str | int] = {
        "listen_addresses": ", ".join(settings.addresses),
        "port": settings.port,
        "unix_socket_directories": _listed(place.sockets),
        "max_connections": settings.max_connections + RESERVED,
        "shared_buffers": f"{settings.shared_buffers}MB",
        "ssl": "on" if settings.tls else "off",
    }
    if settings.tls:
        files = {"ssl_cert_file": "certificate.pem", "ssl_key_file": "key.pem"}
        values |= {name: str(place.tls / file) for name, file in files.items()}
        values["ssl_min_protocol_version"] = "TLSv1.2"
    return values


def _listed(folder: str) -> str:
    """One member of a list, which commas and spaces do not divide."""
    escaped = folder.replace('"', '""')
    return f'"{escaped}"' if folder else ""


def _quoted(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace("'", "''")
    return f"'{escaped}'"
