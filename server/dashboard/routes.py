"""All addresses of the dashboard, by area.

Each area has a file `*_pages`, with its `ROUTES`. It stands apart from `app`, as that is of a lower layer:
pages know addresses of it.
"""

from __future__ import annotations

from server.dashboard import (
    account_pages,
    activity_pages,
    address_pages,
    authenticator_pages,
    database_key_pages,
    database_pages,
    domain_pages,
    editor_pages,
    file_history_pages,
    file_pages,
    finding_pages,
    health_pages,
    history_pages,
    link_pages,
    move_pages,
    notice_pages,
    operator_list_pages,
    operator_pages,
    publish_job_pages,
    publish_pages,
    readers_pages,
    release_pages,
    settings_pages,
    sign_in_pages,
    site_archive_pages,
    site_key_pages,
    site_pages,
    tree_pages,
)

ROUTES = (
    *site_archive_pages.ROUTES,
    *site_pages.ROUTES,
    *site_key_pages.ROUTES,
    *tree_pages.ROUTES,
    *editor_pages.ROUTES,
    *move_pages.ROUTES,
    *history_pages.ROUTES,
    *publish_pages.ROUTES,
    *publish_job_pages.ROUTES,
    *release_pages.ROUTES,
    *domain_pages.ROUTES,
    *readers_pages.ROUTES,
    *settings_pages.ROUTES,
    *file_pages.ROUTES,
    *file_history_pages.ROUTES,
    *finding_pages.ROUTES,
    *sign_in_pages.ROUTES,
    *link_pages.ROUTES,
    *database_key_pages.ROUTES,
    *database_pages.ROUTES,
    *activity_pages.ROUTES,
    *account_pages.ROUTES,
    *address_pages.ROUTES,
    *authenticator_pages.ROUTES,
    *notice_pages.ROUTES,
    *operator_list_pages.ROUTES,
    *operator_pages.ROUTES,
    *health_pages.ROUTES,
)
