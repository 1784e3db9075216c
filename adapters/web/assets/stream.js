// Watching a conversation: the server tells what changed since the revision that the
// page knows, so a break in between loses nothing.
import { $, id, thread } from "./page.js";
import { show } from "./lines.js";
import { news } from "./status.js";

let source = null, revision = thread ? thread.dataset.revision : "", leaving = false;
addEventListener("beforeunload", () => { leaving = true; });

export function watch() {
  if (source || !thread) return;
  source = new EventSource(`/api/threads/${id}/events?view=html&after=${revision}&last=${thread.dataset.last}`);
  source.addEventListener("line", (e) => { revision = e.lastEventId; news(show([JSON.parse(e.data)], false), false); });
  source.addEventListener("sync", (e) => { revision = e.lastEventId; news(show(JSON.parse(e.data).lines, true), true); });
  source.onopen = () => { $("#lost").hidden = true; };
  source.onerror = () => {
    if (leaving) return;
    $("#lost").hidden = false;
    if (source.readyState === EventSource.CLOSED) { source = null; setTimeout(watch, 2000); }
  };
}
