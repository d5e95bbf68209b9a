"""Write what is made of the whole site: pages that no author wrote, lists of pages, the search, the theme."""

from __future__ import annotations

from builder.digests import digest
from builder.plan.layout import Layout
from builder.plan.site_files import ADDRESSES, excerpts_script, feeds, full, lists
from builder.produce.author_pages import AuthorPages
from builder.produce.keyed_files import KeyedFile, KeyedFiles, full_texts
from builder.produce.results import PageResults
from builder.produce.search_files import SearchFiles, SearchPacking
from builder.produce.site_twins import site_twins
from builder.unicode import encoded


def write_whole_site(
    layout: Layout, pages: AuthorPages, results: PageResults, jobs: int | None
) -> SearchPacking | None:
    """Write the files, unless they are there.

    On a larger site another process still packs the search then: what this gives is to be finished, and
    closed in any case.
    """
    if layout.home:
        results.home_links(layout.home)
    key, by_path = pages.whole_key(layout), {page.path: page for page in layout.site.pages}
    around = key and pages.around_key(layout)
    are_there = results.stay_all(around)
    if are_there and results.stay_all(key):
        return None
    twins = site_twins(pages, by_path, results)
    # Loaded here, as most builds make nothing anew.
    from builder.plan import addresses, generated_pages  # noqa: PLC0415

    for make in generated_pages.generated_pages(layout, pages.shared).values():
        results.page(make(), key)
    script = excerpts_script(layout, pages.shared.theme_folders)
    packing = SearchFiles(pages, results, by_path, key, script).write(jobs)
    try:
        if layout.home:
            html = results.home_html or pages.html(layout.home)
            twin = encoded(pages.shared.pointer + twins.text(layout.home.path))
            results.home(html, twin, key)
        for path, data in () if are_there else lists(layout, pages.shared):
            results.write(path, data(), around)
        for path, data in feeds(layout, pages.shared, pages.updates):
            results.write(path, data(), key)
        anchors = results.links.digest if around else b""
        own = digest(around, anchors) if anchors else b""
        listed = KeyedFile(
            ADDRESSES, lambda: addresses.address_list(layout, pages.shared, results.links), own
        )
        KeyedFiles(pages, results, key).write([listed, *full_texts(full(layout, twins), pages, around)])
    except BaseException:
        if packing:
            packing.close()
        raise
    return packing
