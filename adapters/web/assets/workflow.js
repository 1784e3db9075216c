// The editor of a workflow: what is wrong with the text and its drawing stand beside it while somebody writes.
import { $ } from "./page.js";
import { csrf } from "./api.js";
import { startProposals } from "./proposals.js";

export function startWorkflow() {
  const text = $("#definition"), beside = $("#checked");
  if (!text) return;
  let waits, asked = 0, leaves = false;
  text.addEventListener("input", () => {
    clearTimeout(waits);
    waits = setTimeout(async () => {
      const mine = ++asked; // an answer that is overtaken is not shown
      const body = new URLSearchParams({ text: text.value, fragment: "1" });
      const res = await fetch("/workflows/check", { method: "POST", body, headers: { "X-CSRF-Token": csrf() } }).catch(() => null);
      if (!res || !res.ok || mine !== asked) return;
      beside.innerHTML = await res.text();
    }, 300);
  });
  if (!("complete" in text.dataset)) return;
  startProposals(text, $("#proposals"));
  text.form.addEventListener("submit", () => { leaves = true; });
  addEventListener("pageshow", () => { leaves = false; });
  addEventListener("beforeunload", (e) => { // what is not saved is not lost by a click beside
    if (!leaves && text.value !== text.defaultValue) e.preventDefault();
  });
  $("#tried")?.scrollIntoView({ block: "nearest" });
}
