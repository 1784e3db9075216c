// What stands in front of the page: dialogs, and on a phone the menu.
import { $ } from "./page.js";

export function openDialog(name) {
  menu(false);
  document.getElementById(name).showModal();
}

// away asks before a link of an answer is followed, and says where it leads.
export function away(address) {
  $("#away-address").textContent = address;
  $("#away").showModal();
}

export function follow() {
  open($("#away-address").textContent, "_blank", "noopener,noreferrer");
  $("#away").close();
}

// beside closes a dialog by a click on what is behind it.
export function beside(e) {
  const r = e.target.getBoundingClientRect();
  if (e.clientX < r.left || e.clientX > r.right || e.clientY < r.top || e.clientY > r.bottom) e.target.close();
}

export const menuOpen = () => document.body.classList.contains("menu");

// On a phone the menu stands in front: the page behind it is out of reach until it
// is closed, which leads back to the button that opened it.
export function menu(open) {
  if (open === menuOpen()) return;
  document.body.classList.toggle("menu", open);
  const main = $("#main"), button = $(".top [data-menu]");
  main.inert = open;
  button?.setAttribute("aria-expanded", String(open));
  if (open) $(".side a").focus(); else button?.focus();
}
