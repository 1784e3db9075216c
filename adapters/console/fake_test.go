package console_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"maru/adapters/console"
	"maru/bot"
	"maru/bot/service"
)

// echo is a small scripted bot.
type echo struct {
	mu       sync.Mutex
	adapter  bot.Adapter
	messages []bot.Message
	commands []bot.Invocation
	actions  []bot.Action
	uploads  map[string]string
	notes    map[string]string
	answer   func(bot.Message) []bot.Card
	act      func(bot.Action) (bot.Answer, error)
	refuse   error
	hold     chan struct{} // the last card waits for it, if set
	work     sync.WaitGroup
}

func newEcho() *echo { return &echo{notes: map[string]string{}, uploads: map[string]string{}} }

func (e *echo) Message(_ context.Context, m bot.Message) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.refuse != nil {
		return e.refuse
	}
	e.messages = append(e.messages, m)
	cards := []bot.Card{
		{Kind: bot.CardProgress, Status: "thinking"},
		{Kind: bot.CardProgress, Text: "You wrote "},
		{Kind: bot.CardText, Text: "You wrote " + m.Text, Final: true, Run: m.Run()},
	}
	if e.answer != nil {
		cards = e.answer(m)
	}
	e.work.Go(func() { e.reply(m, cards) })
	return nil
}

func (e *echo) reply(m bot.Message, cards []bot.Card) {
	var ref bot.Ref
	for i, c := range cards {
		if i == len(cards)-1 && e.hold != nil {
			<-e.hold
		}
		if i == 0 {
			ref, _ = e.adapter.Post(context.Background(), bot.Target{Thread: m.Thread}, c, m.Key())
			continue
		}
		_, _ = e.adapter.(bot.Editor).Edit(context.Background(), ref, c)
	}
}

func (e *echo) Change(context.Context, bot.Change) error { return nil }
func (e *echo) Action(_ context.Context, a bot.Action) (bot.Answer, error) {
	e.mu.Lock()
	e.actions = append(e.actions, a)
	e.mu.Unlock()
	return e.act(a)
}

func (e *echo) Command(_ context.Context, c bot.Invocation) (*bot.Card, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.commands = append(e.commands, c)
	if c.Name == "stop" {
		e.release()
	}
	if c.Name == "usage" {
		f := bot.Artifact{Name: "usage.csv", Size: 4, Data: []byte("day\n")}
		return &bot.Card{Kind: bot.CardNotice, Text: "A file.", Files: []bot.Artifact{f}}, nil
	}
	if c.Name == "status" {
		return &bot.Card{Kind: bot.CardText, Title: "Status", Fields: []bot.Field{{Label: "Agent", Value: "chat"}, {Label: "Running here", Value: "0"}}}, nil
	}
	if c.Args == "refused" {
		return &bot.Card{Kind: bot.CardNotice, Text: "No.", Failed: true}, nil
	}
	if c.Args == "token" {
		return &bot.Card{Kind: bot.CardNotice, Text: "Enter it in the form.", Final: true, Buttons: []bot.Button{{ID: "t", Verb: "token", Label: "Enter", Style: bot.ButtonPrimary}}}, nil
	}
	return &bot.Card{Kind: bot.CardNotice, Text: "command " + c.Name + " " + c.Args + "; `/maru help` lists them"}, nil
}

func (e *echo) Commands() []bot.Command {
	return []bot.Command{{Name: "ask"}, {Name: "help"}, {Name: "status"}, {Name: "docs", Summary: map[string]string{"ko": "문서", "en": "Documents"}, Args: []bot.Arg{{Name: "action"}}}}
}
func (e *echo) Notes() bot.Notes { return e }
func (e *echo) Note(_ context.Context, key string) (string, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.notes[key], nil
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

func (e *echo) Ingest(_ context.Context, up bot.Upload) (bot.DocumentInfo, error) {
	b, err := io.ReadAll(up.Body)
	if err != nil {
		return bot.DocumentInfo{}, fmt.Errorf("read: %w", err)
	}
	if len(b) == 0 {
		return bot.DocumentInfo{}, &bot.Error{Code: bot.CodeBadFile}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.uploads[up.Name] = string(b)
	up.Progress(1, 2)
	return bot.DocumentInfo{ID: "d1", Title: up.Name, Passages: 3}, nil
}

func (e *echo) Trace(_ context.Context, _ bot.User, run string) (bot.RunView, error) {
	return bot.RunView{ID: run, Usage: bot.RunUsage{Calls: 2, Input: 30, Output: 4}}, nil
}

// release lets the held card go, once.
func (e *echo) release() {
	if e.hold != nil {
		select {
		case <-e.hold:
		default:
			close(e.hold)
		}
	}
}

func (e *echo) said() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	var out []string
	for _, m := range e.messages {
		out = append(out, m.Thread.ID+": "+m.Text)
	}
	return out
}

// paper is what was written, readable while it grows.
type paper struct {
	mu   sync.Mutex
	b    bytes.Buffer
	more chan struct{}
}

func newPaper() *paper { return &paper{more: make(chan struct{})} }

func (p *paper) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	close(p.more)
	p.more = make(chan struct{})
	return p.b.Write(b)
}

func (p *paper) String() string { p.mu.Lock(); defer p.mu.Unlock(); return p.b.String() }

// await waits until the paper satisfies ok.
func (p *paper) await(t testing.TB, what string, ok func(string) bool) {
	t.Helper()
	late := time.After(2 * time.Minute) // bounds a test that fails, measures nothing
	for {
		p.mu.Lock()
		more, now := p.more, p.b.String()
		p.mu.Unlock()
		if ok(now) {
			return
		}
		select {
		case <-more:
		case <-late:
			t.Fatalf("never saw %s in %q", what, now)
		}
	}
}

func (p *paper) awaitText(t testing.TB, text string) {
	t.Helper()
	p.await(t, text, func(s string) bool { return strings.Contains(s, text) })
}

// The bot has what the console asks it for.
var (
	_ console.Library = (*service.Bot)(nil)
	_ console.Traces  = (*service.Bot)(nil)
)
