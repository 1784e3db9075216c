// Showing lines: only what differs is touched, so that a selection and an opened list
// of sources outlive the next token. Every piece of HTML was made and escaped by the
// server.
import { $, log, scroll } from "./page.js";
import { regain } from "./focus.js";
import { clocks } from "./live.js";

// A control becomes no other one: a second Enter would press what was not there yet.
const alike = (a, b) => a.nodeType === 1 && b.nodeType === 1 && a.tagName === b.tagName && a.className === b.className &&
  a.dataset.action === b.dataset.action && a.dataset.verb === b.dataset.verb;

function morph(old, now) {
  if (old.isEqualNode(now)) return;
  for (const a of [...old.attributes]) if (!now.hasAttribute(a.name) && a.name !== "open") old.removeAttribute(a.name);
  for (const a of now.attributes) if (old.getAttribute(a.name) !== a.value) old.setAttribute(a.name, a.value);
  const fresh = [...now.childNodes];
  fresh.forEach((n, i) => {
    const o = old.childNodes[i];
    if (!o) old.append(n);
    else if (o.isEqualNode(n)) return;
    else if (alike(o, n)) morph(o, n);
    else o.replaceWith(n);
  });
  while (old.childNodes.length > fresh.length) old.lastChild.remove();
}

function parse(html) {
  const t = document.createElement("template");
  t.innerHTML = html;
  clocks(t.content);
  return t.content.firstElementChild;
}

function place(line) {
  const old = document.getElementById("l-" + line.id);
  if (line.gone) { if (old) old.remove(); return null; }
  const now = parse(line.html);
  if (old) {
    const inside = old.contains(document.activeElement);
    morph(old, now);
    if (inside) regain(old); // a decided card has no buttons any more
    return old;
  }
  log.append(now);
  return now;
}

const near = 120; // pixels from the end that are read as being there
const atEnd = () => scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < near;
export const toEnd = () => { scroll.scrollTop = scroll.scrollHeight; };

// Who reads the end stays there when the keyboard of a phone takes half of the page, the
// phone is turned, or a panel opens beside it. Of a scroll that is told of once the room has
// changed is asked whether it was at the end before as well: a bar that leads away goes with it.
// In another width the lines are others, and nothing can be told.
let ended = true, wide = 0, tall = 0;
scroll?.addEventListener("scroll", () => {
  if (scroll.clientWidth === wide) ended = scroll.scrollHeight - scroll.scrollTop - Math.max(tall, scroll.clientHeight) < near;
}, { passive: true });
if (scroll) new ResizeObserver(() => {
  if (!wide) ended = atEnd(); // a link to a message has led to it
  else if (ended) toEnd();
  wide = scroll.clientWidth;
  tall = scroll.clientHeight;
}).observe(scroll);

// show puts lines where they belong and returns their elements; the whole thread is
// put into its order, and what is not in it goes.
export function show(lines, whole) {
  const follow = atEnd(), shown = [];
  if (whole) {
    const keep = new Set(lines.map((l) => "l-" + l.id));
    for (const el of [...log.children]) if (!keep.has(el.id)) el.remove();
  }
  let before = null;
  for (const l of lines) {
    const el = place(l);
    if (!el) continue;
    if (whole) { if (before ? before.nextSibling !== el : log.firstChild !== el) (before ? before.after(el) : log.prepend(el)); before = el; }
    shown.push(el);
  }
  $("#empty").hidden = log.children.length > 0;
  if (follow) toEnd();
  return shown;
}
