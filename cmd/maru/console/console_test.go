package console_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"maru/agent"
	"maru/bot"
	"maru/bot/overview"
	"maru/bot/service"
	"maru/cmd/maru/console"
	"maru/memory/longterm"
	"maru/memory/sqlitestore"
	"maru/rag"
	"maru/rag/library"
	"maru/rag/local"
)

var operator = bot.User{ID: "owner", Operator: true, Admin: true, Locale: "en"}

// office is a desk over a real record and a real index.
type office struct {
	*console.Desk

	record *sqlitestore.Store
	docs   *library.Library
	memory *longterm.Memory
	folder string // of workflows
}

func newOffice(t testing.TB, change ...func(*console.Config)) office {
	t.Helper()
	record, err := sqlitestore.Open(t.Context(), sqlitestore.Config{Path: filepath.Join(t.TempDir(), "maru.db")})
	if err != nil {
		t.Fatal(err)
	}
	index, err := local.Open(t.Context(), local.Config{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = record.Close(), index.Close() })
	docs := library.New(library.Config{Index: index, Loader: plain{}, Now: time.Now, MaxFile: 1 << 20})
	c := console.Config{Record: record, Library: docs, Workflows: t.TempDir()}
	for _, f := range change {
		f(&c)
	}
	memory := longterm.New(longterm.Config{Store: record.Memory()})
	b := service.New(service.Config{
		Record: record, Runner: agent.NewRunner(slog.New(slog.DiscardHandler), time.Minute, time.Now), Library: docs, Log: slog.New(slog.DiscardHandler),
		Toolbox: c.Toolbox, ToolServers: c.Servers, Memory: memory,
	})
	return office{console.New(b, c), record, docs, memory, c.Workflows}
}

// plain reads a file as one passage.
type plain struct{}

func (plain) Load(_ context.Context, name string, data []byte) (rag.Document, []rag.Chunk, error) {
	return rag.Document{Title: name, Source: name}, []rag.Chunk{{Text: string(data)}}, nil
}

// ran stores a run of the chat agent in a thread, with words in its trace.
func (o office) ran(t testing.TB, id string, th bot.Thread) {
	t.Helper()
	m := bot.Message{ID: id, Thread: th, User: bot.User{ID: "U1", Name: "alice"}, Text: "secret question", At: time.Now()}
	body, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	it := bot.Item{ID: m.Key(), Thread: th.Key(), Kind: bot.ItemMessage, Body: body, Entry: &bot.Entry{ID: m.Key(), Thread: th.Key(), User: "U1", Author: "alice", Text: m.Text, At: m.At}}
	if _, err := o.record.Put(t.Context(), it); err != nil {
		t.Fatal(err)
	}
	trace, err := json.Marshal([]agent.Event{
		{Kind: agent.EventNodeStart, Run: m.Run(), Node: "router"}, {Kind: agent.EventNodeEnd, Run: m.Run(), Node: "router"},
		{Kind: agent.EventToolResult, Run: m.Run(), Name: "search", Text: "secret result"},
		{Kind: agent.EventSources, Run: m.Run(), Sources: []agent.Source{{N: 1, Title: "secret title", Quote: "secret quote"}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := o.record.SaveRun(t.Context(), bot.Run{ID: m.Run(), Thread: th.Key(), Agent: "chat", User: "U1", Status: bot.RunDone, Started: time.Now(), Usage: []byte(`{}`), Trace: trace}); err != nil {
		t.Fatal(err)
	}
}

// TestTheTerminalIsTheOwners: runs of `maru ask` are listed and read by the console's owner, and by nobody else.
func TestTheTerminalIsTheOwners(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	asked := bot.Thread{Platform: "console", Team: "local", Channel: "home", ID: "1", Direct: true}
	o.ran(t, "m1", asked)
	o.ran(t, "m2", channel)
	admin := bot.User{ID: "U9", Operator: true, Locale: "en"}
	for name, c := range map[string]struct {
		by     bot.User
		from   bot.Thread
		q      overview.RunQuery
		listed int
		told   bool
	}{
		"the owner":        {operator, home, overview.RunQuery{}, 2, true},
		"one at a time":    {operator, home, overview.RunQuery{Limit: 1}, 1, true},
		"its runs alone":   {operator, home, overview.RunQuery{Team: "console/local"}, 1, true},
		"without its runs": {operator, home, overview.RunQuery{Team: "slack/T1"}, 1, true},
		"an admin":         {admin, channel, overview.RunQuery{Limit: 10}, 1, false},
	} {
		list, err := o.ListRuns(t.Context(), c.by, c.from, c.q)
		if err != nil || len(list) != c.listed {
			t.Errorf("%s: listed %d, want %d, %v", name, len(list), c.listed, err)
		}
		v, err := o.See(t.Context(), c.by, c.from, bot.Message{ID: "m1", Thread: asked}.Run())
		if told := v.Question != ""; err != nil || told != c.told {
			t.Errorf("%s: words are shown: %v, want %v, %v", name, told, c.told, err)
		}
	}
}

func TestPrivateConversationsOfOthersStayPrivate(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	open := bot.Thread{Platform: "slack", Team: "T1", Channel: "C1", ID: "1"}
	private := bot.Thread{Platform: "slack", Team: "T1", Channel: "D1", ID: "1", Direct: true}
	mine := bot.Thread{Platform: "web", Team: "local", Channel: "home", ID: "t1", Direct: true}
	shown := map[string]bool{}
	for id, th := range map[string]bot.Thread{"m1": open, "m2": private, "m3": mine} {
		o.ran(t, id, th)
	}
	list, err := o.ListRuns(t.Context(), operator, bot.Thread{}, overview.RunQuery{})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range list {
		shown[r.Thread.Channel] = true
	}
	if len(list) != 2 || shown["D1"] {
		t.Errorf("listed %+v", list)
	}
	for id, th := range map[string]bot.Thread{"m1": open, "m2": private, "m3": mine} {
		v, err := o.Trace(t.Context(), operator, bot.Message{ID: id, Thread: th}.Run())
		if err != nil {
			t.Fatal(err)
		}
		all, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if told := strings.Contains(string(all), "secret"); told != (id != "m2") {
			t.Errorf("%s: words are shown: %v: %s", th.Channel, told, all)
		}
		more, err := o.Explain(t.Context(), operator, v)
		if err != nil || !strings.Contains(more.Drawing, "been done") {
			t.Errorf("%s is drawn as %.200q, %v", th.Channel, more.Drawing, err)
		}
	}
	if _, err := o.ListRuns(t.Context(), bot.User{ID: "U1", Admin: true}, bot.Thread{}, overview.RunQuery{}); err == nil {
		t.Error("somebody who does not run the program sees all runs")
	}
}
