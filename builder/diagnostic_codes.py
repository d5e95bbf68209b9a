"""Every diagnostic code, its level and what an author should know about it.

The page `docs/reference/diagnostics` of the sample site is generated from this table.
"""

from __future__ import annotations

from msgspec import Struct


class Code(Struct, frozen=True):
    """`meaning` says when it is given and why it matters; `mend` says what to do. Both are markdown."""

    level: str
    meaning: str
    mend: str


ERROR, WARNING, INFO = "error", "warning", "info"

CODES: dict[str, Code] = {
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
    "redirect-rule": Code(
        WARNING,
        "A line of `static/_redirects` is left out, as it is no redirect, or `site.yml` or a line above has its old "
        "address; or it counts in part, as all redirects of a site are for good and hide no page.",
        "Write `/old /new` and nothing else into the line, or set up at the host what only a host can do.",
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
    "frontmatter-unknown-key": Code(
        INFO,
        "A frontmatter key that Twinpress does not use. It is kept in the file.",
        "Correct the spelling, or ignore this.",
    ),
    # links
    "broken-link": Code(
        ERROR,
        "The link leads to a page or file that is not in the site, or has no target at all.",
        "Correct the target; the hint names the nearest page.",
    ),
    "broken-anchor": Code(
        ERROR,
        "The page exists, but nothing on it has this id.",
        "Correct the part after `#`; the hint names the nearest id.",
    ),
    "broken-image": Code(
        ERROR,
        "The image, video or sound is not in the site, or has no address at all.",
        "Put the file there, or correct the target.",
    ),
    "image-insecure": Code(
        WARNING,
        "An image, video or sound has an address with `http`. The policy in every page lets browsers load them over "
        "`https` and from the site itself only, so readers would see a gap.",
        "Use `https`, or put the file into the site.",
    ),
    "image-alt": Code(
        WARNING,
        "An image has no text for readers who do not see it, and for programs.",
        'Describe the image in the brackets. For mere decoration write `<img alt="" src="...">`.',
    ),
    "link-draft": Code(
        ERROR,
        "The link leads to a draft, which a build leaves out.",
        "Publish the page or remove the link.",
    ),
    "link-unsafe": Code(
        WARNING,
        "Only `http`, `https`, `mailto` and `tel` addresses, paths and `#fragments` may be linked. The link is shown as text.",
        "Use one of these.",
    ),
    # markdown
    "html-dropped": Code(
        WARNING,
        "Raw HTML that the page's format does not allow was left out; the text inside is kept, but for `script`, `style` and the like.",
        "Use markdown or a component instead.",
    ),
    "html-unclosed": Code(
        WARNING,
        "A comment, `<script>`, `<textarea>` or another piece of HTML whose content is not shown has no end. What follows "
        "is part of it and in no output: up to the end of the page, of its list item or quote, or for some elements up "
        "to the next empty line. The message gives the number of lines. `<video>`, `<audio>` and `<details>` hide "
        "their content; such an element without an end is closed where its block of HTML ends.",
        "Close it, or put it into a code span to show it.",
    ),
    "mdx-only": Code(
        WARNING,
        "A component or an admonition in an `md` page, which has neither: the component's tags are left out, the "
        "admonition is shown as text.",
        "Rename the file: the ending `.mdx` makes it a page that has both.",
    ),
    "comment-dropped": Code(
        INFO,
        "A comment, `<!-- ... -->` or in `mdx` also `{/* ... */}`, is left out of the output.",
        "Nothing: readers never see it.",
    ),
    "esm-stripped": Code(
        WARNING,
        "`import` and `export` statements are left out of `mdx` pages.",
        "Delete the statement; all components are there without it.",
    ),
    "expression-stripped": Code(
        WARNING,
        "A `{javascript}` expression was left out.",
        "Write the text itself, or put it into a code span to show it.",
    ),
    "admonition-unknown": Code(
        WARNING,
        "The type after `:::` is not known, so the lines are shown as text.",
        "Use `note`, `tip`, `info`, `warning`, `caution` or `danger`.",
    ),
    "admonition-unclosed": Code(
        WARNING,
        "An admonition has no closing `:::` on a line of its own. It ends where its parent ends or, when its first "
        "line ends with `:::`, there.",
        "Add a line `:::`.",
    ),
    "admonition-unopened": Code(
        WARNING,
        "A line `:::` that closes no admonition was left out.",
        "Remove it, or write `:::note` where the admonition begins.",
    ),
    "heading-id-taken": Code(
        WARNING,
        "Two headings ask for the same id, or the id is reserved for the theme. The second gets another one.",
        "Give it another `{#id}`.",
    ),
    "budget-exceeded": Code(
        WARNING,
        "A part of the page is too deep or too long to be rendered, and is shown as plain text. "
        "Or rendering the page took longer than 10 seconds, in the preview or the authoring API, and was given up.",
        "Simplify or shorten it. If the message names `theme/templates`, look for a loop there.",
    ),
    "math-invalid": Code(
        WARNING,
        "A formula has a command that is not known or a fault in its TeX, is too deep, or is not closed. "
        "It is shown as TeX.",
        "Correct it at the place named, or write it with other commands.",
    ),
    "diagram-invalid": Code(
        WARNING,
        "A diagram has a fault in its source, or its drawing has something that could load or run something. "
        "It is shown as code.",
        "Correct the line that is named. Diagrams are in the language of Mermaid.",
    ),
    "diagrams-missing": Code(
        INFO,
        "The site has the extra `diagrams`, and the package that draws them is not installed here. "
        "Diagrams are shown as code.",
        "Run `pip install 'twinpress[diagrams]'`, where that package is to be had.",
    ),
    "fence-unclosed": Code(
        INFO,
        "A fenced code block has no closing fence, so it runs to the end of the page or its parent.",
        "Close it.",
    ),
    "table-cell-dropped": Code(
        WARNING,
        "A table's row has more cells than its header, or a `|` within a cell that ends the cell. "
        "The rest of the row is left out.",
        "Write `\\|` for a `|` within a cell, also in code, or add a column.",
    ),
    "footnote-undefined": Code(
        WARNING,
        "A footnote reference has no definition, so it is shown as text.",
        "Add a line `[^name]: text`.",
    ),
    "footnote-unused": Code(
        WARNING,
        "Nothing mentions the footnote, or another of the same name is mentioned, so its text is left out.",
        "Mention it with `[^name]`, or remove it.",
    ),
    # components
    "component-unknown": Code(
        WARNING,
        "There is no component of this name. Its tags are left out, its content is kept.",
        "Correct the name (the hint names the nearest), or put it into a code span.",
    ),
    "component-unclosed": Code(
        WARNING,
        "A component has no closing tag, so it ends where its parent ends.",
        "Add the closing tag.",
    ),
    "tag-broken": Code(
        WARNING,
        "A component's tag cannot be read, nearly always because a quote or brace is not closed. "
        "The tag is left out, its content is kept.",
        "Close all quotes and braces of the tag.",
    ),
    "component-unopened": Code(
        WARNING,
        "A closing tag without an opening one was left out.",
        "Remove it, or add the opening tag.",
    ),
    "component-misplaced": Code(
        WARNING,
        "The component is where it cannot be, for example an item outside its group, or a block within a line of text. Its content is kept.",
        "Move it as the message says.",
    ),
    "include-missing": Code(
        ERROR,
        "A file that the page includes is not there, or has not the region or the lines that it asks for.",
        "Correct the path, which is seen from the file that names it, or the name of the region.",
    ),
    "include-refused": Code(
        ERROR,
        "A file that the page includes may not be read. Parts have a name, or are in a folder, that begins with `_`. "
        "Nothing is read from outside of the site's folder, below a name that begins with a dot, or from what a build "
        "has written; symbolic links are not followed.",
        "Move the file into the site's folder, and let the name of a part begin with `_`.",
    ),
    "include-cycle": Code(
        ERROR,
        "A part or a component includes itself, or stands more than 8 deep within others. It is left out there.",
        "Remove one of the includes that the message names.",
    ),
    "variable-unknown": Code(
        WARNING,
        "No variable of this name is declared in `site.yml`, a category file of the page's folders, its frontmatter, or the "
        "attributes of what includes the text. The text stays as it is.",
        "Correct the name (the hint names the nearest), declare it, or write `\\%{name}` to show it.",
    ),
    "own-component-invalid": Code(
        ERROR,
        "A file in `_components` has a name that no own component can have, or declares its attributes in a way that cannot "
        "be read.",
        "Correct the file as the message says.",
    ),
    "slot-unknown": Code(
        WARNING,
        "A page fills a slot that the own component does not have. The content is shown below the component.",
        "Correct the slot's name, or add the slot to the component.",
    ),
    "attribute-unknown": Code(
        WARNING,
        "The component has no such attribute; it has no effect.",
        "Correct the name (the hint names the nearest), or remove it.",
    ),
    "attribute-invalid": Code(
        WARNING,
        "The value is not one that the attribute can have; the default is used.",
        "Give it a value that the message names.",
    ),
    "attribute-expression": Code(
        WARNING,
        "An attribute's `{...}` is no plain string, number or boolean, or a list of those; the attribute is left out.",
        "Write the value itself.",
    ),
    "attribute-missing": Code(
        WARNING,
        "The component needs this attribute.",
        "Add it.",
    ),
    "labels-mismatch": Code(
        WARNING,
        "There are not as many `labels` as parts. Parts without a label are numbered; labels without a part are left out.",
        "Give one label for each part.",
    ),
    "premium-hidden": Code(
        WARNING,
        "A premium component on a site whose plan is free: its content is left out of the output; a small notice is shown instead.",
        "Set the plan to `premium`, or use another component.",
    ),
    "verb-unknown": Code(
        WARNING,
        "There is no HTTP verb of this name. It is shown as it is.",
        "Correct the verb; the hint names the nearest.",
    ),
    "icon-unknown": Code(
        WARNING,
        "There is no icon of this name; the default icon is shown.",
        "Use a name from the icon list; the hint names the nearest.",
    ),
    "color-unknown": Code(
        WARNING,
        "The colour is neither a known name nor a hex value like `#7c3aed`; the default colour is used.",
        "Use one of these.",
    ),
    "feed-invalid": Code(
        WARNING,
        "A page with `feed: true` cannot have a feed, as the site has no `url` or not the extra `update`; or an entry is "
        "not in the feed, as it has no day.",
        "Add what the message names, or remove `feed` from the page's frontmatter.",
    ),
    "key-unknown": Code(
        WARNING,
        "A name between `++` and `++` is that of no key, so the text is shown as it is.",
        'Correct the name, or put what is on the key into quotes, as in `++ctrl+"Play"++`.',
    ),
    "embed-host": Code(
        WARNING,
        "The address is not `https` or its host is not in `embed_hosts`; a plain link is shown instead.",
        "Add the host to `embed_hosts` in `site.yml`.",
    ),
    "analytics-ignored": Code(
        INFO,
        "The service that builds the site does not let its pages load the scripts of `analytics`.",
        "Look at the page `Readers` of the dashboard, which counts without a script.",
    ),
    # the builder itself
    "internal-error": Code(
        ERROR,
        "Twinpress failed on this page. This is a fault of Twinpress; the rest of the site is built.",
        "Please report it with the page.",
    ),
}
