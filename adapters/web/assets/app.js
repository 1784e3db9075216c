// The console's script: watches a thread, sends what is written, uploads files.
// Every piece of HTML it shows was made and escaped by the server.
"use strict";
(() => {
  const $ = (sel, from = document) => from.querySelector(sel);
  const words = JSON.parse($("#words").textContent);
  const w = (key) => words[key] || key;
  const thread = $("#thread"), log = $("#log"), scroll = $("#scroll");
  const id = thread ? thread.dataset.thread : "";
  let token = $('meta[name="csrf"]').content;

  // ---- talking to the server
  class Refused extends Error {}
  async function api(method, url, body, again = true) {
    let res;
    try {
      res = await fetch(url, {
        method, body: body === undefined ? undefined : JSON.stringify(body),
        headers: { "X-CSRF-Token": token, ...(body === undefined ? {} : { "Content-Type": "application/json" }) },
      });
    } catch { throw new Refused(w("gone_offline")); }
    if (res.status === 204) return null;
    const data = await res.json().catch(() => ({}));
    if (res.ok) return data;
    const err = data.error || {};
    if (again && err.code === "wrong_token" && await renew()) return api(method, url, body, false);
    if (err.code === "login_needed") signedOut();
    throw new Refused(err.text || w("gone_offline"));
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
  async function signedIn() {
    if ($("#signin")?.open && await renew()) { $("#signin").close(); watch(); }
  }
  addEventListener("focus", signedIn);
  document.addEventListener("visibilitychange", signedIn);
  let toastTimer;
  function toast(text) {
    const t = $("#toast");
    t.textContent = text.replace(/[`*]/g, ""); // a word in passing has no room for Markdown
    clearTimeout(toastTimer);
    toastTimer = setTimeout(() => { t.textContent = ""; }, 5000);
  }
  const random = () => Array.from(crypto.getRandomValues(new Uint8Array(10)), (b) => b.toString(16).padStart(2, "0")).join("");

  // ---- showing lines: only what differs is touched, so that a selection and an
  // opened list of sources outlive the next token
  // A control becomes no other one: a second Enter would press what was not there yet.
  const alike = (a, b) => a.nodeType === 1 && b.nodeType === 1 && a.tagName === b.tagName && a.className === b.className &&
    a.dataset.action === b.dataset.action && a.dataset.verb === b.dataset.verb;
  function morph(old, now) {
    if (old.isEqualNode(now)) return;
    for (const a of [...old.attributes]) if (!now.hasAttribute(a.name) && a.name !== "open") old.removeAttribute(a.name);
    for (const a of now.attributes) if (old.getAttribute(a.name) !== a.value) old.setAttribute(a.name, a.value);
    const fresh = [...now.childNodes];
    fresh.forEach((n, i) => {
      const o = old.childNodes[i];
      if (!o) old.append(n);
      else if (o.isEqualNode(n)) return;
      else if (alike(o, n)) morph(o, n);
      else o.replaceWith(n);
    });
    while (old.childNodes.length > fresh.length) old.lastChild.remove();
  }
  function parse(html) {
    const t = document.createElement("template");
    t.innerHTML = html;
    return t.content.firstElementChild;
  }
  function place(line) {
    const old = document.getElementById("l-" + line.id);
    if (line.gone) { if (old) old.remove(); return null; }
    const now = parse(line.html);
    if (old) {
      const inside = old.contains(document.activeElement);
      morph(old, now);
      if (inside) regain(old); // a decided card has no buttons any more
      return old;
    }
    log.append(now);
    return now;
  }
  // A keyboard that stood on what is gone is led to what it belonged to.
  function regain(...to) {
    if (document.activeElement && document.activeElement !== document.body && document.activeElement.isConnected) return;
    for (const el of to) {
      if (!el?.isConnected || el.disabled) continue;
      if (el.matches("article")) el.tabIndex = -1;
      el.focus({ preventScroll: true });
      return;
    }
  }
  const atEnd = () => scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < 120;
  const toEnd = () => { scroll.scrollTop = scroll.scrollHeight; };
  function show(lines, whole) {
    const follow = atEnd();
    if (whole) {
      const keep = new Set(lines.map((l) => "l-" + l.id));
      for (const el of [...log.children]) if (!keep.has(el.id)) el.remove();
    }
    let before = null;
    for (const l of lines) {
      const el = place(l);
      if (!el) continue;
      if (whole) { if (before ? before.nextSibling !== el : log.firstChild !== el) (before ? before.after(el) : log.prepend(el)); before = el; }
      if (el.classList.contains("bot") && !("busy" in el.dataset)) finished(el, whole);
    }
    $("#empty").hidden = log.children.length > 0;
    if (follow) toEnd();
    state();
  }

  // ---- watching
  let source = null, revision = thread ? thread.dataset.revision : "";
  let waiting = false, spoken = "";
  const busy = () => waiting || !!log.querySelector("[data-busy]");
  function watch() {
    if (source || !thread) return;
    source = new EventSource(`/api/threads/${id}/events?view=html&after=${revision}&last=${thread.dataset.last}`);
    source.addEventListener("line", (e) => { revision = e.lastEventId; show([JSON.parse(e.data)], false); });
    source.addEventListener("sync", (e) => { revision = e.lastEventId; show(JSON.parse(e.data).lines, true); });
    source.onopen = () => { $("#lost").hidden = true; };
    source.onerror = () => {
      if (leaving) return;
      $("#lost").hidden = false;
      if (source.readyState === EventSource.CLOSED) { source = null; setTimeout(watch, 2000); }
    };
  }
  let leaving = false;
  addEventListener("beforeunload", () => { leaving = true; });
  function state() {
    if (!thread) return;
    const b = busy(), empty = !$("#text").value.trim();
    $("#stop").hidden = !(b && empty);
    $("#send").hidden = b && empty;
    if (b && spoken !== "busy") { spoken = "busy"; $("#live").textContent = w("answering"); }
    asks();
  }
  // A question's card is edited where it stands, which may be far above what was
  // said since: a bar leads to it, and the title and the reader's voice tell of it.
  let asked = 0;
  function asks() {
    const all = [...log.querySelectorAll("[data-asks]")], view = scroll.getBoundingClientRect();
    const away = all.filter((el) => {
      const b = (el.querySelector(".buttons") || el).getBoundingClientRect();
      return b.bottom < view.top || b.top > view.bottom;
    });
    $("#waits").hidden = away.length === 0;
    const title = document.title.replace(/^● /, "");
    if (document.title !== (all.length ? "● " : "") + title) document.title = (all.length ? "● " : "") + title;
    if (all.length > asked) $("#live").textContent = w("waits");
    asked = all.length;
    return away;
  }
  if (thread) {
    scroll.addEventListener("scroll", asks, { passive: true });
    addEventListener("resize", asks);
    $("#waits").addEventListener("click", () => {
      const el = asks().at(-1);
      if (!el) return;
      el.scrollIntoView({ block: "center" });
      $(".buttons button", el)?.focus({ preventScroll: true });
      asks();
    });
  }
  const heard = new Set([...document.querySelectorAll(".line[data-final]")].map((l) => l.id));
  function finished(el, whole) {
    waiting = false;
    const fresh = !heard.has(el.id) && !whole;
    if ("final" in el.dataset) heard.add(el.id);
    if (spoken !== "busy" && !fresh) return;
    spoken = "";
    const text = (el.querySelector(".md")?.textContent || "").slice(0, 2000);
    $("#live").textContent = el.matches("[data-asks]") ? text : w("answered") + ": " + text; // what is asked is no end
    threads();
  }
  async function threads() {
    const res = await fetch(`/fragments/threads?current=${id}`).catch(() => null);
    if (!res || !res.ok || res.redirected) return; // signed out: that would be the login page
    $("#threads").innerHTML = await res.text();
    const name = $('#threads [aria-current] .name');
    if (name && thread) { $(".top h1").textContent = name.textContent; document.title = name.textContent; }
  }

  // ---- writing
  // What is written and not yet taken outlives a reload of this tab, with the id under
  // which it may have been sent: sent again it is the same message.
  const draft = () => "draft/" + (thread && "new" in thread.dataset ? "new" : id);
  function keep() {
    const text = [sending ? attempt.text : "", $("#text").value].filter((s) => s && s.trim()).join("\n");
    if (text) sessionStorage.setItem(draft(), JSON.stringify({ text, id: attempt.text === text.trim() ? attempt.id : "", thread: id }));
    else sessionStorage.removeItem(draft());
  }
  function restore() {
    const was = JSON.parse(sessionStorage.getItem(draft()) || "null");
    if (!was || $("#text").value || (was.id && document.getElementById("l-" + was.id))) { keep(); return; }
    $("#text").value = was.text;
    if (was.id && was.thread === id) attempt = { text: was.text, id: was.id };
  }
  function begun() {
    if (!("new" in thread.dataset)) return;
    delete thread.dataset.new;
    history.pushState(null, "", "/t/" + id); // "back" leads to the page it was begun on
    here = location.pathname;
    $("#forget").hidden = false;
  }
  let here = location.pathname;
  addEventListener("popstate", () => { if (location.pathname !== here) location.reload(); });
  let sending = false, next = false, attempt = {};
  async function send() {
    const box = $("#text"), text = box.value.trim();
    if (!text) return;
    if (sending) { next = true; return; } // it goes once the one before has arrived
    sending = true;
    if (attempt.text !== text) attempt = { text, id: random() }; // unchanged after a failure, it is the same message
    try {
      box.value = "";
      keep();
      waiting = !text.startsWith("/");
      state();
      watch();
      await api("POST", `/api/threads/${id}/messages`, { id: attempt.id, text, time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone });
      attempt = {};
      sessionStorage.removeItem(draft());
      begun();
      toEnd();
      threads();
    } catch (e) {
      waiting = next = false;
      box.value = box.value ? text + "\n" + box.value : text; // what was written meanwhile stays too
      toast(`${w("send.failed")} ${e.message}`);
    } finally {
      sending = false;
      keep(); grow(); state();
      if (!document.querySelector("dialog[open]")) box.focus();
      if (next) { next = false; send(); }
    }
  }
  // A link to a message leads to it; it has the keyboard, to read on from there.
  function lead() {
    if (!location.hash.startsWith("#l-")) return false;
    const el = document.getElementById(decodeURIComponent(location.hash.slice(1))), earlier = $(".earlier a");
    if (!el && earlier) location.replace(earlier.pathname + earlier.search + location.hash); // it stands further up
    if (!el) return false;
    el.tabIndex = -1;
    el.focus({ preventScroll: true });
    el.scrollIntoView({ block: "center" });
    return true;
  }
  function grow() { // browsers without field-sizing
    const box = $("#text");
    if (CSS.supports("field-sizing", "content")) return;
    box.rows = Math.min(8, Math.max(1, box.value.split("\n").length));
  }
  async function stop() {
    try { if (!(await api("POST", `/api/threads/${id}/stop`)).stopped) { waiting = false; state(); } } catch (e) { toast(e.message); }
  }
  if (thread) {
    const box = $("#text");
    $("#composer").addEventListener("submit", (e) => { e.preventDefault(); send(); });
    box.addEventListener("keydown", (e) => {
      // While a syllable is being composed, Enter belongs to the input method.
      if (e.key === "Enter" && !e.shiftKey && !e.isComposing && e.keyCode !== 229) { e.preventDefault(); send(); }
    });
    box.addEventListener("keypress", (e) => { if (e.key === "Enter" && !e.shiftKey) e.preventDefault(); });
    box.addEventListener("input", () => { keep(); grow(); state(); });
    box.addEventListener("paste", (e) => { if (e.clipboardData.files.length) { e.preventDefault(); upload(e.clipboardData.files); } });
    $("#stop").addEventListener("click", stop);
    $("#forget").addEventListener("click", async () => {
      if (!confirm(w("thread.forget.sure"))) return;
      try { await api("DELETE", `/api/threads/${id}`); location.href = "/"; } catch (e) { toast(e.message); }
    });
    for (const b of document.querySelectorAll("[data-example]")) {
      b.addEventListener("click", () => { box.value = b.textContent; send(); });
    }
    restore(); grow();
    if (!("new" in thread.dataset)) { watch(); if (!lead()) toEnd(); }
    addEventListener("hashchange", lead);
    state();
  }

  // ---- files
  const limit = Number(document.body.dataset.limit);
  async function upload(files) {
    for (const f of [...files]) await uploadOne(f);
    if (await renewLibrary()) { // which tells of what was refused, for longer than this page is open
      for (const li of document.querySelectorAll("#uploads .failed")) {
        if (document.querySelector(`[data-refused="${CSS.escape(li.dataset.name)}"]`)) li.remove();
      }
    }
  }
  // The list of documents is shown anew in its place: what is being uploaded and
  // where the person is stay.
  async function renewLibrary() {
    const list = $("#library");
    if (!list) return false;
    const res = await fetch(location.href).catch(() => null);
    const now = res && res.ok && $("#library", new DOMParser().parseFromString(await res.text(), "text/html"));
    if (now) list.replaceChildren(...now.childNodes);
    return Boolean(now);
  }
  function uploadOne(file) {
    const li = document.createElement("li"), list = $("#uploads");
    li.innerHTML = '<span class="name"></span><span class="state"></span><button type="button" class="icon">×</button><progress max="1" value="0"></progress>';
    const [name, said, close, bar] = li.children;
    name.textContent = li.dataset.name = file.name;
    close.setAttribute("aria-label", w("close"));
    bar.setAttribute("aria-label", file.name);
    list.append(li);
    return new Promise((done) => {
      const xhr = new XMLHttpRequest();
      const end = (failed, text) => {
        bar.remove();
        delete said.dataset.part;
        li.className = failed ? "failed" : "done";
        said.textContent = text;
        if (!failed) setTimeout(() => li.remove(), 2500);
        done(!failed);
      };
      close.onclick = () => { xhr.abort(); li.remove(); done(false); };
      said.textContent = w("upload.sending");
      xhr.upload.onprogress = (e) => { bar.value = e.loaded / e.total; said.dataset.part = ` ${Math.floor(100 * bar.value)} %`; }; // seen, not read out each time
      xhr.upload.onload = () => { bar.removeAttribute("value"); delete said.dataset.part; said.textContent = w("upload.reading"); };
      xhr.onerror = () => end(true, w("gone_offline"));
      xhr.onload = () => {
        let data = {};
        try { data = JSON.parse(xhr.responseText); } catch { /* said below */ }
        if (xhr.status !== 201) return end(true, (data.error && data.error.text) || w("upload.failed"));
        end(Boolean(data.unread), data.unread || w("upload.done"));
        if (thread) { watch(); begun(); }
      };
      const form = new FormData();
      if (file.size <= limit) form.append("file", file); // of what is larger only the refusal is wanted
      xhr.open("POST", `/api/documents?thread=${id}&size=${file.size}&name=${encodeURIComponent(file.name)}`);
      xhr.setRequestHeader("X-CSRF-Token", token);
      xhr.send(form);
    });
  }
  const picker = $("#file");
  if (picker) {
    picker.addEventListener("change", async () => { await upload([...picker.files]); picker.value = ""; });
    let depth = 0;
    const carries = (e) => [...e.dataTransfer.types].includes("Files");
    addEventListener("dragenter", (e) => { if (carries(e)) { depth++; $("#drop").hidden = false; } });
    addEventListener("dragleave", (e) => { if (carries(e) && --depth <= 0) { depth = 0; $("#drop").hidden = true; } });
    addEventListener("dragover", (e) => { if (carries(e)) e.preventDefault(); });
    addEventListener("drop", (e) => { if (!carries(e)) return; e.preventDefault(); depth = 0; $("#drop").hidden = true; upload([...e.dataTransfer.files]); });
  }

  // ---- the passage beside the answer
  const panel = $("#panel");
  let opener = null;
  async function passage(link) {
    const url = new URL(link.href);
    url.searchParams.set("fragment", "1");
    const res = await fetch(url).catch(() => null);
    if (!res || !res.ok) { location.href = link.href; return; }
    const inside = panel.contains(link);
    if (!inside) opener = link;
    panel.innerHTML = `<div class="panel-head"><span></span><span><a class="icon"></a><button type="button" class="icon" data-panel></button></span></div>` + await res.text();
    const [label, buttons] = panel.firstElementChild.children;
    label.textContent = panel.getAttribute("aria-label");
    buttons.children[0].href = link.href;
    buttons.children[0].textContent = "⤢";
    buttons.children[0].setAttribute("aria-label", w("passage.open"));
    buttons.children[1].textContent = "✕";
    buttons.children[1].setAttribute("aria-label", w("close"));
    panel.hidden = false;
    buttons.children[1].focus({ preventScroll: true });
    $("#hit", panel)?.scrollIntoView({ block: "center" });
  }
  function closePanel() {
    panel.hidden = true;
    panel.textContent = "";
    opener?.focus();
    opener = null;
  }

  // ---- buttons and forms of cards
  const mine = $("#mine");
  if (mine && sessionStorage.getItem("said")) { // what was done there is shown by the page anew
    toast(sessionStorage.getItem("said"));
    sessionStorage.removeItem("said");
  }
  async function act(el, values) {
    // A form that stands in front belongs to the card that opened it.
    const line = el.closest(".line"), ask = $("#ask"), scope = el.closest("form, .buttons") || el;
    const all = [el, ...scope.querySelectorAll("button")];
    const back = line && { el, line };
    if (!ask.open) opened = el;
    all.forEach((b) => { b.disabled = true; });
    try {
      const out = await api("POST", `/api/actions/${encodeURIComponent(el.dataset.action)}?view=html`, {
        verb: el.dataset.verb, thread: id, home: !!mine, message: line ? line.dataset.id : ask.dataset.message || "", ...(values ? { values } : {}),
      });
      if (out.errors && Object.keys(out.errors).length) {
        wrong(el, out.errors);
        return;
      }
      if (line) ask.dataset.message = line.dataset.id;
      if (out.form || (out.card && (out.card.fields || out.card.buttons))) {
        $("#ask-body").innerHTML = out.html;
        ($("h2, h3", ask) || {}).id = "ask-title";
        if (!ask.open) ask.showModal();
        return;
      }
      if (ask.open) ask.close();
      const said = out.card ? out.card.text : w("sent");
      if (mine) { sessionStorage.setItem("said", said); location.reload(); return; }
      toast(said);
    } catch (e) { toast(e.message); } finally {
      all.forEach((b) => { b.disabled = false; });
      if (back) regain(back.el, back.line);
    }
  }
  let opened = null; // what opened the dialog, or its message if it is gone since
  $("#ask")?.addEventListener("close", () => {
    const line = document.getElementById("l-" + $("#ask").dataset.message);
    if (!opened?.isConnected) regain(line);
    else setTimeout(() => regain(opened, line)); // once it is enabled again
  });
  // wrong marks what a form may not hold, says why, and leads to the first of it.
  function wrong(form, errors) {
    for (const p of form.querySelectorAll(".problem")) {
      p.textContent = errors[p.dataset.for] || "";
      for (const i of p.parentElement.querySelectorAll("input, select, textarea")) {
        if (p.textContent) i.setAttribute("aria-invalid", "true"); else i.removeAttribute("aria-invalid");
      }
    }
    setTimeout(() => form.querySelector("[aria-invalid]")?.focus());
  }
  // What a form holds: the choices of a list between commas, none of them too.
  function filled(f) {
    const values = Object.fromEntries(new FormData(f));
    for (const list of f.querySelectorAll("[data-several]")) {
      values[list.dataset.several] = [...list.querySelectorAll("input:checked")].map((i) => i.value).join(", ");
    }
    return values;
  }
  addEventListener("submit", (e) => {
    const f = e.target;
    if (f.matches("form.ask")) { e.preventDefault(); act(f, filled(f)); }
    if (f.matches(".prefs")) f.elements.next.value = location.pathname + location.search;
  });

  // ---- one place for clicks
  addEventListener("click", (e) => {
    const hit = (sel) => e.target.closest(sel);
    const plain = !e.metaKey && !e.ctrlKey && !e.shiftKey && e.button === 0;
    let el;
    if ((el = hit("a[data-passage]")) && plain && panel && thread) { e.preventDefault(); passage(el); }
    else if (hit("[data-panel]")) closePanel();
    else if (hit("[data-menu]")) menu(!document.body.classList.contains("menu"));
    else if ((el = hit("[data-open]"))) { menu(false); document.getElementById(el.dataset.open).showModal(); }
    else if ((el = hit("[data-close]"))) el.closest("dialog").close();
    else if ((el = hit("[data-away]"))) { $("#away-address").textContent = el.dataset.away; $("#away").showModal(); }
    else if (hit("#away-open")) { open($("#away-address").textContent, "_blank", "noopener,noreferrer"); $("#away").close(); }
    else if ((el = hit("button[data-action]"))) act(el);
    else if ((el = hit("[data-copy]"))) copy(wordsOf(el.closest(".line")));
    else if ((el = hit("[data-link]"))) copy(location.origin + el.dataset.link);
    else if ((el = hit("[data-remove]"))) remove(el);
    else if ((el = hit("[data-dismiss]"))) takeOff(el, `/api/refused/${encodeURIComponent(el.dataset.dismiss)}`);
    else if (e.target.tagName === "DIALOG") { // beside what stands in front
      const r = e.target.getBoundingClientRect();
      if (e.clientX < r.left || e.clientX > r.right || e.clientY < r.top || e.clientY > r.bottom) e.target.close();
    }
  });
  // wordsOf are an answer's words as one passes them on: with the numbers of its
  // sources, and under them what these are.
  function wordsOf(line) {
    const md = $(".md", line).cloneNode(true);
    for (const c of md.querySelectorAll(".cite")) c.textContent = `[${c.textContent}]`;
    md.classList.add("copying");
    line.append(md); // only what is laid out has lines
    let text = md.innerText.trim();
    md.remove();
    const sources = [...line.querySelectorAll(".sources li")].map((li) => {
      const a = $("a[target]", li), part = (sel) => ($(sel, li)?.textContent || "").trim();
      return `[${li.value}] ` + [[part("b"), part(".heading")].filter(Boolean).join(" › "), part("small"), a ? a.href : ""].filter(Boolean).join(", ");
    });
    if (sources.length) text += `\n\n${$(".sources summary span", line).textContent}\n${sources.join("\n")}`;
    return text;
  }
  async function copy(text) {
    try {
      await navigator.clipboard.writeText(text);
    } catch { // over plain HTTP browsers have no clipboard
      const box = document.createElement("textarea"), at = document.activeElement;
      box.value = text;
      box.className = "vh";
      document.body.append(box);
      box.select();
      document.execCommand("copy");
      box.remove();
      at?.focus();
    }
    toast(w("copied"));
  }
  // On a phone the menu stands in front: the page behind it is out of reach until it
  // is closed, which leads back to the button that opened it.
  function menu(open) {
    if (open === document.body.classList.contains("menu")) return;
    document.body.classList.toggle("menu", open);
    const main = $("#main"), button = $(".top [data-menu]");
    main.inert = open;
    button?.setAttribute("aria-expanded", String(open));
    if (open) $(".side a").focus(); else button?.focus();
  }
  async function remove(el) {
    if (!confirm(w("document.remove.sure").replace("%s", el.dataset.name))) return;
    await takeOff(el, `/api/documents/${encodeURIComponent(el.dataset.remove)}`);
  }
  // Taking an entry off the list leads to the next one, so that a keyboard is not
  // thrown back to the top of the page.
  async function takeOff(el, url) {
    const at = [...document.querySelectorAll("#library button")].indexOf(el);
    try {
      await api("DELETE", url);
      await renewLibrary();
      const left = document.querySelectorAll("#library button");
      (left[Math.min(at, left.length - 1)] || $("#file")).focus();
    } catch (e) { toast(e.message); }
  }

  // ---- keys
  addEventListener("keydown", (e) => {
    if (e.isComposing || document.querySelector("dialog[open]")) return;
    const writing = e.target.matches?.("input, textarea, select");
    if (e.key === "Escape") {
      if (panel && !panel.hidden) closePanel();
      else if (document.body.classList.contains("menu")) menu(false);
      else if (thread && busy()) stop();
    } else if (e.altKey && e.code === "KeyN") { e.preventDefault(); location.href = "/"; }
    else if (writing || e.metaKey || e.ctrlKey || e.altKey) return;
    else if (e.key === "/" && thread) { e.preventDefault(); $("#text").focus(); }
    else if (e.key === "?" && $("#help")) $("#help").showModal();
    else if ((e.key === "ArrowDown" || e.key === "ArrowUp") && e.target.closest?.("#threads")) {
      const all = [...document.querySelectorAll("#threads a")], i = all.indexOf(e.target);
      const to = all[i + (e.key === "ArrowDown" ? 1 : -1)];
      if (to) { e.preventDefault(); to.focus(); }
    }
  });
})();
