// The list of conversations at the side, which also knows what this one is called.
import { $, id, thread } from "./page.js";

export async function renewThreads() {
  const res = await fetch(`/fragments/threads?current=${id}`).catch(() => null);
  if (!res || !res.ok || res.redirected) return; // signed out: that would be the login page
  $("#threads").innerHTML = await res.text();
  const name = $('#threads [aria-current] .name');
  if (name && thread) { $(".top h1").textContent = name.textContent; document.title = name.textContent; }
}

// step moves the keyboard by one conversation; it reports whether there was one.
export function step(from, by) {
  const all = [...document.querySelectorAll("#threads a")], to = all[all.indexOf(from) + by];
  to?.focus();
  return Boolean(to);
}
