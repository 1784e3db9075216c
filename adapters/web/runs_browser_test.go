//go:build !race

package web_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"maru/adapters/web"
)

func TestBrowserRuns(t *testing.T) {
	t.Parallel()
	s := &staffed{runs: manyRuns(1000)}
	c := startStaffed(t, s)
	b := browser(t)
	problems := complaints(t, b)
	b.open(c.URL + "/")
	b.click(".nav > summary")
	b.click(`.nav a[href="/runs"]`)
	b.see("#runs .rows li")
	if n := js[int](b, `document.querySelectorAll("#runs .rows li").length`); n != 50 {
		t.Errorf("a page has %d runs", n)
	}
	b.until(`!document.querySelector(".rows time").textContent.includes("UTC")`) // the browser's own clock
	b.picture("30-runs")

	t.Run("filters", func(t *testing.T) {
		b.do(chromedp.SetValue(chromedp.CSS("select[name=status]"), "waiting"))
		b.write("[name=agent]", "chat")
		b.click(".filters [type=submit]")
		b.until(`location.search.includes("status=waiting") && [...document.querySelectorAll("#runs .rows .tag")].every((x) => x.classList.contains("waiting"))`)
		b.click(".filters a.button")
		b.until(`location.search === "" && document.querySelectorAll("#runs .rows li").length === 50`)
	})
	t.Run("pages", func(t *testing.T) {
		b.click(".more a")
		b.until(`location.search.includes("before=") && document.querySelector(".rows a").textContent.includes("Question 950")`)
		b.open(c.URL + "/runs")
	})
	t.Run("live_and_the_keyboard_stays", func(t *testing.T) {
		js[bool](b, `(document.querySelector('.rows a[href="/runs/r999"]').focus(), true)`)
		fresh := manyRuns(1)[0]
		fresh.ID, fresh.Title, fresh.Started = "new", "Asked a moment ago", ranAt.Add(time.Minute)
		s.begin(fresh)
		b.until(`document.querySelector(".rows a").textContent === "Asked a moment ago"`)
		b.until(`document.activeElement.getAttribute("href") === "/runs/r999"`)
	})
	t.Run("a_run_is_explained", func(t *testing.T) {
		b.click(`.rows a[href="/runs/new"]`)
		b.see(".flow rect.been")
		b.see(".spans .model")
		if got := get(b, chromedp.Text(chromedp.CSS(".part.md"))); !strings.Contains(got, "18 days") {
			t.Errorf("the answer is %q", got)
		}
		if got := get(b, chromedp.Text(chromedp.CSS(".found li:nth-child(1)"))); !strings.Contains(got, "not given to the model") {
			t.Errorf("a passage that was not cited says %q", got)
		}
		b.picture("31-run")
	})
	t.Run("a_call_has_its_words", func(t *testing.T) {
		js[bool](b, `(document.querySelector(".spans .model summary").focus(), true)`)
		b.do(chromedp.KeyEvent(kb.Enter))
		b.click(`.spans a[href="/runs/new/calls/call1"]`)
		b.until(`document.querySelector(".nothing").textContent.includes("aren't kept any more")`)
		b.click(`.buttons a[href="/runs/new"]`)
		b.see(".spans .model")
		b.open(c.URL + "/runs/new/calls/call2")
		if got := get(b, chromedp.Text(chromedp.CSS(".said-list"))); !strings.Contains(got, "<b>Never</b> guess.") || !strings.Contains(got, "7년 다니면") {
			t.Errorf("the prompt is %q", got)
		}
		b.picture("32-prompt")
		b.click(`[rel=next]`)
		b.until(`location.pathname === "/runs/new/calls/call3" && document.querySelector("[rel=prev]") !== null`)
		b.open(c.URL + "/runs/new")
	})
	t.Run("two_are_compared", func(t *testing.T) {
		b.open(c.URL + "/runs")
		js[bool](b, `(document.querySelector("[name=run][value=r8], [name=run]").focus(), true)`)
		b.do(chromedp.KeyEvent(" ")) // by the keyboard
		b.click("[name=run][value=r990]")
		b.click(`[action="/runs/compare"] [type=submit]`)
		b.until(`location.pathname === "/runs/compare" && document.querySelectorAll(".pair").length === 3`)
		b.open(c.URL + "/runs/compare?run=r8&run=r9")
		if got := js[string](b, `[...document.querySelectorAll(".pair .md")].map((x) => x.textContent.trim()).join(" / ")`); got != "It is 15 days. / It is 18 days [1]." {
			t.Errorf("the answers are %q", got)
		}
		b.picture("34-compare")
	})
	t.Run("a_task_is_done_again", func(t *testing.T) {
		b.open(c.URL + "/runs/new")
		b.do(chromedp.SetValue(chromedp.CSS("[name=text]"), "redo from step 2"))
		b.click(".redo [type=submit]")
		b.until(`location.pathname === "/t/t1"`)
		s.echo.mu.Lock()
		defer s.echo.mu.Unlock()
		if n := len(s.echo.messages); n != 1 || s.echo.messages[0].Text != "redo from step 2" {
			t.Errorf("said %+v", s.echo.messages)
		}
	})
	if p := problems(); len(p) != 1 || !strings.Contains(p[0], "404") { // the call whose words are gone
		t.Errorf("the browser complained: %q", p)
	}
}

// TestBrowserRunsComeBack keeps two browsers on one page through a restart of the program.
func TestBrowserRunsComeBack(t *testing.T) {
	t.Parallel()
	s := &staffed{runs: manyRuns(3)}
	c := startStaffed(t, s)
	var away atomic.Bool
	c.Server.Config.Handler = interrupted(c.Server.Config.Handler, &away)
	var tabs []tab
	for range 2 {
		b := browser(t)
		b.open(c.URL + "/runs")
		b.see(".rows li")
		tabs = append(tabs, b)
	}
	away.Store(true)
	for _, b := range tabs {
		b.until(`document.querySelector("[data-lost]").textContent !== ""`)
	}
	fresh := manyRuns(1)[0]
	fresh.ID, fresh.Title, fresh.Started = "new", "After the restart", ranAt.Add(time.Minute)
	s.begin(fresh)
	away.Store(false)
	for _, b := range tabs {
		b.until(`document.querySelector(".rows a").textContent === "After the restart" && document.querySelector("[data-lost]").textContent === ""`)
	}
}

// interrupted answers as a proxy does whose program is away.
func interrupted(h http.Handler, away *atomic.Bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if away.Load() {
			http.Error(w, "away", http.StatusBadGateway)
			return
		}
		h.ServeHTTP(w, r)
	})
}

// TestPagesOfTheProgramAreTheOperators refuses people who may only decide questions.
func TestPagesOfTheProgramAreTheOperators(t *testing.T) {
	t.Parallel()
	s := &staffed{runs: manyRuns(1)}
	c := startStaffed(t, s, func(c *web.Config) {
		c.Tokens = []web.Token{{Name: "ci", Token: "ci-0123456789abcdefgh"}, {Name: "ops", Token: "ops-0123456789abcdefg", Operator: true}}
	})
	for token, want := range map[string]int{"ci-0123456789abcdefgh": http.StatusForbidden, "ops-0123456789abcdefg": http.StatusOK} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, c.URL+"/runs", http.NoBody)
		r.RequestURI = ""
		r.Header.Set("Authorization", "Bearer "+token)
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != want {
			t.Errorf("%s: %d, want %d", token, res.StatusCode, want)
		}
	}
}
