// The console's script: it starts the parts that the page has, and is the one place
// that knows where a click belongs.
import { $, thread } from "./page.js";
import { gone, watchSession } from "./api.js";
import { act, startCards } from "./cards.js";
import { startComposer } from "./composer.js";
import { copy, wordsOf } from "./copy.js";
import { away, beside, follow, menu, menuOpen, openDialog } from "./front.js";
import { keepForms, restoreForms, sentBefore } from "./forms.js";
import { startKeys } from "./keys.js";
import { dismiss, remove } from "./library.js";
import { startLive } from "./live.js";
import { startWorkflow } from "./workflow.js";
import { closePanel, passage } from "./panel.js";
import { startStatus } from "./status.js";
import { unwatch, watch } from "./stream.js";
import { startUploads } from "./upload.js";

const clicks = [
  ["[data-panel]", closePanel],
  ["[data-menu]", () => menu(!menuOpen())],
  ["[data-open]", (el) => openDialog(el.dataset.open)],
  ["[data-close]", (el) => el.closest("dialog").close()],
  ["[data-away]", (el) => away(el.dataset.away)],
  ["#away-open", follow],
  ["button[data-action]", (el) => act(el)],
  ["[data-copy]", (el) => copy(wordsOf(el.closest(".line")))],
  ["[data-link]", (el) => copy(location.origin + el.dataset.link)],
  ["[data-remove]", remove],
  ["[data-dismiss]", dismiss],
];

addEventListener("click", (e) => {
  const plain = !e.metaKey && !e.ctrlKey && !e.shiftKey && e.button === 0;
  const cited = plain && thread && e.target.closest("a[data-passage]");
  if (cited) { e.preventDefault(); passage(cited); return; }
  for (const [sel, does] of clicks) {
    const el = e.target.closest(sel);
    if (el) { does(el); return; }
  }
  if (e.target.tagName === "DIALOG") beside(e);
});

addEventListener("submit", (e) => { // the page that is shown in another language or colour is this one
  if (e.target.matches(".prefs")) e.target.elements.next.value = location.pathname + location.search + location.hash;
});

if (thread) { startStatus(); startComposer(); }
startUploads();
startLive();
startWorkflow();
if ($("#ask")) { startCards(); startKeys(); watchSession(unwatch, watch); }
const password = $("[name=password]"), ways = document.querySelectorAll("a[data-way]");
let back = "";
if (password || ways.length) { gone(); back = sentBefore(); } // who is asked to sign in has signed out, in every tab
else { restoreForms(); keepForms(); }
if (back && password) password.form.elements.next.value = back;
if (location.hash && password && !password.form.elements.next.value.includes("#")) {
  password.form.elements.next.value += location.hash; // browsers keep an anchor on the way here, and tell no server
}
for (const a of ways) {
  const to = new URL(a.href), next = back || to.searchParams.get("next") || "/";
  if (back) { to.searchParams.set("next", back); a.href = to; }
  if (location.hash && !next.includes("#")) { to.searchParams.set("next", next + location.hash); a.href = to; }
}
