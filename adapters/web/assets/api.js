// Talking to the server: every request that changes something carries the session's
// token, which is renewed when a restart has made it worthless.
import { $, word } from "./page.js";

let token = $('meta[name="csrf"]').content;
export const csrf = () => token;

// Refused is why something was not done, in a sentence for people.
export class Refused extends Error {}

export async function api(method, url, body, again = true) {
  let res;
  try {
    res = await fetch(url, {
      method, body: body === undefined ? undefined : JSON.stringify(body),
      headers: { "X-CSRF-Token": token, ...(body === undefined ? {} : { "Content-Type": "application/json" }) },
    });
  } catch { throw new Refused(word("gone_offline")); }
  if (res.status === 204) return null;
  const data = await res.json().catch(() => ({}));
  if (res.ok) return data;
  const err = data.error || {};
  if (again && err.code === "wrong_token" && await renew()) return api(method, url, body, false);
  if (err.code === "login_needed") signedOut();
  throw new Refused(err.text || word("gone_offline"));
}

// renew asks for the session's token of now; it reports whether there is a session.
export async function renew() {
  const res = await fetch("/api/session").catch(() => null);
  if (res && res.status === 401) signedOut();
  if (!res || !res.ok) return false;
  token = (await res.json()).token;
  for (const f of document.querySelectorAll('input[name="csrf"]')) f.value = token;
  return true;
}

// Who was signed out signs in elsewhere and comes back: this page stays as it is,
// with everything that was written into it.
const tabs = new BroadcastChannel("session");
export const gone = () => tabs.postMessage("out");
let out = () => {};
export function signedOut() {
  if (!$("#signin") || $("#signin").open) return;
  $("#signin").showModal();
  out();
}

// watchSession calls left when the person has signed out, here or in another tab, and
// back each time they have signed in again.
export function watchSession(left, back) {
  out = left;
  tabs.addEventListener("message", renew);
  const look = async () => {
    if ($("#signin").open && await renew()) { $("#signin").close(); back(); }
  };
  addEventListener("focus", look);
  document.addEventListener("visibilitychange", look);
}
