// What is written and not yet taken outlives a reload of this tab, with the id under
// which it may have been sent: sent again it is the same message.
import { begun, id } from "./page.js";

const key = () => "draft/" + (begun() ? id : "new");

const files = () => "files/" + id;

// keepFiles notes which documents go with the next message; keptFiles are those that were
// added before a reload and have not gone with any yet.
export function keepFiles(list) {
  if (list.length) sessionStorage.setItem(files(), JSON.stringify(list));
  else sessionStorage.removeItem(files());
}

export function keptFiles() { return JSON.parse(sessionStorage.getItem(files()) || "[]"); }

export function keepDraft(text, message) {
  if (text.trim()) sessionStorage.setItem(key(), JSON.stringify({ text, id: message, thread: id }));
  else sessionStorage.removeItem(key());
}

// keptDraft is what was left: nothing if it has been taken since. Its id holds in its
// own conversation only.
export function keptDraft() {
  const was = JSON.parse(sessionStorage.getItem(key()) || "null");
  if (!was || (was.id && document.getElementById("l-" + was.id))) return null;
  return { text: was.text, id: was.thread === id ? was.id : "" };
}
