package web_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"maru/adapters/web"
	"maru/bot"
	"maru/bot/bottest"
)

// event is a server-sent event.
type event struct{ name, id, data string }

// stream reads a thread's events.
type stream struct {
	t      *testing.T
	lines  *bufio.Reader
	cancel context.CancelFunc
	res    *http.Response
}

func (p *person) events(thread, last, query string) *stream {
	p.t.Helper()
	return p.stream("/api/threads/"+thread+"/events"+query, last)
}

func (p *person) stream(path, last string) *stream {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), 5*time.Minute) // bounds a test that fails
	r := p.request("GET", path, "").WithContext(ctx)
	if last != "" {
		r.Header.Set("Last-Event-ID", last)
	}
	res, err := p.client.Do(r)
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { cancel(); res.Body.Close() })
	return &stream{p.t, bufio.NewReader(res.Body), cancel, res}
}

// next returns the next event; comments come as events named ":".
func (s *stream) next() event {
	s.t.Helper()
	var e event
	for {
		line, err := s.lines.ReadString('\n')
		if err != nil {
			s.t.Fatalf("stream: %v", err)
		}
		line = strings.TrimSuffix(line, "\n")
		key, value, _ := strings.Cut(line, ": ")
		switch key {
		case "event":
			e.name = value
		case "id":
			e.id = value
		case "data":
			e.data = value
		case "":
			if e.name == "" && value != "" {
				return event{name: ":"}
			}
			if e.name != "" {
				return e
			}
		}
	}
}

// until reads on until an event's data contains text.
func (s *stream) until(text string) event {
	s.t.Helper()
	for {
		if e := s.next(); strings.Contains(e.data, text) {
			return e
		}
	}
}

func post(t *testing.T, c *console, thread, key string, card bot.Card) bot.Ref {
	t.Helper()
	ref, err := c.adapter.Post(t.Context(), bot.Target{Thread: bot.Thread{Platform: "web", Team: "local", Channel: "home", ID: thread}}, card, key)
	if err != nil {
		t.Fatal(err)
	}
	return ref
}

func edit(t *testing.T, c *console, ref bot.Ref, card bot.Card) {
	t.Helper()
	if _, err := c.adapter.Edit(t.Context(), ref, card); err != nil {
		t.Fatal(err)
	}
}

func TestStreamResumesWhereItBroke(t *testing.T) {
	t.Parallel()
	c := start(t)
	p := c.person(t)
	s := p.events("t1", "", "")
	if e := s.next(); e.name != "sync" {
		t.Fatalf("first event %+v", e)
	}
	ref := post(t, c, "t1", "k1", bot.Card{Text: "one"})
	last := s.until(`"text":"one"`)
	s.cancel()
	edit(t, c, ref, bot.Card{Text: "one two"})
	edit(t, c, ref, bot.Card{Text: "one two three", Final: true})
	post(t, c, "t1", "k2", bot.Card{Text: "second", Final: true})

	back := p.events("t1", last.id, "")
	if e := back.next(); e.name != "line" || !strings.Contains(e.data, "one two three") {
		t.Errorf("after the break came %+v, want the newest state of the first card", e)
	}
	if e := back.next(); e.name != "line" || !strings.Contains(e.data, "second") {
		t.Errorf("then came %+v, want the second card", e)
	}
	if e := p.events("t1", "0123456789abcdef-3", "").next(); e.name != "sync" || !strings.Contains(e.data, "one two three") {
		t.Errorf("after a restart came %+v, want the whole thread", e)
	}
	if e := p.events("t1", "nonsense", "?view=html").next(); e.name != "sync" || !strings.Contains(e.data, `\u003carticle`) {
		t.Errorf("with nonsense came %+v, want the whole thread as HTML", e)
	}
}

func TestStreamBeatsWhileNothingHappens(t *testing.T) {
	t.Parallel()
	c := start(t, func(cfg *web.Config) { cfg.Heartbeat = time.Millisecond })
	s := c.person(t).events("t1", "", "")
	for {
		if s.next().name == "here" {
			return
		}
	}
}

// TestSlowReaderHoldsUpNobody has a reader that never reads while a card grows
// far beyond what sockets buffer.
func TestSlowReaderHoldsUpNobody(t *testing.T) {
	t.Parallel()
	c := start(t)
	p := c.person(t)
	slow, quick := p.events("t1", "", ""), p.events("t1", "", "")
	ref := post(t, c, "t1", "k1", bot.Card{Text: "start"})
	text := strings.Repeat("a long answer ", 2000)
	const edits = 600 // 17 MB in all
	for i := range edits {
		edit(t, c, ref, bot.Card{Text: fmt.Sprintf("%d %s", i, text)})
	}
	edit(t, c, ref, bot.Card{Text: "the end", Final: true})
	quick.until("the end")
	n := 0
	for { // the slow one skips what it has not seen, and sees the end
		e := slow.next()
		n++
		if strings.Contains(e.data, "the end") {
			break
		}
	}
	if n >= edits {
		t.Errorf("the slow reader was sent %d events, all there were", n)
	}
}

func TestForgottenThreadEmptiesItsReaders(t *testing.T) {
	t.Parallel()
	c := start(t)
	p := c.person(t)
	s := p.events("t1", "", "")
	post(t, c, "t1", "k1", bot.Card{Text: "here", Final: true})
	s.until("here")
	p.do(p.request("DELETE", "/api/threads/t1", ""))
	if e := s.next(); e.name != "sync" || e.data != `{"lines":[]}` {
		t.Errorf("after forgetting came %+v", e)
	}
}

func TestTranscriptAndCardsBecomeOneThread(t *testing.T) {
	t.Parallel()
	e := newEcho()
	c := startWith(t, e)
	p := c.person(t)
	p.post(message, `{"id":"m1","text":"hi"}`)
	e.running.Wait()
	e.mu.Lock()
	e.posted = []bot.PostedCard{{Ref: bot.Ref{Messages: []string{"c9"}}, Card: bot.Card{Text: "Approve?", Buttons: []bot.Button{{ID: "a", Verb: "yes", Label: "Yes"}}}, At: time.Now()}}
	e.mu.Unlock()
	check := func(c *console) {
		t.Helper()
		var got struct {
			Lines []struct {
				ID, Role, Text string
				Card           *bot.Card
			}
		}
		if err := json.Unmarshal([]byte(c.person(t).get("/api/threads/t1").body), &got); err != nil {
			t.Fatal(err)
		}
		if len(got.Lines) != 3 || got.Lines[0].Text != "hi" || got.Lines[1].Card.Text != "You wrote: hi" || got.Lines[2].Card.Buttons[0].ID != "a" {
			t.Errorf("lines %+v", got.Lines)
		}
	}
	check(c)
	check(startWith(t, e)) // after a restart the record alone says the same
}

func TestRunEndsOpenStreams(t *testing.T) {
	t.Parallel()
	a, err := web.New(web.Config{Addr: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	a.Mount(mux, newEcho())
	ctx, cancel := context.WithCancel(t.Context())
	open := make(chan struct{})
	w := &recorder{header: http.Header{}, wrote: open}
	served := make(chan struct{})
	go func() {
		defer close(served)
		r, _ := http.NewRequest("GET", "http://127.0.0.1/api/threads/t1/events", nil)
		mux.ServeHTTP(w, r)
	}()
	<-open
	cancel()
	if err := a.Run(ctx, nil); err != nil {
		t.Error(err)
	}
	<-served
}

// recorder tells when something is written to it.
type recorder struct {
	header http.Header
	wrote  chan struct{}
	once   bool
}

func (r *recorder) Header() http.Header { return r.header }
func (r *recorder) WriteHeader(int)     {}
func (r *recorder) Flush()              {}
func (r *recorder) Write(p []byte) (int, error) {
	if !r.once {
		r.once = true
		close(r.wrote)
	}
	return len(p), nil
}

// suiteDesk is the suite's intake with the desk of the scripted bot, which the
// console's pages need.
type suiteDesk struct {
	bot.Intake
	web.Desk
}

// late mounts the console on a listener when it is run, for only then the suite
// has its intake.
type late struct {
	*web.Adapter
	run func(bot.Intake)
}

func (l late) Run(ctx context.Context, in bot.Intake) error {
	l.run(in)
	return l.Adapter.Run(ctx, in)
}

func TestAdapterSuite(t *testing.T) {
	t.Parallel()
	bottest.RunAdapter(t, func(t *testing.T) bottest.Harness {
		t.Helper()
		a, err := web.New(web.Config{Addr: "127.0.0.1:8080"})
		if err != nil {
			t.Fatal(err)
		}
		mux, mounted := http.NewServeMux(), make(chan struct{})
		c := serve(t, mux)
		n := 0
		send := func(t *testing.T, thread, id, text string) {
			t.Helper()
			<-mounted
			body, _ := json.Marshal(map[string]string{"id": id, "text": text})
			if got := c.person(t).post("/api/threads/"+thread+"/messages", string(body)); got.status != 202 {
				t.Fatalf("%d %s", got.status, got.body)
			}
		}
		return bottest.Harness{
			Adapter: late{a, func(in bot.Intake) { a.Mount(mux, suiteDesk{in, newEcho()}); close(mounted) }},
			Say: func(t *testing.T, text string, in *bot.Thread) {
				t.Helper()
				n++
				thread := fmt.Sprintf("t%d", n)
				if in != nil {
					thread = in.ID
				}
				send(t, thread, fmt.Sprintf("m%d", n), text)
			},
			Shown: func(t *testing.T, thread bot.Thread) []string {
				t.Helper()
				var got struct{ Lines []struct{ Card *bot.Card } }
				if err := json.Unmarshal([]byte(c.person(t).get("/api/threads/"+thread.ID).body), &got); err != nil {
					t.Fatal(err)
				}
				var out []string
				for _, l := range got.Lines {
					if l.Card != nil {
						out = append(out, l.Card.Text)
					}
				}
				return out
			},
		}
	})
}
