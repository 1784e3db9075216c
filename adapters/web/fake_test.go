package web_test

import (
	"context"
	"strings"
	"sync"
	"time"

	"encoding/json"

	"maru/adapters/web"
	"maru/bot"
)

// echo is a small scripted bot: it commits messages to its memory and answers
// each through the adapter as the real one does, by a post that grows.
type echo struct {
	adapter *web.Adapter
	now     func() time.Time

	mu       sync.Mutex
	threads  map[string]*conversation
	order    []string
	docs     []bot.DocumentInfo
	bodies   map[string]string
	messages []bot.Message
	actions  []bot.Action
	refuse   error
	hold     chan struct{} // answers wait here, if set, after their first half
	held     chan struct{} // told that one does
	stopped  map[string]context.CancelFunc
	asked    int // how often it was to stop
	notes    map[string]string
	meet     func(key string)             // after a note was read
	answer   func(bot.Message) []bot.Card // the states of an answer; nil: an echo
	running  sync.WaitGroup
	onAction func(bot.Action) (bot.Answer, error)
	posted   []bot.PostedCard
	files    []bot.Artifact
	cards    []bot.Card // of the person's own page
	rule     func(bot.Ruling) (bot.Ruled, error)
	follow   func(ctx context.Context, run string, show func(bot.Feed) error) error
}

type conversation struct {
	info    bot.ThreadInfo
	entries []bot.Entry
}

var (
	_ bot.Intake = (*echo)(nil)
	_ web.Desk   = (*echo)(nil)
)

func newEcho() *echo {
	return &echo{
		now: time.Now, threads: map[string]*conversation{}, bodies: map[string]string{},
		stopped: map[string]context.CancelFunc{}, notes: map[string]string{},
		docs: []bot.DocumentInfo{
			{ID: "d1", Title: "마루 안내서", Name: "handbook.ko.md", Passages: 24, Size: 18_400, Added: time.Now().Add(-48 * time.Hour), Public: true},
			{ID: "d2", Title: "Employee handbook", Name: "handbook.en.md", Passages: 22, Size: 17_100, Added: time.Now().Add(-48 * time.Hour), Public: true},
		},
	}
}

func (e *echo) Message(_ context.Context, m bot.Message) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.refuse != nil {
		return e.refuse
	}
	for _, old := range e.messages {
		if old.Key() == m.Key() {
			return nil
		}
	}
	e.messages = append(e.messages, m)
	c := e.conversation(m.Thread)
	if c.info.Title == "" {
		c.info.Title = m.Text
	}
	c.info.Updated = m.At
	c.entries = append(c.entries, bot.Entry{ID: m.Key(), Thread: m.Thread.Key(), User: m.User.ID, Text: m.Text, At: m.At})
	ctx, cancel := context.WithCancel(context.Background())
	e.stopped[m.Thread.Key()] = cancel
	e.running.Go(func() { defer cancel(); e.reply(ctx, m) })
	return nil
}

func (e *echo) conversation(t bot.Thread) *conversation {
	c := e.threads[t.Key()]
	if c == nil {
		c = &conversation{info: bot.ThreadInfo{Thread: t, Created: e.now(), Updated: e.now()}}
		e.threads[t.Key()] = c
		e.order = append([]string{t.Key()}, e.order...)
	}
	return c
}

func (e *echo) reply(ctx context.Context, m bot.Message) {
	run := "r" + m.ID
	cards := []bot.Card{
		{Kind: bot.CardProgress, Status: "생각하고 있어요…", Run: run},
		{Kind: bot.CardProgress, Text: "You wrote: ", Run: run},
		{Kind: bot.CardText, Text: "You wrote: " + m.Text, Run: run, Final: true},
	}
	if e.answer != nil {
		cards = e.answer(m)
	}
	to := bot.Target{Thread: m.Thread}
	ref, err := e.adapter.Post(ctx, to, cards[0], run)
	if err != nil {
		return
	}
	last := cards[len(cards)-1]
	for i, c := range cards[1:] {
		if i == (len(cards)-1)/2 && e.hold != nil {
			select {
			case e.held <- struct{}{}:
			default:
			}
			select {
			case <-e.hold:
			case <-ctx.Done():
				last = bot.Card{Kind: bot.CardText, Text: cards[i].Text, Footer: "Stopped, as you asked.", Run: run, Final: true, Stopped: true}
				c = last
			}
		}
		if _, err := e.adapter.Edit(ctx, ref, c); err != nil || c.Final {
			break
		}
	}
	if !last.Final || last.Run == "" {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if conv := e.threads[m.Thread.Key()]; conv != nil {
		src, _ := json.Marshal(last.Sources)
		conv.entries = append(conv.entries, bot.Entry{ID: run, Thread: m.Thread.Key(), Own: true, Text: last.Text, Run: run, Sources: src, At: e.now()})
	}
}

func (e *echo) Change(_ context.Context, c bot.Change) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	for i, en := range e.conversation(c.Thread).entries {
		if strings.HasSuffix(en.ID, "/"+c.Message) {
			e.conversation(c.Thread).entries[i].Deleted = c.Deleted
			e.conversation(c.Thread).entries[i].Text = c.Text
		}
	}
	return nil
}

func (e *echo) Action(_ context.Context, a bot.Action) (bot.Answer, error) {
	e.mu.Lock()
	e.actions = append(e.actions, a)
	on := e.onAction
	e.mu.Unlock()
	if on != nil {
		return on(a)
	}
	return bot.Answer{}, &bot.Error{Code: bot.CodeUnknown}
}

func (e *echo) Command(_ context.Context, c bot.Invocation) (*bot.Card, error) {
	if c.Name == "usage" {
		f := bot.Artifact{Name: "usage-2026-11-01-2026-11-02.csv", MIME: "text/csv", Size: 9, Data: []byte("of an hour ago")}
		return &bot.Card{Kind: bot.CardNotice, Text: "A file.", Files: []bot.Artifact{f}}, nil
	}
	if c.Name != "help" {
		return nil, &bot.Error{Code: bot.CodeBadCommand}
	}
	return &bot.Card{Kind: bot.CardNotice, Text: "`/help` shows this."}, nil
}

func (e *echo) Commands() []bot.Command {
	return []bot.Command{{Name: "usage", Summary: map[string]string{"ko": "사용량", "en": "Usage"}}, {Name: "help", Summary: map[string]string{"ko": "쓸 수 있는 명령", "en": "What I can do"}}}
}
func (e *echo) Notes() bot.Notes { return e }
func (e *echo) Note(_ context.Context, key string) (string, error) {
	e.mu.Lock()
	text, meet := e.notes[key], e.meet
	e.mu.Unlock()
	if meet != nil {
		meet(key)
	}
	return text, nil
}

func (e *echo) SetNote(_ context.Context, key, value string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.notes[key] = value
	return nil
}

func (e *echo) SwapNote(_ context.Context, key, before, value string) (bool, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.notes[key] != before && e.notes[key] != value {
		return false, nil
	}
	e.notes[key] = value
	return true, nil
}

func (e *echo) Threads(_ context.Context, platform, team, channel string, limit int) ([]bot.ThreadInfo, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	var out []bot.ThreadInfo
	for _, k := range e.order {
		t := e.threads[k].info
		if t.Thread.Platform == platform && t.Thread.Team == team && t.Thread.Channel == channel && len(out) < limit {
			out = append(out, t)
		}
	}
	return out, nil
}

func (e *echo) Transcript(_ context.Context, t bot.Thread, limit int) ([]bot.Entry, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if c := e.threads[t.Key()]; c != nil {
		return append([]bot.Entry(nil), c.entries[max(0, len(c.entries)-limit):]...), nil
	}
	return nil, nil
}

func (e *echo) Cards(context.Context, bot.Thread) ([]bot.PostedCard, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.posted, nil
}

func (e *echo) Files(context.Context, bot.Thread) ([]bot.Artifact, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]bot.Artifact(nil), e.files...), nil
}

func (e *echo) File(_ context.Context, from bot.Thread, by bot.User, run string, n int) (bot.Artifact, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, f := range e.files {
		if f.Run == run && f.N == n && from.Platform == "web" && by.Operator {
			return f, nil
		}
	}
	return bot.Artifact{}, &bot.Error{Code: bot.CodeNotFound}
}

// Export makes a file that names who asked for it.
func (e *echo) Export(_ context.Context, from bot.Thread, by bot.User, name string) (bot.Artifact, error) {
	if name != "usage-2026-11-01-2026-11-02.csv" || from.Platform != "web" {
		return bot.Artifact{}, &bot.Error{Code: bot.CodeNotFound}
	}
	data := []byte("day,user\n2026-11-01," + by.ID + "\n")
	return bot.Artifact{Name: name, MIME: "text/csv", Size: int64(len(data)), Data: data}, nil
}

func (e *echo) Home(context.Context, bot.Thread, bot.User) ([]bot.Card, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.cards, e.refuse
}

func (e *echo) Stop(_ context.Context, thread string, _ bot.Bound) (bool, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.asked++
	cancel := e.stopped[thread]
	if cancel != nil {
		cancel()
	}
	return cancel != nil, nil
}

func (e *echo) Forget(_ context.Context, t bot.Thread, _ bot.User) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.threads, t.Key())
	for i, k := range e.order {
		if k == t.Key() {
			e.order = append(e.order[:i], e.order[i+1:]...)
			break
		}
	}
	return nil
}

func (e *echo) Trace(_ context.Context, _ bot.User, run string) (bot.RunView, error) {
	if run == "none" {
		return bot.RunView{}, bot.ErrNotFound
	}
	at := time.Date(2026, 3, 2, 9, 30, 0, 0, time.UTC)
	ev := func(ms int, kind, node, name, text string, took int) bot.RunEvent {
		return bot.RunEvent{Kind: kindOf(kind), Run: run, At: at.Add(time.Duration(ms) * time.Millisecond), Node: node, Name: name, Text: text, Took: time.Duration(took) * time.Millisecond}
	}
	call := ev(1120, "tool_call", "tools", "calculator", "", 0)
	call.Data = json.RawMessage(`{"expression":"15 + floor((7-1)/2)"}`)
	model := ev(1090, "model_call", "agent", "agent", "", 610)
	model.Usage = &bot.RunUsage{Input: 1840, Output: 62, Calls: 1}
	model2 := ev(2350, "model_call", "agent", "agent", "", 1180)
	model2.Usage = &bot.RunUsage{Input: 1960, Output: 214, Calls: 1}
	route := ev(405, "model_call", "router", "router", "", 390)
	route.Usage = &bot.RunUsage{Input: 320, Output: 18, Calls: 1}
	src := ev(470, "sources", "rag", "", "", 0)
	src.Sources = append(src.Sources, source(1, "마루 안내서", "근무와 휴가 › 연차", 7, 0.913, "1년 동안 80% 이상 출근한 직원은 연차 15일을 받습니다."), source(2, "Employee handbook", "Leave", 5, 0.644, "Annual leave grows by one day every two years from the third year."))
	src.Sources[1].Chunk = "h#13"
	cited := ev(2400, "custom", "", "cited", "", 0)
	cited.Sources = append(cited.Sources, src.Sources[1])
	cited.Sources[0].N = 1
	return bot.RunView{
		ID: run, Thread: bot.Thread{Platform: "web", Team: "local", Channel: "home", ID: "t1"}, Agent: "chat", Status: "done",
		Question: "7년 다니면 연차는 며칠이야?", Started: at, Ended: at.Add(2400 * time.Millisecond),
		Usage: bot.RunUsage{Model: "gpt-4.1-mini", Calls: 3, Input: 4120, Output: 294},
		Events: []bot.RunEvent{
			ev(5, "node_start", "router", "", "", 0), route, ev(410, "node_end", "router", "", "", 405),
			ev(412, "node_start", "rag", "", "", 0), src, ev(472, "node_end", "rag", "", "", 60),
			ev(474, "node_start", "memory", "", "", 0), ev(476, "node_end", "memory", "", "", 2),
			ev(478, "node_start", "agent", "", "", 0), model, ev(1095, "node_end", "agent", "", "", 617),
			ev(1100, "node_start", "tools", "", "", 0), call, ev(1135, "tool_result", "tools", "calculator", "18", 15), ev(1140, "node_end", "tools", "", "", 40),
			ev(1150, "node_start", "agent", "", "", 0), model2, ev(2360, "node_end", "agent", "", "", 1210),
			ev(2400, "finished", "", "", "연차는 18일이에요.", 0), cited,
		},
	}, nil
}

func (e *echo) cancels() (out []context.CancelFunc) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, c := range e.stopped {
		out = append(out, c)
	}
	return out
}

func (e *echo) Rule(_ context.Context, r bot.Ruling) (bot.Ruled, error) { return e.rule(r) }

func (e *echo) Follow(ctx context.Context, _ bot.Thread, _ bot.User, run string, show func(bot.Feed) error) error {
	return e.follow(ctx, run, show)
}
