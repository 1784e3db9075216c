//go:build !race

package web_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"maru/adapters/web"
	"maru/bot"
)

// faint lists texts that stand out too little from what they are on, after WCAG 2.2
// AA, as the browser paints them: with every see-through layer.
const faint = `(() => {
	const paint = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
	const rgba = (css) => { paint.clearRect(0, 0, 1, 1); paint.fillStyle = css; paint.fillRect(0, 0, 1, 1); const d = paint.getImageData(0, 0, 1, 1).data; return [d[0], d[1], d[2], d[3] / 255]; };
	const over = (a, b) => [0, 1, 2].map((i) => a[i] * a[3] + b[i] * (1 - a[3])).concat(1);
	const lum = (c) => { const f = (x) => (x /= 255) <= .04045 ? x / 12.92 : ((x + .055) / 1.055) ** 2.4; return .2126 * f(c[0]) + .7152 * f(c[1]) + .0722 * f(c[2]); };
	const out = [], walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	for (let n; (n = walk.nextNode());) {
		const el = n.parentElement;
		if (!n.data.trim() || !el.checkVisibility({visibilityProperty: true}) || el.closest("script, noscript, option, :disabled, .vh, .skip")) continue;
		let back = [0, 0, 0, 0], opacity = 1;
		const layers = [];
		for (let p = el; p; p = p.parentElement) { const s = getComputedStyle(p); layers.push(rgba(s.backgroundColor)); opacity *= Number(s.opacity); }
		back = [255, 255, 255, 1];
		for (const l of layers.reverse()) back = over(l, back);
		const fore = rgba(getComputedStyle(el).color);
		fore[3] *= opacity;
		const a = lum(over(fore, back)), b = lum(back), ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
		if (ratio < 4.5) out.push(ratio.toFixed(2) + " " + el.tagName + "." + el.className + " " + n.data.trim().slice(0, 40));
	}
	return [...new Set(out)].join("\n");
})()`

// nameless lists controls that a screen reader has no name for, duplicate ids,
// labels that point nowhere, and headings that skip a level.
const nameless = `(() => {
	const out = [], ids = new Set();
	for (const el of document.querySelectorAll("[id]")) { if (ids.has(el.id)) out.push("twice: " + el.id); ids.add(el.id); }
	const seen = (el) => el.checkVisibility({visibilityProperty: true});
	for (const el of document.querySelectorAll("button, a[href], input:not([type=hidden]), select, textarea, dialog[open], nav, aside, [role=log]")) {
		if (!seen(el)) continue;
		const by = (el.getAttribute("aria-labelledby") || "").split(" ").map((i) => document.getElementById(i)?.textContent).join("");
		const name = el.getAttribute("aria-label") || by || [...(el.labels || [])].map((l) => l.textContent).join("") || (el.matches("button, a") ? el.textContent : "");
		if (!name.trim()) out.push("no name: " + el.outerHTML.slice(0, 120));
	}
	for (const el of document.querySelectorAll("[aria-labelledby], [aria-describedby], [aria-controls]")) {
		for (const a of ["aria-labelledby", "aria-describedby", "aria-controls"]) {
			const to = el.getAttribute(a);
			if (to && seen(el) && !document.getElementById(to)) out.push(a + " points nowhere: " + to);
		}
	}
	let last = 0;
	for (const h of document.querySelectorAll("#main :is(h1, h2, h3, h4, h5, h6)")) {
		if (!seen(h)) continue;
		const level = Number(h.tagName[1]);
		if (level > last + 1) out.push("heading " + h.tagName + " after " + last + ": " + h.textContent.slice(0, 40));
		last = level;
	}
	if (!document.documentElement.lang || document.querySelectorAll("h1").length !== 1) out.push("lang or h1");
	return out.join("\n");
})()`

// TestBrowserCanBeReadAndHeard looks at every page and kind of card, light and dark.
func TestBrowserCanBeReadAndHeard(t *testing.T) {
	t.Parallel()
	e := leaveBot()
	e.cards = []bot.Card{{Title: "Mine", Text: "- one", Buttons: []bot.Button{{ID: "a", Verb: "v", Label: "Change"}}, Footer: "`/maru x`"}, {Kind: bot.CardPlan, Title: "Waits", Run: "r1", Buttons: []bot.Button{{ID: "a", Verb: "v", Label: "Approve"}}}, {
		Title: "Runs", Text: "- hi", Leads: []bot.Lead{{Thread: bot.Thread{Platform: "web", ID: "t1"}, Title: "hi", Detail: "chat"}},
	}}
	e.onAction = func(bot.Action) (bot.Answer, error) {
		return bot.Answer{Form: &bot.Form{ID: "a1", Verb: "x", Title: "Settings", Submit: "Save", Inputs: []bot.Input{
			{ID: "t", Label: "Text", Hint: "hint", Required: true}, {ID: "l", Label: "Long", Long: true}, {ID: "o", Label: "One", Options: []bot.Option{{Value: "1", Label: "one"}}},
			{ID: "s", Label: "Several", Several: []bot.Option{{Value: "1", Label: "one"}}},
		}}}, nil
	}
	c := startWith(t, e)
	for i, card := range []bot.Card{
		{Kind: bot.CardNotice, Text: "A word with `code`.\n\n```\nand a block\n```", Footer: "small", Final: true},
		{Kind: bot.CardPlan, Title: "Plan", Text: "# Top\n\n## Second\n\n> quoted [away](https://example.com)", Run: "r1", Steps: []bot.Step{{Text: "a", State: bot.StepDone}, {Text: "b", State: bot.StepRunning, Detail: "now"}, {Text: "c", State: bot.StepFailed}, {Text: "d", State: bot.StepSkipped}}, Buttons: []bot.Button{{ID: "a1", Verb: "yes", Label: "Approve", Style: bot.ButtonPrimary}, {ID: "a1", Verb: "no", Label: "Reject", Style: bot.ButtonDanger}}},
		{Kind: bot.CardText, Text: leaveAnswer, Run: "r2", Final: true, Sources: leaveSources(), Footer: "built in", Fields: []bot.Field{{Label: "Cost", Value: "1"}}, Files: []bot.Artifact{{Run: "r2", Name: "a.csv", Size: 5}}},
		{Kind: bot.CardProgress, Text: "half", Status: "searching…", Run: "r3"},
	} {
		post(t, c, "t1", fmt.Sprint("k", i), card)
	}
	p := c.person(t)
	p.post(message, `{"id":"m1","text":"hi"}`)
	p.upload("virus.exe", "x", "")
	p.upload("mine.md", "# x", "?thread=t1")
	b := browser(t)
	look := func(what string) {
		t.Helper()
		for _, scheme := range []string{"light", "dark"} {
			b.scheme(scheme)
			if found := js[string](b, faint); found != "" {
				t.Errorf("%s, %s: too faint:\n%s", what, scheme, found)
			}
		}
		if found := js[string](b, nameless); found != "" {
			t.Errorf("%s:\n%s", what, found)
		}
	}
	for _, path := range []string{"/", "/t/t1", "/documents", "/me", "/runs/r1?thread=t1", "/passages/h%2312?thread=t1&n=1", "/nothing"} {
		b.open(c.URL + path)
		b.wait("h1")
		look(path)
	}
	b.open(c.URL + "/t/t1")
	js[bool](b, `(document.querySelectorAll("details").forEach((d) => { d.open = true; }), document.querySelector("#lost").hidden = false, true)`)
	b.media("print", "dark", "none")
	if ink := js[string](b, `getComputedStyle(document.body).color`); ink != "rgb(44, 37, 30)" {
		t.Errorf("a dark page is printed in %s, on paper", ink)
	}
	b.media("", "light", "active")
	if told := js[string](b, `getComputedStyle(document.querySelector('[aria-pressed="true"]')).borderTopStyle`); told != "solid" {
		t.Error("in the system's colours nothing tells which language is chosen")
	}
	b.media("", "light", "none")
	b.click(".md a.cite")
	b.see("#panel mark")
	look("the panel")
	b.click("[data-open=help]")
	look("the help")
	b.key(kb.Escape)
	b.open(c.URL + "/me")
	if to := js[string](b, `document.querySelector(".leads a").getAttribute("href")`); to != "/t/t1" {
		t.Errorf("a run leads to %q", to)
	}
	b.click("#mine button[data-action]")
	b.see("#ask form")
	look("the settings")
	signed := startWith(t, newEcho(), func(c *web.Config) { c.Login = "a long password" })
	b.open(signed.URL + "/login")
	b.write("[name=password]", "wrong"+kb.Enter)
	b.see("#problem")
	look("the login")
}

// TestBrowserByKeyboardAlone walks through a page with Tab: everything is reached once,
// in the order in which it is there, visibly, and the walk ends.
func TestBrowserByKeyboardAlone(t *testing.T) {
	t.Parallel()
	c := startWith(t, leaveBot())
	b := browser(t)
	b.open(c.URL + "/")
	b.write("#text", "How many?"+kb.Enter)
	b.wait(".line.bot[data-final]")
	b.until(`location.pathname.startsWith("/t/t")`)
	for _, path := range []string{js[string](b, `location.pathname`), "/documents", "/me"} {
		b.do(chromedp.Navigate(c.URL + path))
		b.wait("h1")
		js[bool](b, `(document.activeElement.blur(), getSelection().removeAllRanges(), document.body.tabIndex = -1, document.body.focus(), true)`)
		b.key(kb.Tab)
		if first := js[string](b, `document.activeElement.className`); first != "skip" {
			t.Errorf("%s: Tab begins at %q, not at the link that skips the menu", path, first)
		}
		want := js[int](b, `[...document.querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea, summary")].filter((e) => e.checkVisibility({visibilityProperty: true}) && !e.disabled && e.tabIndex >= 0).length`)
		js[bool](b, `(window.walked = [document.activeElement], true)`)
		for range 3 * want {
			b.key(kb.Tab)
			if js[bool](b, `document.activeElement === document.body || document.activeElement === walked[0]`) {
				break
			}
			if unseen := js[string](b, `(() => { const e = document.activeElement; walked.push(e);
				const s = getComputedStyle(e), l = e.closest("label"), box = e.closest(".box");
				const ring = s.outlineStyle !== "none" || l && getComputedStyle(l).outlineStyle !== "none" || box;
				const r = (l || e).getBoundingClientRect();
				return ring && r.width > 0 && r.bottom > 0 && r.top < innerHeight ? "" : e.outerHTML.slice(0, 100); })()`); unseen != "" && !strings.Contains(unseen, `id="scroll"`) {
				t.Errorf("%s: where the keyboard is cannot be seen: %s", path, unseen)
			}
		}
		if missed := js[string](b, `[...document.querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea, summary")].filter((e) => e.checkVisibility({visibilityProperty: true}) && !e.disabled && e.tabIndex >= 0 && !walked.includes(e)).map((e) => e.outerHTML.slice(0, 80)).join("\n")`); missed != "" {
			t.Errorf("%s: Tab does not reach:\n%s", path, missed)
		}
		if back := js[string](b, `walked.slice(1).filter((e, i) => !(walked[i].compareDocumentPosition(e) & Node.DOCUMENT_POSITION_FOLLOWING)).map((e) => e.outerHTML.slice(0, 80)).join("\n")`); back != "" {
			t.Errorf("%s: Tab goes back to:\n%s", path, back)
		}
	}
}
