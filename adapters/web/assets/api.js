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

async function renew() {
  const res = await fetch("/api/session").catch(() => null);
  if (res && res.status === 401) signedOut();
  if (!res || !res.ok) return false;
  token = (await res.json()).token;
  for (const f of document.querySelectorAll('input[name="csrf"]')) f.value = token;
  return true;
}

// Who was signed out signs in elsewhere and comes back: this page stays as it is,
// with everything that was written into it.
function signedOut() {
  if (!$("#signin").open) $("#signin").showModal();
}

// whenBack calls f each time the person has signed in again.
export function whenBack(f) {
  const look = async () => {
    if ($("#signin")?.open && await renew()) { $("#signin").close(); f(); }
  };
  addEventListener("focus", look);
  document.addEventListener("visibilitychange", look);
}
