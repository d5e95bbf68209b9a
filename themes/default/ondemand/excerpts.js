// The sections of pages out of their twins: the same as builder/search/twin_sections.py does.
let MARK = /\n(?:#{2,4} ([^\n]{1,500})|[ \t>]*(?:(?:[-*+]|\d+[.)])[ \t]+)?(`{3,}|~{3,})([^\n]*))(?=\n)/g;
let SPACE = /[ \t\n\r\f\v\u00a0\u2000-\u200a\u2028\u2029\u202f\u3000]+/g;
let INLINE = /(?<!`)(`+)([^`]+|[^`][\s\S]{0,500}?[^`])\1(?!`)|\[\^[^\]\s]{1,99}\]:?|!?\[([^\[\]`\\]*(?:(?:\\[\s\S]|`[^`]{0,500}`|!\[[^\]]{0,500}\]\([^)]{0,500}\))[^\[\]`\\]*)*)\]\((?:<[^>]{0,2000}>|[^()\s]*(?:\([^()]{0,500}\)[^()\s]*)*)(?:\s+"[^"]{0,500}")?\)|\\([!-/:-@\[-`{-~])|<(https?:[^\s>]{0,2000})>|<!--[^>]{0,500}-->|<\/?[a-zA-Z][^>]{0,500}>|&(amp|lt|gt|quot);|(?<!\*)\*+(?=[^\s*])|(?<=[^\s*])\*+|(?<![A-Za-z0-9_])_+(?=[^\s_])|(?<=[^\s_])_+(?![A-Za-z0-9_])|~~/g;
let SHOWN = 3000;
let ENTITIES = { amp: "&", lt: "<", gt: ">", quot: '"' };

let plain = (text) => text.replace(INLINE, (all, _, code, link, escaped, address, entity) => {
  if (code) return code;
  if (link != null) return all[0] === "!" ? "" : plain(link);
  return all.startsWith("<br") ? " " : escaped ?? address ?? ENTITIES[entity] ?? "";
});
let prose = (text) => plain(`${text}\n`
  .replace(/\n[ \t>]*[|:=-][ \t|:=-]*(?=\n)/g, "")
  .replace(/\n(?:[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])[ \t]|#+ |\[[ xX]\] ))*[ \t]*\|?/g, "\n")
  .replace(/ \|(?=[ \n])/g, " "));

let page = (twin) => {
  let [title, ...lines] = `\n${twin}`.split("\n# ").slice(1).join("\n# ").split("\n");
  let rest = `\n${lines.join("\n")}\n`;
  let times = {};
  let anchorOf = (heading) => {
    let slug = heading.trim().toLowerCase().replace(/[^\p{L}\p{M}\p{Nd}\p{Nl}\p{Pc} -]/gu, "").replaceAll(" ", "-");
    let number = (times[`#${slug}`] = (times[`#${slug}`] ?? -1) + 1);
    return number ? `${slug}-${number}` : slug;
  };
  let section = ["", "", ""];
  let [sections, at, fence] = [[section], 0, ""];
  anchorOf(title = plain(title));
  for (let { 0: { length }, 1: heading, 2: ticks, 3: info, index } of rest.matchAll(MARK)) {
    if (fence && !(ticks?.startsWith(fence) && !info.trim())) continue;
    let between = rest.slice(at, index);
    section[2] += fence ? between : prose(between);
    at = index + length;
    if (ticks) {
      section[2] += `\n${/title="([^"\n]*)"/.exec(info)?.[1] ?? ""}`;
      fence = fence ? "" : ticks;
    } else {
      heading = plain(heading);
      sections.push(section = [anchorOf(heading), heading, ""]);
    }
  }
  section[2] += fence ? rest.slice(at) : prose(rest.slice(at));
  let line = (text) => {
    text = text.replace(SPACE, " ").replace(/^ | $/g, "");
    return text.length > SHOWN ? text.slice(0, SHOWN).replace(/ [^ ]*$/, "") : text;
  };
  return [title, sections.map(([anchor, heading, text]) => [anchor, heading, line(text)])];
};

// The title and the sections of a page without their texts, out of its HTML, which has the headings of its twin.
let named = (html, place) => {
  let shown = new DOMParser().parseFromString(html, "text/html");
  let headings = [...shown.querySelectorAll("article :is(h2,h3,h4)[id]")];
  return [shown.querySelector("h1")?.textContent ?? place, [["", "", ""], ...headings.map(({ id, textContent }) => [id, textContent, ""])]];
};

// Gives a page by its number: its address, its title and its sections. What reads those of an index stays with it.
let readers = new WeakMap();
export let reader = (pages, address, load) => readers.get(load) ?? readers.set(load, begin(pages, address, load)).get(load);
let begin = (pages, address, load) => {
  let folder;
  let places = pages.split(" ").map((name) => {
    let place = /^[./]/.test(name) ? name : folder + name;
    if (name[0] !== ".") folder = place.replace(/[^/]*$/, "");
    return place;
  });
  let known = {};
  // Their names say nothing of their content: the browser asks if it is still the same.
  let ask = (name) => fetch(new URL(`..${name}`, address), { cache: "no-cache" });
  let read = async (place) => {
    let answer = await ask(`${place.replace(/\/$/, "/index")}.md`);
    if (answer.ok && !/html/.test(answer.headers.get("content-type"))) return [place, ...page(await answer.text())];
    // Some hosts keep twins back, or answer with a page of theirs: then titles and headings are those of the page.
    if (answer.status < 500) answer = await ask(place);
    if (!answer.ok) throw answer;
    return [place, ...named(await answer.text(), place)];
  };
  return async (at) => {
    let place = places[at];
    if (place[0] === ".") return (await load(`d${at}`, place.slice(1)))[0];
    return (known[at] ??= read(place).catch((error) => {
      delete known[at];
      throw error;
    }));
  };
};
