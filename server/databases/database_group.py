"""The databases API as the document and the routes want it. Knows no HTTP server."""

from __future__ import annotations

from server.api.describe.table import Group
from server.databases.database_endpoints import ENDPOINTS
from server.databases.examples import EXAMPLES
from server.databases.meanings import MEANINGS
from server.http.codes import ALWAYS

GROUP = Group(
    name="databases",
    base="/db",
    about="Creates databases, and reveals and rotates their passwords.",
    meaning="The databases of one account.",
    scheme="management_key",
    keys="A management key, `svc_db_`, for the databases of one account. The service's operator makes it.",
    endpoints=ENDPOINTS,
    always=ALWAYS,
    meanings=MEANINGS,
    examples=EXAMPLES,
)
