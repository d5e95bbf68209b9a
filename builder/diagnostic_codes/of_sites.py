"""Codes of what reads a site: `site.yml`, files and their paths, categories, frontmatter.

Those of links to other hosts are apart, as `twinpress links` alone tells them.
"""

from __future__ import annotations

from builder.diagnostic_codes.diagnostic_code import ERROR, INFO, WARNING, Code

SITE_CODES: dict[str, Code] = {
    # site.yml
    "config-invalid": Code(
        ERROR,
        "`site.yml` is not valid YAML, or a field has a value of the wrong kind. The field's default is used; "
        "of a list or a mapping only the wrong entry is left out.",
        "Correct the value at the place named.",
    ),
    "config-unknown-key": Code(
        WARNING,
        "`site.yml` has a key that Twinpress does not know, so it has no effect.",
        "Correct the spelling (the hint names the nearest key) or remove it.",
    ),
    "cache-damaged": Code(
        INFO,
        "The cache of an earlier build in `.twinpress/cache` cannot be read. Twinpress creates it again, so this "
        "build takes longer; its output is right in any case.",
        "Nothing. If it happens again and again, check the disk.",
    ),
    "cache-away": Code(
        WARNING,
        "The shared cache that `--cache-from` or `--cache-to` names does not answer, or refuses. The build renders "
        "all pages itself; its output is the same.",
        "Look at the address, and at the tokens or credentials in the environment.",
    ),
    "cache-refused": Code(
        WARNING,
        "The shared cache has pages or packs that are damaged, or that are not signed with the secret of this build. "
        "None of them is used.",
        "Find out who can write to the trusted part of the cache. If the secret has changed, the next trusted build "
        "writes the pages anew.",
    ),
    "cache-wrong": Code(
        ERROR,
        "`--verify-cache` has rendered a kept page anew, and it is another one than was kept. The build goes on with "
        "the new one.",
        "Change the secret of the shared cache, delete `.twinpress/cache`, and report it: a page that has the same "
        "sources and the same engine is the same.",
    ),
    "site-empty": Code(
        WARNING,
        "The site has no page, or drafts only, so a build would publish an empty site.",
        "Save a first page as `docs/index.md`, or check that this is the folder that you meant.",
    ),
    "redirect-invalid": Code(
        ERROR,
        "A redirect's source or target is no valid address, or redirects lead in a circle. Such a redirect is left out. "
        "A redirect whose target does not exist is written all the same.",
        "Remove the redirect, or give it another source or target.",
    ),
    "served-elsewhere": Code(
        WARNING,
        "`served_elsewhere` names a path at or below which the site has a page. Links lead to the page.",
        "Remove the entry, or move the page.",
    ),
    "redirect-rule": Code(
        WARNING,
        "A line of `static/_redirects` is left out, as it is no redirect, or a page, `site.yml` or a line above has its old "
        "address; or it counts in part, as all redirects of a site are for good and hide no page.",
        "Write `/old /new` and nothing else into the line, or set up at the host what only a host can do.",
    ),
    "redirect-case": Code(
        INFO,
        "A redirect leads on from an address that differs from another one only by case, as `/Old` from `/old`. Systems that "
        "know no case would write its page over the other file, so that it is a rule alone.",
        "Nothing, where the host reads the rules. A host of plain files shows its not-found page there.",
    ),
    "redirect-chain": Code(
        INFO,
        "A redirect leads to an old address, from which another one leads on: readers are sent twice. Only `twinpress publish` "
        "and `twinpress check --against` look for them.",
        "Let the redirect lead to the end at once, as `twinpress redirect add` does.",
    ),
    "address-vanished": Code(
        ERROR,
        "An address that readers have, or had, leads nowhere in this build: neither a page or file nor a redirect is there. "
        "Only `twinpress publish` and `twinpress check --against` compare.",
        "Add the redirect that the hint names to `site.yml`, or another one.",
    ),
    "anchor-vanished": Code(
        WARNING,
        "A page is still there, and a heading or another place on it is not, to which there may be links. No redirect mends "
        "that: browsers do not send the part after `#`. Only `twinpress publish` and `twinpress check --against` compare.",
        "Give the new heading the id of the old one, as in `## Fees {#prices}`, or leave it.",
    ),
    "language-unknown": Code(
        INFO,
        "The theme has no words in the `language` of `site.yml`, so the theme's own words on pages are English.",
        "Write your own words into `words`, or ignore this.",
    ),
    "accent-contrast": Code(
        INFO,
        "Text in the `accent` colour is hard to read on light pages: its contrast to one of their backgrounds is less than "
        "4.5, so they get a darker shade. Dark pages get a lighter shade of every colour that suits light pages, without "
        "a diagnostic.",
        "Nothing, or choose the shade for light pages yourself.",
    ),
    "theme-unused": Code(
        WARNING,
        "The site's folder `theme` has a file that no theme uses, so the file has no effect.",
        "Put it into the folder that the hint names, or into `static/` if pages load it.",
    ),
    "history-shallow": Code(
        INFO,
        "The site is in a shallow clone of a git repository, as CI often creates it. Its history does not show when a "
        "page was last changed, so pages do not show it either.",
        "Fetch the whole history, on GitHub with `fetch-depth: 0`, or write `last_updated: false` into `site.yml`.",
    ),
    "history-unread": Code(
        INFO,
        "The site is in a git repository, but git does not read its history, so pages do not show when they were last "
        "changed. git may be missing, the repository may belong to another user, or parts of it may not be there, as in a "
        "clone with `--filter`. The message has git's own words.",
        "Install git, mark the folder as safe with `git config --global --add safe.directory`, or clone "
        "everything; or write `last_updated: false` into `site.yml`.",
    ),
    # files and paths
    "path-invalid": Code(
        ERROR,
        "A file's name cannot be a content path, so the page is not published.",
        "Rename the file as the message says.",
    ),
    "path-conflict": Code(
        ERROR,
        "Two sources would be written to the same place (compared without case), so only the first is published.",
        "Rename or delete one of the two files.",
    ),
    "page-unreadable": Code(
        ERROR,
        "The file cannot be read: it is no regular file, or the system refuses it.",
        "Make it a regular, readable file, or remove it.",
    ),
    "page-too-large": Code(
        ERROR,
        "The source is larger than 1 MiB, the most that one page may have.",
        "Split the page.",
    ),
    "page-encoding": Code(
        ERROR,
        "The file is not valid UTF-8. The bytes that are not are shown as `\\ufffd`.",
        "Save the file as UTF-8.",
    ),
    "nul-character": Code(
        WARNING,
        "The page has NUL characters, which text cannot have. They are shown as `\\ufffd`.",
        "Delete them.",
    ),
    "symlink-skipped": Code(
        WARNING,
        "Symbolic links are not followed, so that nothing from outside the site can get into it.",
        "Put the file itself there.",
    ),
    "hard-link": Code(
        WARNING,
        "Only with `--safe`: the file is a hard link, so it has another name outside of the site, and perhaps it should not be "
        "published. It is published all the same. Without `--safe` there is no warning, as tools that save space on the disk "
        "create hard links, too.",
        "Look into the file. Replace it with a copy if it is meant to be published.",
    ),
    "file-large": Code(
        WARNING,
        "A file that is copied as it is has 100 MB or more, holes without data counted in. Readers wait long for it, and many "
        "hosts refuse it.",
        "Put it where downloads are kept, and link to it there.",
    ),
    "file-too-large": Code(
        ERROR,
        "With `--safe` a file of 100 MB or more is left out, so that the site of a stranger cannot fill the disk.",
        "Put it where downloads are kept, and link to it there.",
    ),
    "twin-orphan": Code(
        WARNING,
        "A hand-written twin (`name.llms.md`) has no page beside it, so it is not published.",
        "Name it like its page, or remove it.",
    ),
    "category-invalid": Code(
        ERROR,
        "A `_category_` file is not valid YAML or JSON, or a field has a value of the wrong kind. The field is ignored.",
        "Correct it.",
    ),
    "category-unknown-key": Code(
        INFO,
        "A `_category_` file has a key that Twinpress does not use.",
        "Remove it, or ignore this.",
    ),
    "category-empty": Code(
        INFO,
        "A folder has a `_category_` file and no page, in it or below it, so the sidebar does not show it.",
        "Add a page, or ignore this until there is one.",
    ),
    "sidebar-invalid": Code(
        ERROR,
        "An entry of the sidebar names a page, folder or group that is not there, or says nothing. It is "
        "left out.",
        "Correct the entry.",
    ),
    "sidebar-left-out": Code(
        WARNING,
        "The sidebar does not name these pages. They are built, and no list and no search names them.",
        "Add them to the sidebar, or write `unlisted: true` into their frontmatter.",
    ),
    # frontmatter
    "value-empty": Code(
        WARNING,
        "A title or label is there but empty, so it is as if the line was not there.",
        "Write a text, or remove the line.",
    ),
    "frontmatter-invalid": Code(
        ERROR,
        "The block between the `---` lines is not a YAML mapping that can be read. The page is shown without it, "
        "or left out of builds when a line of it is a `draft` that may mean yes.",
        "Correct the YAML at the place named.",
    ),
    "frontmatter-type": Code(
        ERROR,
        "A frontmatter field has a value of the wrong kind. The field is ignored; a `draft` that may mean yes keeps the "
        "page out of builds.",
        "Give it the kind of value that the message names.",
    ),
    "frontmatter-duplicate-key": Code(
        WARNING,
        "A frontmatter key is there twice. The last one counts; of two `draft` lines, the one that keeps the page out.",
        "Delete one of the two.",
    ),
    "frontmatter-address": Code(
        WARNING,
        "`id` or `slug` in the frontmatter would give the page another address in other systems; here it keeps its own. "
        "Where the address would be the same, nothing is said.",
        "Rename or move the file, or add `slug` to `extras` in `site.yml`, which gives `slug` its meaning.",
    ),
    "frontmatter-unknown-key": Code(
        INFO,
        "A frontmatter key that Twinpress does not use. It is kept in the file.",
        "Correct the spelling, or ignore this.",
    ),
}


LINK_CODES: dict[str, Code] = {
    "external-broken": Code(
        ERROR,
        "Another host has nothing at the address of a link (404, 410), there is no such host, or redirects lead nowhere. Only "
        "`twinpress links` asks.",
        "Link to where it is now, or remove the link.",
    ),
    "external-moved": Code(
        INFO,
        "Another host says that what a link leads to has another address for good (301, 308). Only `twinpress links` asks.",
        "Link to the new address, which the hint names.",
    ),
    "external-unsure": Code(
        INFO,
        "Another host does not say whether there is something at the address of a link: it needs a sign-in, refuses programs, "
        "fails, or does not answer in time. Only `twinpress links` asks.",
        "Open the link in a browser, or leave it out of the check with `--skip`.",
    ),
    "external-unasked": Code(
        INFO,
        "A link was not asked for: the robots.txt of its host does not allow programs, or the host is on this machine or its "
        "network. Only `twinpress links` asks.",
        "Open the link in a browser; `--private` asks in your own network too.",
    ),
}
