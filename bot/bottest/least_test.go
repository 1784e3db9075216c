package bottest_test

import (
	"context"
	"strconv"
	"sync"
	"testing"
	"time"

	"maru/bot"
	"maru/bot/bottest"
)

// lines is about the least that an adapter can be: a place where people write
// lines and the bot adds its own. It can neither edit nor find; the bot then posts
// once, the final card.
type lines struct {
	written chan bot.Message

	mu    sync.Mutex
	count int
	shown map[string][]string // by thread
	refs  map[string]bot.Ref  // by the key of a reply
}

var _ bot.Adapter = (*lines)(nil)

func newLines() *lines {
	return &lines{written: make(chan bot.Message), shown: map[string][]string{}, refs: map[string]bot.Ref{}}
}

func (l *lines) Platform() string { return "lines" }

func (l *lines) Facts() bot.Facts { return bot.Facts{} }

// Run brings what is written to the bot, in order. What is not committed is
// brought again: a line has no other way to come back.
func (l *lines) Run(ctx context.Context, in bot.Intake) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case m := <-l.written:
			for in.Message(ctx, m) != nil && ctx.Err() == nil {
				select {
				case <-ctx.Done():
				case <-time.After(100 * time.Millisecond):
				}
			}
		}
	}
}

// Post adds a card's text to its thread; the same key twice is one reply.
func (l *lines) Post(_ context.Context, to bot.Target, c bot.Card, key string) (bot.Ref, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if ref, ok := l.refs[key]; ok {
		return ref, nil
	}
	l.count++
	l.shown[to.Thread.Key()] = append(l.shown[to.Thread.Key()], c.Text)
	l.refs[key] = bot.Ref{Thread: to.Thread, Messages: []string{strconv.Itoa(l.count)}}
	return l.refs[key], nil
}

// say writes a line; in is nil for a new thread.
func (l *lines) say(text string, in *bot.Thread) {
	l.mu.Lock()
	l.count++
	m := bot.Message{
		ID: strconv.Itoa(l.count), Text: text, Reach: bot.ReachDirect, At: time.Now(), User: bot.User{ID: "somebody"},
		Thread: bot.Thread{Platform: l.Platform(), Team: "local", Channel: "home", ID: strconv.Itoa(l.count), Direct: true},
	}
	l.mu.Unlock()
	if in != nil {
		m.Thread = *in
	}
	l.written <- m
}

func TestTheLeastAdapterPassesTheSuite(t *testing.T) {
	t.Parallel()
	bottest.RunAdapter(t, func(*testing.T) bottest.Harness {
		l := newLines()
		return bottest.Harness{
			Adapter: l,
			Say:     func(_ *testing.T, text string, in *bot.Thread) { l.say(text, in) },
			Shown: func(_ *testing.T, thread bot.Thread) []string {
				l.mu.Lock()
				defer l.mu.Unlock()
				return append([]string(nil), l.shown[thread.Key()]...)
			},
		}
	})
}
