// Showing lines: only what differs is touched, so that a selection and an opened list
// of sources outlive the next token. Every piece of HTML was made and escaped by the
// server.
import { $, log, scroll } from "./page.js";
import { regain } from "./focus.js";

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

const atEnd = () => scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < 120;
export const toEnd = () => { scroll.scrollTop = scroll.scrollHeight; };

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
