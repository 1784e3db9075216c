// The editor of a workflow: what is wrong with the text and its drawing stand beside it while somebody writes.
import { $ } from "./page.js";
import { csrf } from "./api.js";

export function startWorkflow() {
  const text = $("#definition"), beside = $("#checked");
  if (!text) return;
  let waits, asked = 0;
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
}
