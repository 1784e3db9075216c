package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// actor types lines at a terminal, each when the program has shown what it answers.
type actor struct {
	t     *testing.T
	lines [][2]string // what is shown, and what is then typed

	mu    sync.Mutex
	said  strings.Builder
	seen  int // bytes of said before the last line typed
	spare []byte
}

// Write takes what the program shows.
func (a *actor) Write(p []byte) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.said.Write(p)
}

func (a *actor) shown() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.said.String()
}

// Read gives the next line once its cue is there.
func (a *actor) Read(p []byte) (int, error) {
	if len(a.spare) == 0 {
		if len(a.lines) == 0 {
			return 0, io.EOF
		}
		cue := a.lines[0]
		ctx := within(a.t, atMost)
		for {
			said := a.shown()
			if at := strings.Index(said[a.seen:], cue[0]); at >= 0 {
				a.seen += at + len(cue[0])
				break
			}
			if ctx.Err() != nil {
				a.t.Errorf("%q is not shown before %q is typed", cue[0], cue[1])
				return 0, io.EOF
			}
			time.Sleep(2 * time.Millisecond)
		}
		a.lines, a.spare = a.lines[1:], []byte(cue[1])
		if cue[1] != "" {
			a.spare = append(a.spare, '\n')
		}
	}
	n := copy(p, a.spare)
	a.spare = a.spare[n:]
	if n == 0 { // a cue without a line: the end
		return 0, io.EOF
	}
	return n, nil
}

// TestDemoInTheTerminal plays the demo as people might: they follow it, skip, refuse, change values,
// say something else, stop. It always ends with words about how it went, and leaves no folder behind.
func TestDemoInTheTerminal(t *testing.T) {
	unraced(t)
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	const (
		count = "How many people"
		plan  = "Shall I go ahead?"
		one   = "Step 1 of 2"
		two   = "Step 2 of 2"
		pick  = "to choose."
		outro = "That was the demo"
	)
	type lines = [][2]string
	cases := []struct {
		name, language string
		lines          lines
		want           []string
		not            string
	}{
		{"followed", "en_US.UTF-8", lines{{count, "12"}, {plan, "/1"}, {one, "/1"}, {two, "/1"}, {"Sources", ""}}, []string{`"topic": "team dinner"`, `"expression": "50,000 * 12"`, "600,000 won**", "per person a month.” [1]", "[1] Expenses and travel", outro}, ""},
		{"followed_in_korean", "ko_KR.UTF-8", lines{{"몇 명이", "여섯 명은 아니고 5명이요"}, {"계획이에요", "네"}, {"1단계", "승인"}, {"2단계 중 2단계", "응"}, {"출처", ""}}, []string{"5만 * 5", "예산은 250,000원이에요", "5만 원입니다.” [1]", "비용과 출장", "여기까지가 데모예요"}, ""},
		{"clicks_alone", "en_US.UTF-8", lines{{count, "/3"}, {plan, "/1"}, {one, "/1"}, {two, "/1"}, {outro, ""}}, []string{"50,000 * 12", "600,000 won**"}, ""},
		{"proceeds_without_an_answer", "en_US.UTF-8", lines{{count, "/5"}, {plan, "/1"}, {one, "/1"}, {two, "/1"}, {outro, ""}}, []string{"400,000 won**", "no number that the script can read"}, ""},
		{"skips_the_rule", "en_US.UTF-8", lines{{count, "4"}, {plan, "/1"}, {one, "/3"}, {two, "/1"}, {outro, ""}}, []string{"200,000 won**", "only the script's assumption", "1 skipped"}, "[1] Expenses"},
		{"skips_everything", "en_US.UTF-8", lines{{count, "4"}, {plan, "/1"}, {one, "/3"}, {two, "/3"}, {outro, ""}}, []string{"Neither step gave a result", "2 skipped"}, "won**"},
		{"changes_a_value_in_words", "en_US.UTF-8", lines{{count, "4"}, {plan, "/1"}, {one, "/1"}, {two, "make it 9 people"}, {"50,000 * 9", "/1"}, {outro, ""}}, []string{"450,000 won**"}, ""},
		{"changes_a_value_to_nonsense", "en_US.UTF-8", lines{{count, "4"}, {plan, "/1"}, {one, "/1"}, {two, "/2"}, {"Edit", "cheap ** food"}, {outro, ""}}, []string{"1 failed", "The handbook says:"}, "won**"},
		{"rejects_the_plan", "en_US.UTF-8", lines{{count, "4"}, {plan, "/3"}, {"rejected", ""}}, []string{"rejected"}, "won**"},
		{"takes_a_step_out", "en_US.UTF-8", lines{{count, "4"}, {plan, "leave out step 2"}, {"handbook_lookup", "/1"}, {outro, ""}}, []string{"The handbook says:"}, "won**"},
		{"says_something_else", "en_US.UTF-8", lines{{count, "pizza!"}, {plan, "what about the weather?"}, {pick, "/1"}, {one, "/1"}, {two, "/1"}, {outro, ""}}, []string{"400,000 won**"}, ""},
		{"stops", "en_US.UTF-8", lines{{pick, "stop"}, {"topped", ""}}, nil, "won**"},
		{"plays_twice", "en_US.UTF-8", lines{{count, "4"}, {plan, "/1"}, {one, "/1"}, {two, "/1"}, {"Sources", "/demo"}, {count, "3"}, {plan, "/1"}, {one, "/1"}, {two, "/1"}, {"Sources", ""}}, []string{"200,000 won**", "150,000 won**"}, ""},
		{"goes_on_with_the_handbook", "en_US.UTF-8", lines{{count, "4"}, {plan, "/1"}, {one, "/1"}, {two, "/1"}, {"Sources", "How many days of annual leave do I have?"}, {"Sources", ""}}, []string{outro, "15 days of annual leave"}, ""},
	}
	for _, tt := range cases {
		t.Run(tt.name, func(t *testing.T) {
			var why strings.Builder
			a := &actor{t: t, lines: tt.lines}
			p := process{
				args: []string{"demo"}, environ: []string{"LANG=" + tt.language, "OPENAI_BASE_URL=http://127.0.0.1:1", "MARU_AGENT=guide"}, readFile: os.ReadFile,
				stdin: a, stdout: a, stderr: &why,
			}
			if code := p.run(t.Context()); code != exitOK {
				t.Fatalf("exit code %d: %s", code, why.String())
			}
			out := a.shown()
			for _, w := range tt.want {
				if !strings.Contains(out, w) {
					t.Errorf("%q is not said", w)
				}
			}
			if tt.not != "" && strings.Contains(out, tt.not) {
				t.Errorf("%q is said", tt.not)
			}
			if t.Failed() {
				t.Log(out)
			}
		})
	}
	left, err := os.ReadDir(tmp)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range left {
		if strings.HasPrefix(f.Name(), "maru-demo") {
			t.Errorf("%s is left", f.Name())
		}
	}
}

// TestDemoOnSlack begins the demo from a channel: it is played in a direct message with whoever asked,
// with a kill -9 in the middle, and the endpoint's model is never asked.
func TestDemoOnSlack(t *testing.T) {
	t.Parallel()
	model := brain(t)
	w := newSlackWorld(t, model)
	w.start()
	w.slack.Slash("U1", "C1", "/maru", "데모")
	root := ""
	if err := w.slack.Wait(within(t, atMost), func() bool {
		for _, m := range w.slack.Messages("D1", "") {
			if strings.Contains(string(mustJSON(t, m.Blocks))+m.Text, "데모: 팀 회식 예산") {
				root = m.TS
			}
		}
		return root != ""
	}); err != nil {
		t.Fatalf("the demo does not begin in the direct message: %+v", w.slack.Messages("D1", ""))
	}
	press := func(label, shown string) {
		t.Helper()
		ts := ""
		if err := w.slack.Wait(within(t, atMost), func() bool {
			for _, r := range w.slack.Replies("D1", root) {
				if slices.Contains(r.Buttons(), label) && strings.Contains(string(mustJSON(t, r.Blocks))+r.Text, shown) {
					ts = r.TS
				}
			}
			return ts != ""
		}); err != nil {
			t.Fatalf("no card with the button %q shows %q; the bot said %q", label, shown, w.bots("D1", root))
		}
		if _, err := w.slack.Click("U1", "D1", ts, label); err != nil {
			t.Fatal(err)
		}
	}
	press("12", "몇 명이 함께")
	w.kill()
	w.start()
	press("승인", "안내서에서 회식비 규정 찾기")
	press("승인", "topic")
	press("승인", "5만 * 12")
	if err := w.slack.Wait(within(t, atMost), func() bool {
		said := strings.Join(w.bots("D1", root), "\n")
		return strings.Contains(said, "600,000원") && strings.Contains(said, "여기까지가 데모예요")
	}); err != nil {
		t.Errorf("the bot said %q", w.bots("D1", root))
	}
	if n := len(model.Chats()); n != 0 {
		t.Errorf("the endpoint's model was asked %d times", n)
	}
	// The conversation is the place's own again.
	w.slack.Say("U1", "D1", "고마워", root)
	if err := w.slack.Wait(within(t, atMost), func() bool {
		return strings.Contains(strings.Join(w.bots("D1", root), "\n"), "You said: ")
	}); err != nil {
		t.Errorf("after the demo the bot said %q", w.bots("D1", root))
	}
}

// TestDemoOnDiscord does the same on Discord, in English.
func TestDemoOnDiscord(t *testing.T) {
	t.Parallel()
	unraced(t)
	w := newDiscordWorld(t, brain(t))
	w.discord.SetLocale(w.user, "en-US")
	w.begin()
	w.discord.Slash(w.user, w.general, "maru", "demo", nil)
	dm := w.discord.DM(w.user)
	press := func(label, shown string) {
		t.Helper()
		message, id := "", ""
		if err := w.discord.Await(within(t, atMost), func() bool {
			for _, m := range w.discord.BotMessages(dm) {
				if found := buttonID(m.Components, label); found != "" && strings.Contains(m.Content+string(mustJSON(t, m.Components)), shown) {
					message, id = m.ID, found
				}
			}
			return id != ""
		}); err != nil {
			for _, m := range w.discord.BotMessages(dm) {
				t.Logf("%s %s", m.Text(), mustJSON(t, m.Components))
			}
			t.Fatalf("no card with the button %q shows %q", label, shown)
		}
		w.discord.Click(w.user, dm, message, id)
	}
	press("8", "How many people")
	press("Approve", "Look up the rule")
	press("Approve", "topic")
	press("Approve", "50,000 * 8")
	if err := w.discord.Await(within(t, atMost), func() bool {
		for _, m := range w.discord.BotMessages(dm) {
			if strings.Contains(m.Text(), "400,000 won") && strings.Contains(m.Text(), "That was the demo") {
				return true
			}
		}
		return false
	}); err != nil {
		for _, m := range w.discord.BotMessages(dm) {
			t.Logf("%s", m.Text())
		}
		t.Error("the demo does not end")
	}
	if n := len(w.discord.BotMessages(w.general)); n != 0 {
		t.Errorf("%d messages stand in the channel", n)
	}
}

// TestAgentWithoutAModel: whoever chooses an agent that needs a language model where there is none is
// told so, and where to go from there.
func TestAgentWithoutAModel(t *testing.T) {
	t.Parallel()
	unraced(t)
	env := []string{"DATA_DIR=" + t.TempDir()}
	for _, tt := range []struct {
		command string
		told    bool
	}{{"/agent orchestrator", true}, {"/agent guide", true}, {"/agent autonomous", true}, {"/agent chat", false}, {"/agent", true}} {
		_, out, why := runHere(t, "", env, "ask", tt.command)
		if told := strings.Contains(out, "demo") && strings.Contains(out, "OPENAI_BASE_URL"); told != tt.told {
			t.Errorf("%s: told %v, want %v: %s %s", tt.command, told, tt.told, out, why)
		}
		if strings.Contains(out, "maru-demo") {
			t.Errorf("%s lists the demo's agent: %s", tt.command, out)
		}
	}
}

// TestDemoInABrowser begins the demo from the empty console and clicks through it.
func TestDemoInABrowser(t *testing.T) {
	t.Parallel()
	p := newProgram(t, defaults...)
	p.start()
	ctx := chromium(t)
	do := func(steps ...chromedp.Action[chromedp.Void]) {
		t.Helper()
		if err := chromedp.Do(ctx, steps...); err != nil {
			t.Fatal(err)
		}
	}
	until := func(what, js string) {
		t.Helper()
		for ctx.Err() == nil {
			if ok, err := chromedp.Run(ctx, chromedp.Evaluate[bool](js)); err == nil && ok {
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
		t.Fatalf("%s does not come", what)
	}
	click := func(shown, label string) { // a button of the card that shows a text
		t.Helper()
		until(label, fmt.Sprintf(`(() => {
			const card = [...document.querySelectorAll(".line.bot")].at(-1);
			const b = card && card.innerText.includes(%q) && [...card.querySelectorAll("button")].find((b) => b.innerText.trim() === %q && !b.disabled);
			if (b) b.click();
			return !!b;
		})()`, shown, label))
	}
	do(chromedp.Navigate("http://"+p.addr+"/"), chromedp.Click(chromedp.CSS("[data-example='/demo']"), chromedp.NodeVisible))
	click("How many people", "8")
	picture(t, ctx, "demo-plan")
	click("Look up the rule", "Approve")
	click("team dinner\"", "Approve")
	click("50,000 * 8", "Approve")
	until("the answer", `[...document.querySelectorAll(".line.bot[data-final]")].some((l) => l.innerText.includes("400,000 won") && l.textContent.includes("Expenses and travel"))`)
	picture(t, ctx, "demo")
}
