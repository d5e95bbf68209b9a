"""Tags of HTML, which both formats must look at."""

from __future__ import annotations

from tests.builder.pathological.makers import Kinds, filled, nested

HTML: Kinds = {
    "open comments": filled("<!--"),
    "comments": filled("<!-- a -->"),
    "comments that end at once": filled("<!-->"),
    "declarations": filled("<!a"),
    "instructions": filled("<?a"),
    "character data": filled("<![CDATA["),
    "elements": filled("<b>a</b> "),
    "open elements": filled("<b>"),
    "open blocks": filled("<div>\n"),
    "open blocks apart": filled("<div>\n\n"),
    "closing tags": filled("</b>"),
    "closing blocks": filled("</div>\n\n"),
    "nested blocks": nested("<div>\n\n", "</div>\n\n"),
    "open links": filled('<a href="b">'),
    "open formatting in paragraphs": filled("<b><i>a\n\n"),
    "misnested formatting": filled("<b><p><i></b></p></i>"),
    "tables in tables": filled("<table><tr><td>"),
    "details": filled("<details>\n\n"),
    "closed details": filled("<details><summary>a</summary>\n\nb\n\n</details>\n\n"),
    "attributes": filled("a=b ", "<a ", ">"),
    "attributes without an end": filled('a="b" ', "<a "),
    "attributes of one name": filled("a ", "<a ", ">"),
    "an open quote": filled('<a b="'),
    "open quotes of both kinds": filled("<a b='\n<a b=\""),
    "open scripts": filled("<script>"),
    "open scripts on lines": filled("<script>\n\n"),
    "scripts": filled("<script>a</script>"),
    "open styles of many names": filled("<style>\n<svg>\n<math>\n<iframe>\n"),
    "kept elements": filled("<kbd>a</kbd> "),
    "open kept elements": filled("<kbd>"),
    "images": filled('<img src="a.png">'),
    "srcsets": filled("a 1x, ", '<img srcset="', '">'),
    "textareas": filled("<textarea>"),
    "breaks": filled("<br>"),
}
