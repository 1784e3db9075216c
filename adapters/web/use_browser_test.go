//go:build !race

package web_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"maru/bot"
)

// compose lets an input method work on text, as it does on a Korean keyboard.
func (b tab) compose(text string) {
	b.t.Helper()
	b.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, input.ImeSetComposition, input.ImeSetCompositionParams{
			Text: text, SelectionStart: int64(len([]rune(text))), SelectionEnd: int64(len([]rune(text))),
		})
		return err
	}))
}

func TestBrowserComposesKorean(t *testing.T) {
	t.Parallel()
	c := start(t)
	b := browser(t)
	b.open(c.URL + "/")
	b.write("#text", "연차는 며")
	b.compose("칠")
	b.key(kb.Enter) // belongs to the input method: it ends the syllable
	if got := js[string](b, `document.querySelector("#text").value`); !strings.HasPrefix(got, "연차는 며칠") {
		t.Errorf("while composing, Enter left %q in the box", got)
	}
	if n := c.bot.count(); n != 0 {
		t.Fatalf("a half-composed message was sent")
	}
	b.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, input.InsertText, input.InsertTextParams{Text: "칠이야?"})
		return err
	}))
	b.key(kb.Enter)
	b.wait(".line.bot[data-final]")
	if got := get(b, chromedp.Text(chromedp.CSS(".line.person .text"))); strings.TrimSpace(got) != "연차는 며칠이야?" {
		t.Errorf("sent %q", got)
	}
	if got := js[string](b, `document.querySelector("#text").value`); got != "" {
		t.Errorf("the box keeps %q", got)
	}
}

// TestBrowserGoesBack: a conversation that is begun on the first page is a page of its
// own, between which "back" and "forward" lead.
func TestBrowserGoesBack(t *testing.T) {
	t.Parallel()
	c := start(t)
	b := browser(t)
	b.open(c.URL + "/documents")
	b.open(c.URL + "/")
	b.write("#text", "How many?"+kb.Enter)
	b.wait(".line.bot[data-final]")
	b.until(`location.pathname.startsWith("/t/")`)
	at := js[string](b, `location.pathname`)
	js[bool](b, `(history.back(), true)`)
	b.wait("#thread[data-new]")
	b.see("#empty")
	if now := js[string](b, `location.pathname`); now != "/" {
		t.Errorf("back leads to %s", now)
	}
	js[bool](b, `(history.forward(), true)`)
	b.wait("#thread:not([data-new]) .line.bot[data-final]")
	b.write("#text", "And then?"+kb.Enter) // the page is alive
	b.until(`document.querySelectorAll(".line.bot[data-final]").length === 2`)
	if got := js[string](b, `location.pathname`); got != at {
		t.Errorf("the conversation goes on at %s, not at %s", got, at)
	}
}

// TestBrowserLeadsToAQuestionAbove edits a card into a question while its place is
// far above what was said since.
func TestBrowserLeadsToAQuestionAbove(t *testing.T) {
	t.Parallel()
	c := start(t)
	ref := post(t, c, "t1", "plan", bot.Card{Kind: bot.CardProgress, Text: "planning"})
	for i := range 40 {
		post(t, c, "t1", fmt.Sprint("later", i), bot.Card{Kind: bot.CardText, Text: "said later\n\nand more", Final: true})
	}
	b := browser(t)
	b.open(c.URL + "/t/t1")
	b.korean()
	b.wait("#l-" + ref.Messages[0])
	b.until(`document.querySelector("#waits").hidden`)
	if over := js[float64](b, `document.documentElement.scrollHeight - innerHeight`); over > 0 {
		t.Errorf("the page is %v pixels higher than the window: only the conversation scrolls", over)
	}
	card := bot.Card{Kind: bot.CardPlan, Text: "Shall I?", Steps: []bot.Step{{Text: "one"}}, Buttons: []bot.Button{{ID: "a1", Verb: "accept", Label: "승인"}}}
	edit(t, c, ref, card)
	b.see("#waits")
	if said := get(b, chromedp.Text(chromedp.CSS("#waits"))); !strings.Contains(said, "결정을 기다리는") {
		t.Errorf("the bar says %q", said)
	}
	b.until(`document.title.startsWith("●")`)
	b.until(`document.querySelector("#live").textContent.includes("결정을")`)
	b.click("#waits")
	b.until(`(() => { const r = document.querySelector("[data-asks] .buttons").getBoundingClientRect(); return r.top > 0 && r.bottom < innerHeight; })()`)
	b.until(`document.activeElement.dataset.action === "a1"`)
	b.unseen("#waits")
	card.Buttons, card.Final = nil, true
	edit(t, c, ref, card)
	b.until(`!document.title.startsWith("●")`)
}

func (e *echo) stops() int { e.mu.Lock(); defer e.mu.Unlock(); return e.asked }

func (e *echo) documents() []bot.DocumentInfo { e.mu.Lock(); defer e.mu.Unlock(); return e.docs }

func (e *echo) count() int { e.mu.Lock(); defer e.mu.Unlock(); return len(e.messages) }

func TestBrowserStops(t *testing.T) {
	t.Parallel()
	e := leaveBot()
	e.hold, e.held = make(chan struct{}), make(chan struct{}, 1)
	c := startWith(t, e)
	b := browser(t)
	b.open(c.URL + "/")
	b.write("#text", "How many?")
	at := js[[]float64](b, `(() => { const r = document.querySelector("#send").getBoundingClientRect(); return [r.x + 9, r.y + 9]; })()`)
	for _, n := range []int{1, 2} { // a double click sends, and does not stop what it began
		b.do(chromedp.MouseClickXY(at[0], at[1], chromedp.ClickCount(n)))
	}
	b.see(".line.bot .md table")
	b.see("#stop")
	b.do(chromedp.MouseClickXY(at[0], at[1], chromedp.ClickCount(2)))
	b.write("#text", "a") // which comes after the click
	if n := e.stops(); n != 0 {
		t.Errorf("a double click stopped the answer %d times", n)
	}
	b.key(kb.Backspace)
	b.key(kb.Escape)
	b.wait(".line.bot[data-final]")
	b.unseen("#stop")
	if got := get(b, chromedp.Text(chromedp.CSS(".line.bot .footer"))); !strings.Contains(got, "Stopped") {
		t.Errorf("the answer ends with %q", got)
	}
	b.until(`document.querySelector("#live").textContent.includes("Stopped")`)
	if got := js[string](b, `document.querySelector("#live").textContent`); strings.Contains(got, "complete") {
		t.Errorf("who hears the page is told %q of an answer that was broken off", got)
	}
}

func TestBrowserDocuments(t *testing.T) {
	t.Parallel()
	c := start(t)
	b := browser(t)
	dir := t.TempDir()
	good, bad := filepath.Join(dir, "규정.md"), filepath.Join(dir, "virus.exe")
	filed := filepath.Join(dir, "급여.md")
	for _, f := range []string{good, bad, filed} {
		if err := os.WriteFile(f, []byte("# 규정"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	b.open(c.URL + "/")
	b.do(chromedp.SetUploadFiles(chromedp.CSS("#file"), []string{bad, good}))
	b.see("#uploads .failed")
	if got := get(b, chromedp.Text(chromedp.CSS("#uploads .failed .state"))); !strings.Contains(got, "couldn't read the file") {
		t.Errorf("the refusal says %q", got)
	}
	b.see(".line.note")
	b.picture("30-uploads")
	b.until(`location.pathname.startsWith("/t/t")`)
	b.click(`a[href="/documents"]`)
	b.see("[data-remove]")
	b.write("#tags", "인사, 급여")
	b.do(chromedp.SetUploadFiles(chromedp.CSS("#file"), []string{filed}))
	b.until(`document.querySelector("#library").textContent.includes("#인사 #급여")`)
	b.decide(true) // the question whether to delete
	one := chromedp.CSS(`[data-remove][data-name="규정.md"]`)
	b.do(chromedp.Click(one), chromedp.WaitNotPresent(one))
	c.bot.mu.Lock()
	defer c.bot.mu.Unlock()
	if slices.ContainsFunc(c.bot.docs, func(d bot.DocumentInfo) bool { return d.Name == "규정.md" }) {
		t.Error("the document is still there")
	}
}

func TestBrowserDecides(t *testing.T) {
	t.Parallel()
	e := newEcho()
	plan := bot.Card{
		Kind: bot.CardPlan, Title: "출장 준비 계획", Run: "r1", Text: "세 단계로 진행할게요.",
		Steps:   []bot.Step{{Text: "항공편 찾기", State: bot.StepDone}, {Text: "숙소 예약", State: bot.StepRunning, Detail: "두 곳 비교 중"}, {Text: "일정 정리", State: bot.StepWaiting}},
		Buttons: []bot.Button{{ID: "a1", Verb: "accept", Label: "승인", Style: bot.ButtonPrimary}, {ID: "a1", Verb: "edit", Label: "고치기"}, {ID: "a1", Verb: "reject", Label: "그만두기", Style: bot.ButtonDanger}},
	}
	e.answer = func(bot.Message) []bot.Card {
		return []bot.Card{{Kind: bot.CardProgress, Status: "계획을 세우고 있어요…"}, plan}
	}
	c := startWith(t, e)
	done := plan
	done.Buttons, done.Final, done.Footer = nil, true, "나 · 승인"
	e.onAction = func(a bot.Action) (bot.Answer, error) {
		switch {
		case a.Verb == "edit":
			return bot.Answer{Form: &bot.Form{ID: "a1", Verb: "edited", Title: "계획 고치기", Submit: "저장", Inputs: []bot.Input{
				{ID: "plan", Label: "단계", Long: true, Value: "항공편 찾기\n숙소 예약", Required: true, Hint: "한 줄에 하나씩"},
				{ID: "when", Label: "언제", Options: []bot.Option{{Value: "now", Label: "지금"}, {Value: "later", Label: "나중에"}}, Required: true},
			}}}, nil
		case a.Verb == "edited" && a.Values["when"] == "now":
			return bot.Answer{Errors: map[string]string{"when": "지금은 안 돼요."}}, nil
		}
		_, err := c.adapter.Edit(context.Background(), bot.Ref{Thread: a.Thread, Messages: []string{a.Message}}, done)
		return bot.Answer{Card: &bot.Card{Text: "승인했어요."}}, err
	}
	b := browser(t)
	b.open(c.URL + "/")
	b.korean()
	b.write("#text", "부산 출장 준비해줘"+kb.Enter)
	b.see(`[data-verb="edit"]`)
	b.picture("31-plan")
	b.click(`[data-verb="edit"]`)
	b.see("#ask form")
	b.picture("32-form")
	b.click("#ask form button[type=submit]")
	b.until(`document.querySelector("#ask .problem[data-for=when]").textContent !== ""`)
	b.do(chromedp.SetValue(chromedp.CSS("#ask select"), "later"))
	b.click("#ask form button[type=submit]")
	b.wait(`.line.plan[data-final]`)
	b.unseen("#ask")
	b.picture("33-decided")
	if n := js[int](b, `document.querySelectorAll(".line.plan").length`); n != 1 {
		t.Errorf("the plan stands there %d times", n)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	last := e.actions[len(e.actions)-1]
	if last.ID != "a1" || last.Verb != "edited" || last.Values["when"] != "later" || last.Thread.ID == "" || last.User.ID == "" {
		t.Errorf("the bot was told %+v", last)
	}
}

func TestBrowserComesBackAfterARestart(t *testing.T) {
	t.Parallel()
	e := newEcho()
	c := startWith(t, e)
	b := browser(t)
	b.open(c.URL + "/")
	b.write("#text", "before"+kb.Enter)
	b.wait(".line.bot[data-final]")
	b.until(`!("new" in document.querySelector("#thread").dataset)`) // the page knows that it was taken
	// The program starts again on the same address, with another key and
	// nothing but the record.
	again := restart(t, e)
	c.Config.Handler.(*http.ServeMux).Handle("127.0.0.1/", again)
	c.CloseClientConnections()
	b.write("#text", "after"+kb.Enter)
	b.until(`document.querySelectorAll(".line.bot[data-final]").length === 2`)
	if n := js[int](b, `document.querySelectorAll(".line").length`); n != 4 {
		t.Errorf("%d lines, want two questions and two answers", n)
	}
}

// hold makes the server keep the answer to a message that it has taken until the
// function returned is called.
func hold(c *console) func() {
	mux, free := c.Config.Handler, make(chan struct{})
	c.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mux.ServeHTTP(w, r)
		if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/messages") {
			<-free
		}
	})
	return sync.OnceFunc(func() { close(free) })
}

func TestBrowserSendsWhatWasWrittenMeanwhile(t *testing.T) {
	t.Parallel()
	c := start(t)
	release := hold(c)
	t.Cleanup(release)
	b := browser(t)
	b.open(c.URL + "/")
	b.write("#text", "first"+kb.Enter)
	b.wait(".line.bot[data-final]")
	b.write("#text", "second"+kb.Enter) // the page does not know yet that the first was taken
	release()
	b.until(`document.querySelectorAll(".line.bot[data-final]").length === 2`)
	if got := js[string](b, `document.querySelector("#text").value`); got != "" {
		t.Errorf("the box keeps %q", got)
	}
}
