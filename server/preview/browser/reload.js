// Keeps a page of the preview as its source is: reloads it when it has changed, and shows what is wrong
// with the site in a panel. The panel lives in a shadow tree, so that neither the theme nor the panel can
// disturb the other, and is made of text nodes only.

import { renew } from './live-search.js';

const EVENTS = new URL('events', import.meta.url);
const STYLE = new URL('reload.css', import.meta.url);
const RELOADED = `twinpress-reloaded:${location.pathname}`;
const HIDDEN = 'twinpress-hidden';
const PAUSE = 1000; // milliseconds between two questions of a window that has no stream
const READING = 'Titles of other pages, and their order, are guessed from the names of files until all have been read.';
const PATIENCE = 1500; // milliseconds without a stream before the preview is said to have stopped

// What this page was loaded as, told by its Server-Timing header; unknown where browsers keep that back.
const timing = performance.getEntriesByType('navigation')[0]?.serverTiming ?? [];
let page = timing.find((entry) => entry.name === 'page')?.description ?? '';
let assets = '';
let built;
let stream;
let losing;
let asking;

function element(name, text = '', className = '') {
  const made = document.createElement(name);
  made.textContent = text;
  if (className) made.className = className;
  return made;
}

function counted(number, noun) {
  return number ? [`${number} ${noun}${number === 1 ? '' : 's'}`] : [];
}

function entry(problem) {
  const item = element('li', '', problem.level);
  const head = element('p', '', 'head');
  head.append(element('strong', problem.level), ` ${problem.message} `, element('code', problem.code));
  item.append(head);
  if (problem.file) {
    const numbers = [problem.line, problem.column].filter((number) => number > 0);
    item.append(element('p', [problem.file, ...numbers].join(':'), 'place'));
  }
  if (problem.source) {
    const frame = element('pre');
    frame.tabIndex = 0;
    const gutter = `${problem.line} | `;
    frame.append(element('span', gutter, 'gutter'), problem.source);
    if (problem.caret >= 0) {
      frame.append('\n', element('span', `${' '.repeat(gutter.length - 2)}| `, 'gutter'));
      frame.append(element('span', `${' '.repeat(problem.caret)}^`, 'caret'));
    }
    item.append(frame);
  }
  if (problem.hint) item.append(element('p', problem.hint, 'hint'));
  return item;
}

class Panel {
  constructor() {
    this.host = document.createElement('twinpress-preview');
    const root = this.host.attachShadow({ mode: 'open' });
    const style = element('link');
    style.rel = 'stylesheet';
    style.href = STYLE;
    this.box = element('section');
    this.box.hidden = true;
    this.box.setAttribute('aria-label', 'Preview');
    this.note = element('p', '', 'note');
    this.note.setAttribute('role', 'status');
    this.list = element('ol');
    this.toggle = element('button', '', 'toggle');
    this.toggle.type = 'button';
    this.toggle.addEventListener('click', () => this.fold(!this.folded));
    this.toggle.setAttribute('aria-controls', 'problems');
    this.list.id = 'problems';
    this.box.append(this.toggle, this.note, this.list);
    root.append(style, this.box);
    document.body.append(this.host);
  }

  fold(folded) {
    this.folded = folded;
    this.box.classList.toggle('folded', folded);
    this.toggle.setAttribute('aria-expanded', String(!folded));
    sessionStorage.setItem(HIDDEN, folded ? this.signature : '');
  }

  show(state) {
    const { problems, errors, warnings, stale, notice, reading } = state;
    this.box.hidden = !problems.length && !notice && !reading;
    if (this.box.hidden) return;
    const withheld = [...(reading ? ['pages are being read'] : []), ...(notice ? ['programs not run'] : [])];
    this.toggle.textContent = [...withheld, ...counted(errors, 'error'), ...counted(warnings, 'warning')].join(', ');
    this.toggle.classList.toggle('bad', errors > 0);
    this.note.textContent = stale ? 'The site is shown as it was before this.' : '';
    const said = notice ? [element('li', notice, 'notice')] : [];
    if (reading) said.unshift(element('li', READING, 'notice'));
    this.list.replaceChildren(...said, ...problems.map(entry));
    const more = errors + warnings - problems.length;
    if (more > 0) this.list.append(element('li', `and ${more} more: see twinpress check`, 'more'));
    this.signature = JSON.stringify([notice, ...problems]);
    const chosen = sessionStorage.getItem(HIDDEN);
    this.fold(chosen === null ? errors === 0 && !notice : chosen === this.signature);
  }

  lost() {
    this.box.hidden = false;
    this.toggle.textContent ||= 'Preview';
    this.note.textContent = 'The preview has stopped.';
  }
}

const panel = new Panel();

function reload(version) {
  // Never twice for the same version: whatever the reason, a page must not reload for ever.
  if (sessionStorage.getItem(RELOADED) === version) return;
  sessionStorage.setItem(RELOADED, version);
  location.reload();
}

// While the search is open, its page waits: until the dialog is closed, and not by a result on another page, as
// that leads there.
let waiting;
function onceSearchIsClosed(act) {
  const box = document.querySelector('.tp-search-box');
  if (!box?.open) return act();
  waiting?.abort();
  waiting = new AbortController();
  const { signal } = waiting;
  let left = false;
  box.addEventListener('click', (event) => {
    const link = event.target.closest('a[href]');
    const here = event.ctrlKey || event.metaKey || event.shiftKey || link?.pathname === location.pathname;
    left = Boolean(link) && !here;
  }, { capture: true, signal });
  box.addEventListener('close', () => left || act(), { once: true, signal });
}

function update(state) {
  clearTimeout(losing);
  losing = undefined;
  const changed = (page && state.page && state.page !== page) || (assets && state.assets !== assets);
  page ||= state.page;
  assets ||= state.assets;
  if (changed) onceSearchIsClosed(() => reload(`${state.page} ${state.assets}`));
  if (built !== undefined && built !== state.built) renew();
  built = state.built;
  panel.show(state);
}

const ASKED = `${EVENTS}?page=${encodeURIComponent(location.pathname)}`;

function missed() {
  losing ??= setTimeout(() => panel.lost(), PATIENCE);
}

// A hidden tab does not listen: browsers allow a server only six connections, and tabs would use them up.
// Of many windows those that were opened first give theirs up, and ask from time to time until there is room again.
function connect() {
  if (stream || document.hidden) return;
  clearInterval(asking);
  stream = new EventSource(ASKED);
  stream.addEventListener('state', (event) => update(JSON.parse(event.data)));
  stream.addEventListener('crowded', () => {
    disconnect();
    asking = setInterval(ask, PAUSE);
  });
  stream.addEventListener('error', () => {
    missed();
    if (stream?.readyState !== EventSource.CLOSED) return;
    disconnect();
    setTimeout(connect, 1000);
  });
}

async function ask() {
  try {
    const answer = await fetch(`${ASKED}&now`);
    if (!answer.ok) throw answer;
    const state = await answer.json();
    update(state);
    if (state.room) connect();
  } catch {
    missed();
  }
}

function disconnect() {
  clearInterval(asking);
  stream?.close();
  stream = undefined;
}

document.addEventListener('visibilitychange', () => (document.hidden ? disconnect() : connect()));
addEventListener('pagehide', disconnect);
addEventListener('pageshow', connect);
connect();
