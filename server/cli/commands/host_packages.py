"""Commands of the service, which need more packages than a writer does: `pip install 'twinpress[host]'`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec

from builder.errors import TwinpressError
from server.cli import loading

NEEDED = (
    "argon2", "brotli", "cryptography", "dns", "prometheus_client", "psycopg", "publicsuffixlist", "pyotp",
    "segno", "webauthn",
)  # fmt: skip


def run(target: str, parameters: Mapping[str, object], needed: Sequence[str] = NEEDED) -> int:
    """As `loading.run`; raises TwinpressError when a package with one of these names is not there."""
    missing = [name for name in needed if find_spec(name) is None]
    if missing:
        message = f"this needs packages that are not installed: {', '.join(missing)}"
        raise TwinpressError(message, hint="pip install 'twinpress[host]'")
    return loading.run(target, parameters)
