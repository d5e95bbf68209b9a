// The search of a preview: it answers from the index of the last save, also while it is open. It stands between the
// theme and its search, which keeps an index as long as it lives: after a save that begins anew in the same dialog.

const searcher = document.querySelector('.tp-search');
const box = document.querySelector('.tp-search-box');
const script = searcher?.dataset.search;
const find = (selector) => box.querySelector(selector);
const fetchIndex = () => fetch(searcher.dataset.index, { cache: 'no-cache' });

let kit; // what the theme hands to its search
let begun; // the search over the present index, when somebody has searched since it is there
let version; // of that index
let shown; // what was asked for last
let count = 0;
let following = Promise.resolve();

if (searcher) searcher.dataset.search = new URL(import.meta.url).pathname; // the theme adds the origin

async function begin(answer) {
  version = answer.headers.get('etag');
  count += 1;
  // A module under another address is another one.
  const search = await import(`${script}?${count}`);
  return (event) => search.start(kit, answer, event);
}

// What the theme calls whenever something is to be found. Its own answer is of the index when the page was new.
export async function start(given, answer, event) {
  kit = given;
  try {
    begun ??= count ? fetchIndex().then(begin) : begin(answer);
    shown = (await begun)(event);
    await shown;
    clean();
  } catch {
    begun = undefined;
    find('p').textContent = kit.words.search_failed;
  }
}

// There was a save.
export function renew() {
  following = following.then(follow);
}

async function follow() {
  if (!begun) return;
  if (!box.open) {
    begun = undefined;
    return;
  }
  const answer = await fetchIndex().catch(() => undefined);
  if (!answer?.ok || answer.headers.get('etag') === version) return;
  await shown;
  const before = look();
  begun = begin(answer);
  await start(kit);
  if (find('input').value === before.query) await choose(before);
}

function look() {
  const list = find('#tp-found');
  const chosen = find('[aria-selected=true]')?.getAttribute('href');
  return { query: find('input').value, chosen, place: list.scrollTop, pages: list.children.length };
}

// The result that was chosen is so again, also when it was among those that are only shown when more are asked for.
async function choose({ chosen, place, pages }) {
  const list = find('#tp-found');
  const same = chosen && find(`[role=option][href="${CSS.escape(chosen)}"]`);
  if (same) {
    list.scrollTop = place;
    same.dispatchEvent(new Event('pointermove'));
    return;
  }
  const [more, length] = [find('[role=option]:not([href])'), list.children.length];
  if (!chosen || !more || length >= pages) return;
  more.click();
  await changed(list);
  if (list.children.length > length) await choose({ chosen, place, pages });
}

function changed(list) {
  return new Promise((done) => {
    const observer = new MutationObserver(() => {
      observer.disconnect();
      done();
    });
    observer.observe(list, { childList: true });
  });
}

// Each search that begins brings its style.
function clean() {
  const href = CSS.escape(searcher.dataset.style);
  const styles = [...document.head.querySelectorAll(`link[rel=stylesheet][href="${href}"]`)];
  const newest = styles.pop();
  const drop = () => styles.map((style) => style.remove());
  if (newest.sheet) drop();
  else newest.addEventListener('load', drop);
}
