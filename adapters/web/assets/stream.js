// Watching a conversation: the server tells what changed since the revision that the
// page knows, so a break in between loses nothing.
import { $, id, thread } from "./page.js";
import { renew } from "./api.js";
import { show } from "./lines.js";
import { news } from "./status.js";

let source = null, revision = thread ? thread.dataset.revision : "", leaving = false;
addEventListener("beforeunload", () => { // which also comes before a download, and when the person stays after all
  leaving = true;
  setTimeout(() => { leaving = false; }, 3000);
});

// Of a line that grows faster than the screen is drawn only the newest state is shown:
// each costs a layout, and who types waits for all of them. A page that nobody looks
// at is not drawn, and keeps up all the same.
const fresh = new Map();
let drawn = 0, late = 0;
function soon(line) {
  fresh.set(line.id, line);
  drawn ||= requestAnimationFrame(flush);
  late ||= setTimeout(flush, 200);
}
function flush() {
  cancelAnimationFrame(drawn);
  clearTimeout(late);
  drawn = late = 0;
  const lines = [...fresh.values()];
  fresh.clear();
  if (lines.length) news(show(lines, false), false);
}

// A connection that broke without a word, over a machine's sleep or in a router that
// forgot it, looks like a quiet one. The page knows how often the server gives a sign of
// life: when three did not come, another connection is made.
let silence = 0;
function heard() {
  clearTimeout(silence);
  silence = setTimeout(() => { $("#lost").hidden = false; again(); }, 3 * thread.dataset.beat);
}
function again() { if (source) { unwatch(); watch(); } }

addEventListener("online", again); // at once, whatever it was waiting for

export function watch() {
  if (source || !thread) return;
  source = new EventSource(`/api/threads/${id}/events?view=html&after=${revision}&last=${thread.dataset.last}`);
  source.addEventListener("line", (e) => { heard(); revision = e.lastEventId; soon(JSON.parse(e.data)); });
  source.addEventListener("sync", (e) => { heard(); revision = e.lastEventId; fresh.clear(); news(show(JSON.parse(e.data).lines, true), true); });
  source.addEventListener("here", heard);
  source.onopen = () => { $("#lost").hidden = true; };
  source.onerror = () => {
    if (!leaving) $("#lost").hidden = false;
    if (source.readyState === EventSource.CLOSED) refused();
  };
  heard();
}

// refused is told of a connection that the server did not take: who has signed out, in
// another browser too, is asked to sign in, and anybody else comes back.
async function refused() {
  unwatch();
  await renew();
  if (!$("#signin")?.open) setTimeout(watch, 2000);
}

// unwatch ends it: who has signed out is told nothing more.
export function unwatch() {
  clearTimeout(silence);
  source?.close();
  source = null;
}
