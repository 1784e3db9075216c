//go:build !race

package web_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"maru/adapters/web"
)

// look is a window in which pages are seen.
type look struct {
	name, scheme  string
	width, height int64
}

// looksOfPages are the windows; the plain run sees the first three, in Korean. A window of half a screen still shows the sidebar, which
// leaves a page less room than a phone held sideways has.
var looksOfPages = []look{
	{"phone", "light", 390, 780}, {"desktop-dark", "dark", 1280, 860}, {"half", "light", 780, 860}, {"desktop", "light", 1280, 860}, {"phone-dark", "dark", 390, 780},
}

// programPages are the pages about the whole program, and those of a person.
var programPages = []struct{ name, path string }{
	{"home", "/"}, {"me", "/me"}, {"missing", "/nothing"}, {"runs", "/runs"}, {"run", "/runs/r7"}, {"prompt", "/runs/r7/calls/call2"}, {"compare", "/runs/compare?run=r7&run=r8"},
	{"approvals", "/approvals"}, {"documents", "/documents"}, {"search", "/search?q=leave"}, {"usage", "/usage"}, {"audit", "/audit?verify=1"}, {"health", "/health"}, {"settings", "/settings"},
	{"workflows", "/workflows"}, {"workflow", "/workflows/triage"}, {"workflow-new", "/workflows/~new"}, {"versions", "/workflows/triage/versions"}, {"rehearsals", "/rehearsals"},
	{"rehearsal-draft", "/rehearsals/draft"}, {"rehearsal-workflow", "/rehearsals/flow"}, {"rehearsal-runs", "/rehearsals/runs"}, {"rehearsal-report", "/rehearsals/ended"},
	{"schedules", "/schedules"}, {"sources", "/sources"}, {"tools", "/tools"}, {"memory", "/memory"}, {"people", "/people"},
}

// TestBrowserProgramLooks looks at every page about the program, full and empty: contrast, names for screen readers, width. A
// page is loaded once a language, and seen in all windows. With MARU_TEST_LONG every language and window is seen; pictures are
// saved to MARU_TEST_PICTURES, and axe-core is run where MARU_TEST_AXE names its script (make long).
func TestBrowserProgramLooks(t *testing.T) {
	t.Parallel()
	full := &staffed{texts: savedTexts{{"{}", "owner"}, {"{\n  \"id\": \"triage\"\n}", "slack/T1/U2"}}, runs: manyRuns(1000), waiting: openQuestions(), library: manyDocuments(300), found: someFound(), plans: plans{list: manySchedules(120)}, synced: synced{list: someSources(60)}, kit: kit{servers: someServers()}, recall: recall{facts: someFacts(), notes: someNotes(60)}, crowd: crowd{list: somePeople(120)}}
	langs, windows := []string{"ko"}, looksOfPages[:3]
	if os.Getenv("MARU_TEST_LONG") == "1" {
		langs, windows = []string{"en", "ko"}, looksOfPages
	}
	for name, s := range map[string]*staffed{"full": full, "empty": {}} {
		c := startStaffed(t, s)
		seen := windows
		if name == "empty" && len(langs) == 1 {
			seen = windows[:2] // few words have room in a window of half a screen
		}
		for _, lang := range langs {
			t.Run(name+"-"+lang, func(t *testing.T) { lookAtProgram(t, c, name, lang, seen) })
		}
	}
	signed := startStaffed(t, &staffed{}, func(c *web.Config) { c.Login = "a long password" })
	t.Run("login", func(t *testing.T) {
		b := browser(t)
		b.open(signed.URL + "/login")
		b.see("[name=password]")
		lookAt(t, b, "login", windows)
	})
}

func lookAtProgram(t *testing.T, c *console, name, lang string, windows []look) {
	t.Helper()
	b := browser(t)
	b.open(c.URL + "/")
	js[bool](b, `window.before = true`)
	b.click("[name=lang][value=" + lang + "]")
	b.until(`!window.before && document.documentElement.lang === "` + lang + `"`)
	for _, page := range programPages {
		b.open(c.URL + page.path)
		b.until(`document.readyState === "complete"`)
		lookAt(t, b, strings.TrimPrefix(name+"-", "full-")+page.name+"-"+lang, windows)
	}
}

// lookAt sees one page in each window.
func lookAt(t *testing.T, b tab, name string, windows []look) {
	t.Helper()
	if found := js[string](b, nameless); found != "" {
		t.Errorf("%s:\n%s", name, found)
	}
	for _, w := range windows {
		at := name + "-" + w.name
		b.scheme(w.scheme)
		b.do(chromedp.EmulateViewport(w.width, w.height))
		if wide := js[int](b, `document.documentElement.scrollWidth - document.documentElement.clientWidth`); wide > 0 {
			t.Errorf("%s: the page is %d pixels wider than the window", at, wide)
		}
		if cut := js[string](b, beyond); cut != "" {
			t.Errorf("%s: cannot be read:\n%s", at, cut)
		}
		if near := js[string](b, touching); near != "" {
			t.Errorf("%s: one box touches the next:\n%s", at, near)
		}
		if found := js[string](b, faint); found != "" {
			t.Errorf("%s: too faint:\n%s", at, found)
		}
		axe(b, at)
		b.fullPicture("40-"+at, w)
	}
}

// beyond lists texts that are outside of the window, or of a box that hides what leaves it, and those that a narrow box breaks
// within words.
const beyond = `(() => {
	const out = [], walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), range = document.createRange();
	for (let n; (n = walk.nextNode());) {
		const el = n.parentElement;
		if (!n.data.trim() || !el.checkVisibility({visibilityProperty: true, opacityProperty: true}) || el.closest("script, noscript, option, textarea, .vh, .skip, svg")) continue;
		range.selectNodeContents(n);
		const r = range.getBoundingClientRect(), lines = range.getClientRects().length;
		if (lines > 3 && n.data.trim().length / lines < 3) out.push("squeezed: " + el.tagName + "." + el.className + " " + n.data.trim().slice(0, 60));
		for (let p = el; p; p = p.parentElement) {
			const s = getComputedStyle(p), box = p.getBoundingClientRect();
			if (s.overflowX === "auto" || s.overflowX === "scroll" || s.textOverflow === "ellipsis" || s.webkitLineClamp !== "none") break;
			if (p === document.body || p === document.documentElement ? r.right > innerWidth + 1 || r.left < -1 : s.overflowX !== "visible" && (r.right > box.right + 1 || r.left < box.left - 1)) {
				out.push(el.tagName + "." + el.className + " " + n.data.trim().slice(0, 60));
				break;
			}
		}
	}
	return [...new Set(out)].join("\n");
})()`

// touching lists boxes and lines of text that are on the edge of the box above them, side by side in one part of the page.
const touching = `(() => {
	const boxes = ".rows, .nothing, .part, .gallery, .said, .chart, .scrolls, .several, .flow, .documents, .facts, details.asks, p.buttons, p.quiet, .filters";
	const out = [], shown = (e) => e.checkVisibility({visibilityProperty: true}) && e.getBoundingClientRect().height > 0;
	for (const a of document.querySelectorAll(".sheet :is(" + boxes + ")")) {
		const b = a.nextElementSibling;
		if (!b || !b.matches(boxes) || !shown(a) || !shown(b)) continue;
		const above = a.getBoundingClientRect(), below = b.getBoundingClientRect(), gap = below.top - above.bottom;
		if (Math.min(above.right, below.right) - Math.max(above.left, below.left) > 1 && gap < 2 && gap > -2 && !(a.matches("p.quiet") && b.matches("p.quiet"))) out.push(a.className + " above " + b.className + ": " + gap);
	}
	return [...new Set(out)].join("\n");
})()`

// axe reports what axe-core finds wrong with the page, when MARU_TEST_AXE names its script.
func axe(b tab, page string) {
	b.t.Helper()
	path := os.Getenv("MARU_TEST_AXE")
	if path == "" {
		return
	}
	src, err := os.ReadFile(path)
	if err != nil {
		b.t.Fatal(err)
	}
	js[bool](b, string(src)+"; true")
	js[bool](b, `(window.wrong = null, axe.run({resultTypes: ["violations"], preload: false}).then((r) => { window.wrong = r.violations.map((v) => v.id + ": " + v.nodes.map((n) => n.html).join(" ")); }), true)`)
	b.until(`window.wrong !== null`)
	if wrong := js[[]string](b, `window.wrong`); len(wrong) > 0 {
		b.t.Errorf("%s: %q", page, wrong)
	}
}

// longest bounds the height of a picture.
const longest = 3000

// fullPicture saves what the page holds, also below the window's edge, when MARU_TEST_PICTURES names a folder.
func (b tab) fullPicture(name string, w look) {
	b.t.Helper()
	dir := os.Getenv("MARU_TEST_PICTURES")
	if dir == "" {
		return
	}
	below := js[int](b, `Math.max(0, ...[...document.querySelectorAll("*")].filter((e) => /auto|scroll/.test(getComputedStyle(e).overflowY)).map((e) => e.scrollHeight - e.clientHeight))`)
	b.do(chromedp.EmulateViewport(w.width, min(w.height+int64(below), longest)))
	if err := os.WriteFile(filepath.Join(dir, name+".png"), get(b, chromedp.CaptureScreenshot()), 0o600); err != nil {
		b.t.Fatal(err)
	}
}
