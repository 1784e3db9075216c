// Where one writes: sending a message once, whatever happens on its way, and stopping
// its answer.
import { $, begun, id, thread, toast, word } from "./page.js";
import { api } from "./api.js";
import { keepDraft, keepFiles, keptDraft, keptFiles } from "./draft.js";
import { lead } from "./focus.js";
import { toEnd } from "./lines.js";
import { expect, state } from "./status.js";
import { watch } from "./stream.js";
import { renewThreads } from "./threads.js";

const box = $("#text");
const random = () => Array.from(crypto.getRandomValues(new Uint8Array(10)), (b) => b.toString(16).padStart(2, "0")).join("");

let sending = false, next = false, attempt = {};

function keep() {
  const text = [sending ? attempt.text : "", box.value].filter((s) => s && s.trim()).join("\n");
  keepDraft(text, attempt.text === text.trim() ? attempt.id : "");
}

function restore() {
  const was = box.value ? null : keptDraft();
  if (!was) { keep(); return; }
  box.value = was.text;
  if (was.id) attempt = { ...was, files: handed };
}

// begin makes the first page of a conversation a page of its own: "back" leads to
// the page it was begun on.
let here = location.pathname;
export function begin() {
  if (begun()) return;
  delete thread.dataset.new;
  history.pushState(null, "", "/t/" + id);
  here = location.pathname;
  $("#forget").hidden = false;
}

// hand gives a document that was added here with the next message, as one that is about it.
let handed = keptFiles();
export function hand(document) {
  if (document && !handed.includes(document)) handed = [...handed, document].slice(-20);
  keepFiles(handed);
}

async function send() {
  const text = box.value.trim();
  if (!text) return;
  if (sending) { next = true; return; } // it goes once the one before has arrived
  sending = true;
  if (attempt.text !== text) attempt = { text, id: random(), files: handed }; // unchanged after a failure, it is the same message
  try {
    box.value = "";
    keep();
    expect(!text.startsWith("/"));
    watch();
    await api("POST", `/api/threads/${id}/messages`, { id: attempt.id, text, files: attempt.files || [], time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone });
    handed = handed.filter((d) => !(attempt.files || []).includes(d));
    keepFiles(handed);
    attempt = {};
    keepDraft("");
    begin();
    toEnd();
    renewThreads();
  } catch (e) {
    next = false;
    expect(false);
    box.value = box.value ? text + "\n" + box.value : text; // what was written meanwhile stays too
    toast(`${word("send.failed")} ${e.message}`);
  } finally {
    sending = false;
    keep(); grow(); state();
    // Who went on to something else meanwhile stays there.
    if ([document.body, $("#send"), $("#stop")].includes(document.activeElement)) box.focus();
    if (next) { next = false; send(); }
  }
}

export async function stop() {
  try {
    if (!(await api("POST", `/api/threads/${id}/stop`)).stopped) expect(false);
  } catch (e) { toast(e.message); }
}

async function forget() {
  if (!confirm(word("thread.forget.sure"))) return;
  try { await api("DELETE", `/api/threads/${id}`); location.href = "/"; } catch (e) { toast(e.message); }
}

// A box of limited length would cut what is pasted without a word.
function paste(e) {
  const text = e.clipboardData.getData("text/plain"), room = box.maxLength - box.value.length + box.selectionEnd - box.selectionStart;
  if (text.length <= room) return;
  e.preventDefault();
  toast(word("too_long"));
}

function grow() { // browsers without field-sizing
  if (CSS.supports("field-sizing", "content")) return;
  box.rows = Math.min(8, Math.max(1, box.value.split("\n").length));
}

export function startComposer() {
  $("#composer").addEventListener("submit", (e) => { e.preventDefault(); send(); });
  box.addEventListener("keydown", (e) => {
    // While a syllable is being composed, Enter belongs to the input method.
    if (e.key === "Enter" && !e.shiftKey && !e.isComposing && e.keyCode !== 229) { e.preventDefault(); send(); }
  });
  box.addEventListener("keypress", (e) => { if (e.key === "Enter" && !e.shiftKey) e.preventDefault(); });
  box.addEventListener("input", () => { keep(); grow(); state(); });
  box.addEventListener("paste", paste);
  $("#stop").addEventListener("click", (e) => { if (e.detail < 2) stop(); }); // it stands where a double click began with sending
  $("#forget").addEventListener("click", forget);
  for (const b of document.querySelectorAll("[data-example]")) {
    b.addEventListener("click", () => { box.value = b.dataset.example || b.textContent; send(); });
  }
  addEventListener("popstate", () => { if (location.pathname !== here) location.reload(); });
  addEventListener("hashchange", lead);
  restore(); grow();
  if (begun()) { watch(); if (!lead()) toEnd(); }
  state();
}
