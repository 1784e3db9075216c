//go:build !race

package web_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"maru/bot"
)

const leaveAnswer = `연차는 **15일**이에요 [1]. 입사 첫해에는 한 달을 개근할 때마다 하루씩 생기고, 3년째부터 2년마다 하루가 더해져 25일까지 늘어나요 [1][2].

| 근속 | 연차 |
|---|---|
| 1년 | 15일 |
| 3년 | 16일 |
| 21년 이상 | 25일 |

하루, 반나절, ` + "`2시간`" + ` 단위로 쓸 수 있어요. 더 알고 싶으면 [사내 위키](https://wiki.example.com/leave)를 보세요.`

func leaveSources() []bot.Source {
	return []bot.Source{
		{N: 1, Title: "마루 안내서", Heading: "근무와 휴가 › 연차", Page: 7, Score: 0.91, Quote: "1년 동안 80% 이상 출근한 직원은 연차 15일을 받습니다. 입사 첫해에는 한 달을 개근할 때마다 하루씩 생기고", Chunk: "h#12"},
		{N: 2, Title: "Employee handbook", Heading: "Leave", Page: 5, Score: 0.64, Quote: "Annual leave grows by one day every two years from the third year.", Chunk: "h#12"},
	}
}

// leaveBot answers about leave in a few steps, as a model would.
func leaveBot() *echo {
	e := newEcho()
	e.answer = func(m bot.Message) []bot.Card {
		run := "r" + m.ID
		half := leaveAnswer[:strings.Index(leaveAnswer, "\n\n하루")]
		return []bot.Card{
			{Kind: bot.CardProgress, Status: "문서에서 찾고 있어요…", Run: run},
			{Kind: bot.CardProgress, Text: half, Status: "답을 쓰고 있어요…", Run: run, Sources: leaveSources()},
			{Kind: bot.CardText, Text: leaveAnswer, Run: run, Final: true, Sources: leaveSources(), Footer: "내장 추출 모델 · 0.8초"},
		}
	}
	return e
}

// complaints collects what a page throws, logs as an error or is refused.
func complaints(t *testing.T, b tab) (all func() []string) {
	t.Helper()
	var mu sync.Mutex
	var list []string
	add := func(s string) { mu.Lock(); list = append(list, s); mu.Unlock() }
	err := chromedp.Listen(b.ctx, func(ev any) {
		switch ev := ev.(type) {
		case *runtime.EventExceptionThrown:
			add(ev.ExceptionDetails.Text)
		case *log.EventEntryAdded:
			if ev.Entry.Level == "error" {
				add(ev.Entry.Text + " " + ev.Entry.URL)
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return func() []string { mu.Lock(); defer mu.Unlock(); return list }
}

func TestBrowserConversation(t *testing.T) {
	t.Parallel()
	e := leaveBot()
	e.hold, e.held = make(chan struct{}), make(chan struct{}, 1)
	c := startWith(t, e)
	b := browser(t)
	problems := complaints(t, b)

	b.open(c.URL + "/")
	b.korean()
	b.see("#empty")
	b.picture("01-empty")
	b.until(`document.activeElement.id === "text"`) // ready to write
	b.write("#text", "연차는 며칠이야?"+kb.Enter)
	b.see(".line.bot .md table") // half of the answer, while it waits
	b.see("#stop")
	b.picture("02-streaming")
	close(e.hold)
	b.wait(".line.bot[data-final]")
	b.click(".sources summary")
	b.until(`document.querySelector("#live").textContent.includes("15일")`) // screen readers are told
	b.until(`location.pathname.startsWith("/t/t")`)
	b.picture("03-answer")
	b.click(".md a.cite")
	b.see("#panel mark")
	if got := get(b, chromedp.Text(chromedp.CSS("#panel mark"))); !strings.Contains(got, "연차 15일") {
		t.Errorf("the cited passage is %q", got)
	}
	if got := get(b, chromedp.Text(chromedp.CSS("#panel .text"))); !strings.Contains(got, "둡니다.\n1년 동안") || !strings.Contains(got, "늘어납니다.\n연차는 하루") {
		t.Errorf("its neighbours run into it: %q", got)
	}
	b.picture("04-passage")
	b.key(kb.Escape)
	b.unseen("#panel")

	b.do(chromedp.Reload()) // now it comes from the record
	b.see(".line.bot[data-final] .md table")
	b.see("#threads [aria-current]")
	b.click(".md .away")
	b.see("#away-address")
	b.picture("05-away")
	b.key(kb.Escape)
	b.until(`document.activeElement.matches(".md .away")`)
	b.click("[data-open=help]")
	b.see("#help")
	b.picture("06-help")
	b.click("#single") // keys of one character are switched off, for good
	b.key(kb.Escape)
	b.unseen("#help")
	if back := js[string](b, `document.activeElement.dataset.open || ""`); back != "help" {
		t.Errorf("the help gives the keyboard back to %q", back)
	}
	b.do(chromedp.Reload())
	b.wait(".line.bot[data-final]")
	js[bool](b, `(document.activeElement.blur(), true)`)
	b.key("/")
	b.key("?")
	if js[bool](b, `document.querySelector("#help").open || document.activeElement.id === "text"`) {
		t.Error("a key of one character works although it is switched off")
	}
	b.click("[data-open=help]")
	b.click("#single")
	b.key(kb.Escape)
	b.unseen("#help")
	b.key("?")
	b.see("#help")
	b.key(kb.Escape)
	b.key("/")
	b.until(`document.activeElement.id === "text"`)
	if p := problems(); len(p) > 0 {
		t.Errorf("the browser complained: %q", p)
	}
}

func TestBrowserLooks(t *testing.T) {
	t.Parallel()
	if os.Getenv("MARU_TEST_PICTURES") == "" {
		t.Skip("pictures for people: set MARU_TEST_PICTURES to a folder")
	}
	c := startWith(t, leaveBot())
	b := browser(t)
	file := filepath.Join(t.TempDir(), "출장 규정 2026.md")
	if err := os.WriteFile(file, []byte(strings.Repeat("출장비는 돌아온 뒤 7일 안에 정산합니다.\n", 80)), 0o600); err != nil {
		t.Fatal(err)
	}
	shot := func(path, name string) { t.Helper(); b.open(c.URL + path); b.picture(name) }
	b.open(c.URL + "/")
	b.write("#text", "How many days of annual leave do I have?"+kb.Enter)
	b.wait(".line.bot[data-final]")
	b.do(chromedp.SetUploadFiles(chromedp.CSS("#file"), []string{file}))
	b.see(".line.note")
	b.scheme("dark")
	b.picture("10-dark")
	b.click(".md a.cite")
	b.see("#panel mark")
	b.picture("11-dark-passage")
	shot("/runs/r1", "12-dark-trace")
	b.scheme("light")
	b.click(".spans .tool summary")
	b.picture("13-trace")
	shot("/documents", "14-documents")
	shot("/passages/h%2312?thread=t1&n=1", "15-passage-page")
	shot("/nothing", "16-error")
	b.do(chromedp.EmulateViewport(390, 780, chromedp.EmulateScale(2)))
	shot("/", "20-phone-empty")
	b.write("#text", "연차는 며칠이야?"+kb.Enter)
	b.wait(".line.bot[data-final]")
	b.picture("21-phone-answer")
	b.click(".top [data-menu]")
	b.until(`document.body.classList.contains("menu") && document.querySelector(".side").getAnimations().length === 0`)
	b.picture("22-phone-menu")
	shot("/runs/r1", "23-phone-trace")
	shot("/documents", "24-phone-documents")
}
