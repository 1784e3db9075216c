//go:build !race

package web_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// edit replaces the text in the editor, as typing does.
func (b tab) edit(text string) {
	b.t.Helper()
	js[bool](b, `(definition.focus(), definition.select(), true)`)
	b.do(chromedp.KeyEvent(kb.Backspace), chromedp.SendKeys(chromedp.CSS("#definition"), text))
}

func TestBrowserWorkflows(t *testing.T) {
	t.Parallel()
	s := &staffed{}
	c := startStaffed(t, s)
	b := browser(t)
	problems := complaints(t, b)
	b.open(c.URL + "/workflows")
	b.see(".gallery svg")
	b.until(`document.querySelector(".gallery").textContent.includes("· version 1 ")`)
	b.click(`.gallery a[href="/workflows/triage"]`)
	b.see("#checked .said")
	t.Run("what_is_wrong_stands_beside_it", func(t *testing.T) {
		b.edit("broken")
		b.see("#checked .problem")
		b.click(`.editor button:not([formaction])`) // without a script too
		b.until(`location.pathname === "/workflows/check" && document.querySelector("#definition").value.includes("broken")`)
	})
	t.Run("what_does_not_run_is_not_saved", func(t *testing.T) {
		b.click(`[formaction="/workflows/save"]`)
		b.until(`location.pathname === "/workflows/save" && document.querySelector("#definition").value === "broken"`)
		b.see("#checked .problem")
		if got := s.newest(); got != "" {
			t.Errorf("saved %q", got)
		}
	})
	t.Run("keys_take_a_proposal", func(t *testing.T) {
		b.open(c.URL + "/workflows/triage")
		b.edit(`{"node_type": "`)
		b.until(`!proposals.hidden`)
		b.do(chromedp.KeyEvent(kb.Escape)) // what is still asked for comes no more
		b.until(`proposals.hidden`)
		b.do(chromedp.KeyEvent(" ", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
		b.until(`document.querySelectorAll("#proposals li").length === 2`)
		b.do(chromedp.KeyEvent(kb.ArrowDown))
		b.until(`document.querySelector("#proposals li:nth-child(2)").getAttribute("aria-selected") === "true"`)
		if got := js[string](b, `document.getElementById(definition.getAttribute("aria-activedescendant")).firstChild.data`); got != "retrieve" {
			t.Errorf("marked %q", got)
		}
		b.do(chromedp.KeyEvent(kb.Escape))
		b.until(`proposals.hidden`)
		b.do(chromedp.SendKeys(chromedp.CSS("#definition"), "l"))
		b.until(`document.querySelectorAll("#proposals li").length === 1`)
		b.do(chromedp.KeyEvent(kb.Tab))
		b.until(`proposals.hidden && definition.value === '{"node_type": "llm_call"'`)
		b.do(chromedp.SendKeys(chromedp.CSS("#definition"), "}"))
	})
	t.Run("it_is_tried_on_a_message", func(t *testing.T) {
		b.click(`[formaction="/workflows/try"]`) // without a message
		b.until(`location.pathname === "/workflows/try" && document.querySelector(".try .problem") !== null && definition.value === '{"node_type": "llm_call"}'`)
		b.do(chromedp.SendKeys(chromedp.CSS("[name=message]"), "휴가가 며칠이에요?"))
		b.click(`[formaction="/workflows/try"]`)
		b.until(`location.pathname === "/workflows/try" && tried.textContent.includes("휴가가 며칠이에요?") && tried.textContent.includes("May I?")`)
		if got := js[string](b, `definition.value`); got != `{"node_type": "llm_call"}` || s.newest() != "" {
			t.Errorf("the text is %q, and %q is saved", got, s.newest())
		}
	})
	t.Run("it_is_saved", func(t *testing.T) {
		b.click(`[formaction="/workflows/save"]`)
		b.until(`location.pathname === "/workflows/triage" && document.querySelector("[role=status].said").textContent.includes("1")`)
		if got := s.newest(); got != `{"node_type": "llm_call"}` {
			t.Errorf("saved %q", got)
		}
	})
	if p := strings.Join(problems(), "\n"); strings.Count(p, "\n") != 1 || strings.Count(p, "422") != 2 { // what could not be saved, and tried
		t.Errorf("the browser complained: %q", p)
	}
}

// TestBrowserWorkflowInTwoWindows: when two people edit a workflow, the second save is refused with a message, keeps its text, sees
// what they would replace, and may still save it. A version is compared and restored.
func TestBrowserWorkflowInTwoWindows(t *testing.T) {
	t.Parallel()
	s := &staffed{}
	c := startStaffed(t, s)
	one, two := browser(t), browser(t)
	for _, b := range []tab{one, two} {
		b.open(c.URL + "/workflows/triage")
		b.see("#definition")
	}
	one.edit("{\n  first\n}")
	one.click(`[formaction="/workflows/save"]`)
	one.until(`location.search === "?saved=1"`)
	two.edit("{\n  second\n}")
	two.click(`[formaction="/workflows/save"]`)
	two.see(".conflict")
	if got := js[string](two, `definition.value`); got != "{\n  second\n}" {
		t.Errorf("what was written is %q", got)
	}
	if got := js[string](two, `[...document.querySelectorAll(".diff tr")].map((x) => x.className + x.cells[1].textContent.trim()).join(" ")`); got != "{ minusfirst plussecond }" {
		t.Errorf("the difference is %q", got)
	}
	if got := s.newest(); got != "{\n  first\n}" {
		t.Errorf("saved %q", got)
	}
	two.picture("33-workflow-conflict")
	two.click(`[formaction="/workflows/save"]`)
	two.until(`location.search === "?saved=2"`)

	two.click(`.editor a[href$="/versions"]`)
	two.until(`document.querySelectorAll(".versions li").length === 2 && document.querySelector(".diff .plus").textContent.includes("second")`)
	one.open(c.URL + "/workflows/triage/versions")
	one.see(".versions form button")
	two.click(".versions form button") // of version 1
	two.until(`location.search === "?saved=3" && document.querySelectorAll(".versions li").length === 3`)
	if got := s.newest(); got != "{\n  first\n}" {
		t.Errorf("restored %q", got)
	}
	one.click(".versions form button") // does not know version 3
	one.until(`location.search === "?conflict=1"`)
	one.see("[role=alert]")
	one.click(`[action="/workflows/remove"] button`)
	one.until(`location.search === "?saved=4"`)
	if got := s.newest(); got != "" {
		t.Errorf("removed, and %q is left", got)
	}
}
