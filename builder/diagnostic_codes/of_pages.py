"""Codes of what renders a page: its links, its markdown, its components, and faults of the builder itself."""

from __future__ import annotations

from builder.diagnostic_codes.diagnostic_code import ERROR, INFO, WARNING, Code

PAGE_CODES: dict[str, Code] = {
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
    "foreign-syntax": Code(
        WARNING,
        "A form of another system means nothing here, so readers see it as it is written.",
        "Write the form that the hint names.",
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
