package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"maru/agent/llm/llmtest"
	"maru/memory/memtest/servers"
)

// deadlyModel returns an endpoint whose call for a deadly question tells the test, which kills the program, until it is harmless.
func deadlyModel(t *testing.T) (model *llmtest.Server, asked <-chan struct{}, harmless func()) {
	t.Helper()
	calls, safe, hold := make(chan struct{}), make(chan struct{}), make(chan struct{})
	t.Cleanup(func() { close(hold) })
	var once sync.Once
	return llmtest.NewServer(t, func(r llmtest.Request) llmtest.Reply {
		reply := think(r)
		if strings.Contains(lastSaid(r), "폭탄") {
			select {
			case <-safe:
			case calls <- struct{}{}:
				reply.Wait = hold
			}
		}
		return reply
	}), calls, func() { once.Do(func() { close(safe) }) }
}

// TestADeadlyQuestionIsParked kills the program twice upon the model's call for a question. It is parked with one notice,
// the program lives on and answers others in the thread, and the question is answered once somebody retries it.
func TestADeadlyQuestionIsParked(t *testing.T) {
	t.Parallel()
	for name, env := range map[string]func(*testing.T) []string{
		"sqlite":   func(*testing.T) []string { return nil },
		"postgres": func(t *testing.T) []string { return []string{"DATABASE_URL=" + servers.StartPostgres(t).URL} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			model, asked, harmless := deadlyModel(t)
			w := newSlackWorld(t, model, env(t)...)
			w.start()
			root := w.slack.Say("U1", "C1", "<@UBOT> 폭탄 질문", "")
			// Two deaths, and one for each of three steps that a kill right after it may leave uncommitted.
			if deaths := w.diesOf(asked, "C1", root); deaths < 2 || deaths > 5 {
				t.Errorf("parked after %d deaths", deaths)
			}
			notice := w.card("C1", root, "잃어버린 건 없고")
			w.logged("item parked")
			if code, out, stderr := runHere(t, "", w.env, "parked"); code != 0 || !strings.Contains(out, "slack/T1/C1/"+root) {
				t.Errorf("maru parked: %d, %q, %q", code, out, stderr)
			}
			w.kill() // a parked question does not come back by itself
			w.start()
			w.slack.Say("U2", "C1", "<@UBOT> 다른 이야기", root) // the thread goes on
			w.shown("C1", root, "You said: 다른 이야기")
			if n := w.notices("C1", root); n != 1 {
				t.Errorf("%d notices: %q", n, w.asShown("C1", root))
			}
			harmless()
			if _, err := w.slack.Click("U2", "C1", notice.TS, "다시 해 보기"); err != nil {
				t.Fatal(err)
			}
			answers := func() (n int) {
				for _, shown := range w.asShown("C1", root) {
					if strings.Contains(shown, "You said: 폭탄 질문") {
						n++
					}
				}
				return n
			}
			if err := w.slack.Wait(within(t, atMost), func() bool { return w.notices("C1", root) == 0 && answers() == 1 }); err != nil {
				t.Errorf("the notice stays, or the question is not answered: %q", w.asShown("C1", root))
			}
			if code, out, _ := runHere(t, "", w.env, "parked"); code != 0 || !strings.Contains(out, "nothing is parked") {
				t.Errorf("maru parked: %d, %q", code, out)
			}
			w.slack.Say("U1", "C1", "<@UBOT> 계속할게요", root) // and remembers both
			w.shown("C1", root, "계속할게요")
		})
	}
}

// TestAParkedTaskDoesNothingTwice kills the program twice while it answers after a call that somebody allowed. The thread
// goes on; a retry answers with what was done, and nothing is done again.
func TestAParkedTaskDoesNothingTwice(t *testing.T) {
	t.Parallel()
	for name, env := range map[string]func(*testing.T) []string{
		"sqlite":   func(*testing.T) []string { return nil },
		"postgres": func(t *testing.T) []string { return []string{"DATABASE_URL=" + servers.StartPostgres(t).URL} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o, r := newClerk(t), requests[11]
			calls, safe, hold := make(chan struct{}), make(chan struct{}), make(chan struct{})
			t.Cleanup(func() { close(hold) })
			model := llmtest.NewServer(t, func(in llmtest.Request) llmtest.Reply {
				reply := obeyed(in)
				if in.ResponseFormat == nil && in.Messages[len(in.Messages)-1].Role == "tool" {
					select {
					case <-safe:
					case calls <- struct{}{}:
						reply.Wait = hold
					}
				}
				return reply
			})
			w := newSlackWorld(t, model, append(env(t), o.config(t))...)
			w.start()
			root := w.slack.Say("U1", "C1", "<@UBOT> "+r.say, "")
			m := w.withButton(root, "승인", r.shown)
			w.press("U1", m, "승인")
			w.diesOf(calls, "C1", root)
			notice := w.card("C1", root, "잃어버린 건 없고")
			w.slack.Say("U2", "C1", "<@UBOT> 그동안 다른 이야기", root)
			answered := func() bool {
				return slices.ContainsFunc(w.asShown("C1", root), func(shown string) bool { return strings.HasPrefix(shown, "?") })
			}
			if err := w.slack.Wait(within(t, atMost), answered); err != nil {
				t.Fatalf("the other message is not answered: %q", w.asShown("C1", root))
			}
			close(safe)
			if _, err := w.slack.Click("U1", "C1", notice.TS, "다시 해 보기"); err != nil {
				t.Fatal(err)
			}
			w.shown("C1", root, "That is all.")
			if made := o.made(); len(made) != 1 {
				t.Errorf("done: %q", made)
			}
			if n := strings.Count(strings.Join(w.asShown("C1", root), "\n"), `"That is all.`); n > 1 {
				t.Errorf("answered %d times: %q", n, w.asShown("C1", root))
			}
		})
	}
}

// TestADeadlyQuestionIsParkedOnDiscord is TestADeadlyQuestionIsParked on Discord.
func TestADeadlyQuestionIsParkedOnDiscord(t *testing.T) {
	t.Parallel()
	unraced(t)
	model, asked, harmless := deadlyModel(t)
	w := newDiscordWorld(t, model)
	w.begin()
	q := w.discord.Say(w.user, w.general, w.discord.Mention()+" 폭탄 질문")
	notices := func() (n int) {
		return strings.Count(raw(t, w.discord.BotMessages(q.ID)), "잃어버린 건 없고")
	}
	dies(t, asked, func() { w.kill(); w.begin() }, func() bool { return notices() > 0 })
	w.kill()
	w.begin()
	w.discord.Say(w.user, q.ID, "다른 이야기")
	w.saw(q.ID, "You said: 다른 이야기")
	if n := notices(); n != 1 {
		t.Errorf("%d notices: %s", n, raw(t, w.discord.BotMessages(q.ID)))
	}
	m := w.discord.BotMessages(q.ID)[0]
	if buttonID(m.Components, "다시 해 보기") == "" {
		t.Fatalf("the notice has no button: %s", raw(t, m))
	}
	harmless()
	w.discord.Click(w.user, q.ID, m.ID, buttonID(m.Components, "다시 해 보기"))
	w.saw(q.ID, "You said: 폭탄 질문")
	if err := w.discord.Await(within(t, atMost), func() bool { return notices() == 0 }); err != nil {
		t.Errorf("the notice stays: %s", raw(t, w.discord.BotMessages(q.ID)))
	}
}

// TestADeadlyQuestionIsParkedInTheConsole is TestADeadlyQuestionIsParked in the console.
func TestADeadlyQuestionIsParkedInTheConsole(t *testing.T) {
	t.Parallel()
	unraced(t)
	model, asked, harmless := deadlyModel(t)
	p := newProgram(t, "OPENAI_BASE_URL="+model.URL, "OPENAI_MODEL=test")
	p.start()
	p.tell("t", "폭탄 질문")
	notices := func() int { return strings.Count(strings.Join(p.lines("t"), "\n"), "잃어버린 건 없고") }
	dies(t, asked, func() { p.kill(); p.start() }, func() bool { return notices() > 0 })
	p.kill()
	p.start()
	p.tell("t", "다른 이야기")
	p.hears("t", 4, "You said: 다른 이야기")
	if n := notices(); n != 1 {
		t.Errorf("%d notices: %q", n, p.lines("t"))
	}
	var line struct {
		Card struct {
			Buttons []struct{ ID, Verb, Label string } `json:"buttons"`
		} `json:"card"`
	}
	lines := p.lines("t") // killed before it was parked, it may be told of below the other question
	at := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, "잃어버린 건 없고") })
	if err := json.Unmarshal([]byte(lines[max(at, 0)]), &line); err != nil || len(line.Card.Buttons) != 1 || line.Card.Buttons[0].Label != "다시 해 보기" {
		t.Fatalf("the notice has no button: %v, %q", err, p.lines("t"))
	}
	harmless()
	b := line.Card.Buttons[0]
	body := mustJSON(t, map[string]string{"verb": b.Verb, "thread": "t"})
	if code := p.api("POST", "/api/actions/"+url.PathEscape(b.ID), bytes.NewReader(body), "application/json", nil); code != http.StatusOK {
		t.Fatalf("the button: %d", code)
	}
	p.comes("t", "You said: 폭탄 질문")
	if n := notices(); n != 0 {
		t.Errorf("the notice stays: %q", p.lines("t"))
	}
}

// dies kills the program whenever its model is asked, until the question is parked.
func dies(t *testing.T, asked <-chan struct{}, restart func(), parked func() bool) {
	t.Helper()
	for ctx := within(t, atMost); ; {
		select {
		case <-asked:
			restart()
		case <-time.After(50 * time.Millisecond):
			if parked() {
				return
			}
		case <-ctx.Done():
			t.Fatal("not parked")
		}
	}
}

// diesOf kills the program whenever its model is asked, until the question is parked, and returns how often that was.
func (w *slackWorld) diesOf(asked <-chan struct{}, channel, root string) (deaths int) {
	w.t.Helper()
	ctx := within(w.t, atMost)
	for {
		select {
		case <-asked:
			deaths++
			w.kill()
			w.start()
		case <-time.After(10 * time.Millisecond):
			if w.notices(channel, root) > 0 {
				return deaths
			}
		case <-ctx.Done():
			w.t.Fatalf("not parked after %d deaths", deaths)
		}
	}
}

// notices counts the messages of a thread that say that something is parked.
func (w *slackWorld) notices(channel, root string) (n int) {
	for _, shown := range w.asShown(channel, root) {
		if strings.Contains(shown, "잃어버린 건 없고") {
			n++
		}
	}
	return n
}

var stormName = regexp.MustCompile(`M-\d+-`)

// stormy is a model that holds the answer to each question until it is let go.
type stormy struct {
	mu    sync.Mutex
	asked map[string]int // calls for the answer, by question
	let   map[string]chan struct{}
}

func (s *stormy) think(r llmtest.Request) llmtest.Reply {
	reply := think(r)
	name := stormName.FindString(lastSaid(r))
	if r.ResponseFormat != nil || name == "" {
		return reply
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked[name]++
	reply.Wait = s.gate(name)
	return reply
}

// gate is closed when the answer to a question may come. The caller holds mu.
func (s *stormy) gate(name string) chan struct{} {
	if s.let[name] == nil {
		s.let[name] = make(chan struct{})
	}
	return s.let[name]
}

func (s *stormy) calls(name string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked[name]
}

// TestNeighboursInAStormAreAnswered kills the program ten times with several questions in hand, each of which sees two
// deaths. All are answered once and none is parked.
func TestNeighboursInAStormAreAnswered(t *testing.T) {
	t.Parallel()
	s := &stormy{asked: map[string]int{}, let: map[string]chan struct{}{}}
	w := newSlackWorld(t, llmtest.NewServer(t, s.think), "OPENAI_IN_FLIGHT=50")
	w.start()
	type question struct {
		name, root string
		lives      int
	}
	var open, done []question
	live := func(kill bool) {
		t.Helper()
		for i := range open {
			q := &open[i]
			q.lives++
			for ctx := within(t, atMost); s.calls(q.name) < q.lives; {
				select {
				case <-time.After(5 * time.Millisecond):
				case <-ctx.Done():
					t.Fatalf("%s is not asked about in its life %d", q.name, q.lives)
				}
			}
		}
		var rest []question
		for _, q := range open {
			if q.lives < 3 {
				rest = append(rest, q)
				continue
			}
			s.mu.Lock()
			close(s.gate(q.name))
			s.mu.Unlock()
			w.shown("C1", q.root, "You said: "+q.name)
			done = append(done, q)
		}
		open = rest
		if kill {
			w.kill()
			w.start()
		}
	}
	for round := range 10 {
		for n := range 2 {
			name := fmt.Sprintf("M-%d-", 2*round+n)
			open = append(open, question{name: name, root: w.slack.Say("U1", "C1", "<@UBOT> "+name, "")})
		}
		live(true)
	}
	for len(open) > 0 {
		live(false)
		if len(open) > 0 { // the last ones have seen one death
			w.kill()
			w.start()
		}
	}
	for _, q := range done {
		if n := strings.Count(strings.Join(w.asShown("C1", q.root), "\n"), "You said: "+q.name); n == 0 {
			t.Errorf("%s: %q", q.name, w.asShown("C1", q.root))
		}
	}
	if len(done) != 20 {
		t.Errorf("%d are answered", len(done))
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if strings.Contains(w.log.String(), "item parked") {
		t.Error("a neighbour is parked")
	}
}
