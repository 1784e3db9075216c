//go:build !race

package web_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"maru/adapters/web"
	"maru/bot"
)

// TestBrowserLosesNothingTyped: what was written outlives a reload, and a session
// that ends meanwhile; it is sent once.
func TestBrowserLosesNothingTyped(t *testing.T) {
	t.Parallel()
	c := start(t, func(c *web.Config) { c.Login = "a long password" })
	b := browser(t)
	login := func() {
		b.write("[name=password]", "a long password"+kb.Enter)
		b.wait("#text")
	}
	b.open(c.URL + "/")
	login()
	b.write("#text", "half a thou")
	b.do(chromedp.Reload())
	b.until(`document.querySelector("#text").value === "half a thou"`)
	js[bool](b, `(window.same = true)`)
	signOut := func() {
		t.Helper()
		b.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
			_, err := cdp.Call(ctx, t, network.ClearBrowserCookies, cdp.Empty{})
			return err
		}))
	}
	signOut()
	b.write("#text", "ght"+kb.Enter)
	b.see("#signin")
	b.until(`document.querySelector("#text").value === "half a thought"`)
	if n := c.bot.count(); n != 0 {
		t.Errorf("%d messages of nobody were taken", n)
	}
	// They sign in elsewhere, and come back.
	js[bool](b, `fetch("/login").then(r => r.text()).then(t => fetch("/login", {method: "POST",
		headers: {"Content-Type": "application/x-www-form-urlencoded"},
		body: new URLSearchParams({password: "a long password", csrf: new DOMParser().parseFromString(t, "text/html").querySelector("input[name=csrf]").value})}))
		.then(() => { dispatchEvent(new Event("focus")); }) && true`)
	b.unseen("#signin")
	if !js[bool](b, `window.same && document.querySelector("#text").value === "half a thought"`) {
		t.Error("the page was loaded anew, or the words are gone")
	}
	b.click("#send")
	b.wait(".line.bot[data-final]")
	b.wait("#thread:not([data-new])") // the page knows that it was taken, and has its own address
	b.do(chromedp.Reload())
	b.wait(".line.bot[data-final]")
	if left := js[string](b, `document.querySelector("#text").value`); left != "" || c.bot.count() != 1 {
		t.Errorf("%d messages were sent, and %q stands there again", c.bot.count(), left)
	}
}

// TestBrowserKeepsTheAnchorOverALogin: a link to one source or message leads there also
// for who has to sign in first, chooses a language on the way and mistypes the password.
func TestBrowserKeepsTheAnchorOverALogin(t *testing.T) {
	t.Parallel()
	c := start(t, func(c *web.Config) { c.Login = "a long password" })
	b := browser(t)
	b.open(c.URL + "/t/t1?last=30#source-2")
	b.wait("[name=password]")
	b.korean()
	b.write("[name=password]", "a wrong password"+kb.Enter)
	b.wait("#problem")
	b.write("[name=password]", "a long password"+kb.Enter)
	b.wait("#text")
	if at := js[string](b, `location.pathname + location.search + location.hash`); at != "/t/t1?last=30#source-2" {
		t.Errorf("after the login the page is %s", at)
	}
}

// TestBrowserLeadsToAMessage opens a link to one message of many.
func TestBrowserLeadsToAMessage(t *testing.T) {
	t.Parallel()
	e := newEcho()
	c := startWith(t, e)
	p := c.person(t)
	for i := range 30 {
		p.post(message, fmt.Sprintf(`{"id":"m%d","text":"question %d"}`, i, i))
		e.running.Wait()
	}
	again := startWith(t, e) // after a restart the record tells of the same messages
	b := browser(t)
	b.open(again.URL + "/t/t1")
	b.wait(".line.bot[data-final]")
	link := js[string](b, `document.querySelectorAll("[data-link]")[4].dataset.link`)
	if page := p.get("/t/t1").body; !strings.Contains(page, link) {
		t.Errorf("the link %s does not hold over a restart", link)
	}
	b.open("about:blank")
	b.open(again.URL + link)
	at := `(() => { const r = document.querySelectorAll(".line.bot")[4].getBoundingClientRect(); return r.top >= 0 && r.bottom <= innerHeight; })()`
	b.until(at)
	b.until(`document.activeElement === document.querySelectorAll(".line.bot")[4]`)
	b.write("#text", "one more"+kb.Enter)
	b.until(`document.querySelectorAll(".line.bot[data-final]").length === 31`)
}

// TestBrowserStaysAtTheEnd: when there is less room, as above the keyboard of a phone, who
// read the end still does, and who had scrolled up stays where they were.
func TestBrowserStaysAtTheEnd(t *testing.T) {
	t.Parallel()
	c := start(t)
	for i := range 30 {
		post(t, c, "t1", fmt.Sprint("p", i), bot.Card{Kind: bot.CardText, Text: strings.Repeat("a line of an answer that is long enough to be wrapped ", 5), Final: true})
	}
	b := browser(t)
	b.open(c.URL + "/t/t1")
	const fromEnd = `Math.round(document.querySelector("#scroll").scrollHeight - document.querySelector("#scroll").scrollTop - document.querySelector("#scroll").clientHeight)`
	b.until(fromEnd + " < 2")
	drawn := func() {
		js[bool](b, `(window.drawn = false, requestAnimationFrame(() => requestAnimationFrame(() => { window.drawn = true; })), true)`)
		b.until("window.drawn")
	}
	drawn()
	for _, size := range [][2]int64{{1280, 400}, {390, 844}, {390, 400}} {
		b.do(chromedp.EmulateViewport(size[0], size[1]))
		b.until(fmt.Sprintf("innerWidth === %d && innerHeight === %d && %s < 2", size[0], size[1], fromEnd))
	}
	js[bool](b, `(document.querySelector("#scroll").scrollTop = 200, true)`)
	drawn()
	b.do(chromedp.EmulateViewport(390, 600))
	b.until("innerHeight === 600")
	drawn()
	if at := js[float64](b, `document.querySelector("#scroll").scrollTop`); at != 200 {
		t.Errorf("who had scrolled up to 200 is led to %v", at)
	}
}

// TestBrowserShowsEarlierMessages: of a long thread the newest messages are shown, and
// every other one can be reached, by a link to it too, and stays when the page catches up.
func TestBrowserShowsEarlierMessages(t *testing.T) {
	t.Parallel()
	e := newEcho()
	at := bot.Thread{Platform: "web", Team: "local", Channel: "home", ID: "t1", Direct: true}
	conv := e.conversation(at)
	for i := range 3000 {
		m := at
		m.ID = fmt.Sprint("m", i)
		conv.entries = append(conv.entries, bot.Entry{ID: m.Key(), Thread: at.Key(), Text: fmt.Sprint("message ", i), At: e.now().Add(time.Duration(i-3000) * time.Minute)})
	}
	c := startWith(t, e)
	b := browser(t)
	b.open(c.URL + "/t/t1")
	b.wait("#l-m2999")
	if n := js[int](b, `document.querySelectorAll(".line").length`); n != 400 {
		t.Errorf("the page shows %d messages", n)
	}
	b.click(".earlier a")
	b.wait("#l-m1000")
	b.until(`document.activeElement.id === "l-m2600"`) // where one was
	b.open("about:blank")
	b.open(c.URL + "/t/t1#l-m7")
	b.until(`document.activeElement.id === "l-m7"`)
	c.CloseClientConnections()
	b.write("#text", "one more"+kb.Enter)
	b.wait(".line.bot[data-final]")
	b.wait("#l-m7")
}

// TestBrowserCopies: an answer is passed on with the numbers of its sources and what
// these are, over plain HTTP too, where browsers have no clipboard.
func TestBrowserCopies(t *testing.T) {
	t.Parallel()
	c := startWith(t, leaveBot())
	b := browser(t)
	b.open(c.URL + "/")
	b.korean()
	b.write("#text", "연차는 며칠이야?"+kb.Enter)
	b.wait(".line.bot[data-final]")
	js[bool](b, `(Object.defineProperty(navigator, "clipboard", {value: undefined}),
		document.addEventListener("copy", () => { window.copied = getSelection().toString() || document.activeElement.value; }), true)`)
	b.click("[data-copy]")
	b.until(`Boolean(window.copied)`)
	got := js[string](b, `window.copied`)
	for _, want := range []string{"15일이에요 [1]", "늘어나요 [1][2]", "3년\t16일", "\n출처\n[1] 마루 안내서 › 근무와 휴가 › 연차, 7쪽\n[2] Employee handbook › Leave, 5쪽"} {
		if !strings.Contains(got, want) {
			t.Errorf("copied is\n%s\nwithout %q", got, want)
		}
	}
	if js[int](b, `document.querySelectorAll(".copying").length`) != 0 {
		t.Error("the copy is left behind")
	}
}

// TestBrowserKeepsTheKeyboard: a decision by the keyboard alone leaves it at the card,
// and a dialog gives it back to what opened it.
func TestBrowserKeepsTheKeyboard(t *testing.T) {
	t.Parallel()
	e := newEcho()
	plan := bot.Card{Kind: bot.CardPlan, Title: "Trip", Text: "Shall I?", Run: "r1", Buttons: []bot.Button{{ID: "a1", Verb: "edit", Label: "Change"}, {ID: "a1", Verb: "accept", Label: "Approve"}}}
	e.answer = func(bot.Message) []bot.Card { return []bot.Card{{Kind: bot.CardProgress, Status: "…"}, plan} }
	c := startWith(t, e)
	e.onAction = func(a bot.Action) (bot.Answer, error) {
		if a.Verb == "edit" {
			return bot.Answer{Form: &bot.Form{ID: "a1", Verb: "edited", Title: "Change the plan", Submit: "Save", Inputs: []bot.Input{{ID: "x", Label: "First"}, {ID: "y", Label: "Where"}}}}, nil
		}
		if a.Verb == "edited" {
			return bot.Answer{Errors: map[string]string{"y": "no such place"}}, nil
		}
		done := plan
		done.Buttons, done.Final = nil, true
		_, err := c.adapter.Edit(context.Background(), bot.Ref{Thread: a.Thread, Messages: []string{a.Message}}, done)
		return bot.Answer{Card: &bot.Card{Text: "approved"}}, err
	}
	b := browser(t)
	b.open(c.URL + "/")
	b.write("#text", "trip"+kb.Enter)
	b.wait(`[data-verb="edit"]`)
	js[bool](b, `(document.querySelector('[data-verb="edit"]').focus(), true)`)
	b.key(kb.Enter)
	b.see("#ask form")
	if name := js[string](b, `document.getElementById(document.querySelector("#ask").getAttribute("aria-labelledby"))?.textContent || ""`); name != "Change the plan" {
		t.Errorf("the dialog is called %q", name)
	}
	b.key(kb.Enter) // in the first field: it is submitted
	b.until(`document.activeElement.name === "y" && document.activeElement.getAttribute("aria-invalid") === "true"`)
	b.key(kb.Escape)
	b.until(`document.activeElement.dataset.verb === "edit"`)
	b.key(kb.Tab)
	b.until(`document.activeElement.dataset.verb === "accept"`)
	b.key(" ")
	b.wait(".line.plan[data-final]")
	b.until(`document.activeElement.matches(".line.plan")`)
}

// TestBrowserADialogLeadsBackToItsButton, also where the box took the keyboard before it
// opened: the message was sent in the moment in which the pressed button could not have it.
func TestBrowserADialogLeadsBackToItsButton(t *testing.T) {
	t.Parallel()
	e := newEcho()
	e.answer = func(bot.Message) []bot.Card {
		return []bot.Card{{Kind: bot.CardPlan, Title: "Trip", Text: "Shall I?", Run: "r1", Buttons: []bot.Button{{ID: "a1", Verb: "edit", Label: "Change"}}}}
	}
	c := startWith(t, e)
	e.onAction = func(bot.Action) (bot.Answer, error) {
		return bot.Answer{Form: &bot.Form{ID: "a1", Verb: "edited", Title: "Change", Submit: "Save", Inputs: []bot.Input{{ID: "x", Label: "First"}}}}, nil
	}
	b := browser(t)
	b.open(c.URL + "/")
	js[bool](b, `(window.held = [], window.fetch = ((f) => (u, o) => o?.method !== "POST" ? f(u, o) : f(u, o).then((r) => new Promise((ok) => held.push(() => ok(r)))))(window.fetch), true)`)
	b.write("#text", "trip"+kb.Enter)
	b.wait(`[data-verb="edit"]`)
	b.until(`held.length === 1`)
	js[bool](b, `(document.querySelector('[data-verb="edit"]').focus(), true)`)
	b.key(kb.Enter)
	b.until(`held.length === 2 && document.activeElement === document.body`)
	js[bool](b, `(held[0](), true)`)
	b.until(`document.activeElement.id === "text"`)
	js[bool](b, `(held[1](), true)`)
	b.see("#ask form")
	b.key(kb.Escape)
	b.until(`document.activeElement.dataset.verb === "edit"`)
}

// TestBrowserSendingTakesNoKeyboardAway: who goes on to something else while a message is sent stays there.
func TestBrowserSendingTakesNoKeyboardAway(t *testing.T) {
	t.Parallel()
	b := browser(t)
	b.open(start(t).URL + "/")
	js[bool](b, `(window.held = [], window.fetch = ((f) => (u, o) => o?.method !== "POST" ? f(u, o) : new Promise((ok) => held.push(() => ok(f(u, o)))))(window.fetch), true)`)
	b.write("#text", "hello"+kb.Enter)
	b.until(`held.length === 1`)
	b.write("#text", "again"+kb.Enter) // it goes once the first has arrived
	js[bool](b, `((a) => { a.id = "elsewhere"; a.focus(); held[0](); return true; })(document.querySelector(".side a"))`)
	b.until(`held.length === 2`)
	if at := js[string](b, `document.activeElement.id`); at != "elsewhere" {
		t.Errorf("the keyboard is at %q", at)
	}
}

// TestBrowserMenuOnAPhone: the menu takes the keyboard, and gives it back.
func TestBrowserMenuOnAPhone(t *testing.T) {
	t.Parallel()
	c := start(t)
	b := browser(t)
	b.do(chromedp.EmulateViewport(375, 760))
	b.open(c.URL + "/")
	b.click(".top [data-menu]")
	b.until(`document.activeElement.closest(".side") && document.querySelector("#main").inert && document.querySelector(".top [data-menu]").getAttribute("aria-expanded") === "true"`)
	b.key(kb.Escape)
	b.until(`document.activeElement.matches(".top [data-menu]") && !document.querySelector("#main").inert && document.activeElement.getAttribute("aria-expanded") === "false"`)
	b.do(chromedp.EmulateViewport(320, 256)) // a page of 1280 by 1024 at four times its size
	b.click(".top [data-menu]")
	b.until(`document.activeElement.closest(".side") && document.querySelector(".side").getAnimations().length === 0`)
	if out := js[bool](b, `(() => { const last = [...document.querySelectorAll(".side button")].at(-1); last.scrollIntoView(); return last.getBoundingClientRect().bottom > innerHeight; })()`); out {
		t.Error("the end of the menu is out of reach")
	}
	b.key(kb.Escape)
	for _, path := range []string{"/", "/documents", "/me", "/runs/r1", "/nothing"} {
		b.open(c.URL + path)
		for _, width := range []int64{320, 375, 768, 1280} {
			b.do(chromedp.EmulateViewport(width, 760))
			if over := js[float64](b, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
				t.Errorf("%s at %d: %v pixels too wide", path, width, over)
			}
		}
	}
}

// TestLinesTellTheirLanguage: who hears a page hears Korean as Korean.
func TestLinesTellTheirLanguage(t *testing.T) {
	t.Parallel()
	c := startWith(t, leaveBot())
	p := c.person(t)
	p.post(message, `{"id":"m1","text":"How many days?"}`)
	c.bot.running.Wait()
	for lang, want := range map[string][2]string{"en": {`lang="ko"`, `lang="en"`}, "ko": {`lang="en"`, `lang="ko"`}} {
		r := p.request("GET", "/t/t1", "")
		r.Header.Set("Accept-Language", lang)
		page := p.do(r).body
		person := page[strings.Index(page, `<article class="line person"`):]
		answer := page[strings.Index(page, `<article class="line bot`):]
		of := map[string]string{"en": answer, "ko": person}[lang] // the one that is in another language than the page
		head, inside, _ := strings.Cut(of, ">")
		if !strings.Contains(head, want[0]) || !strings.HasPrefix(inside, `<h2 class="vh" `+want[1]) {
			t.Errorf("on a page in %s: %s", lang, of[:300])
		}
		own := map[string]string{"en": person, "ko": answer}[lang]
		if head, _, _ := strings.Cut(own, ">"); strings.Contains(head, "lang=") {
			t.Errorf("on a page in %s: %s", lang, head)
		}
	}
	if got := p.get("/t/t1"); got.status != http.StatusOK {
		t.Error(got.status)
	}
}
