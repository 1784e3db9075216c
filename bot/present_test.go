package bot_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"maru/agent"
	"maru/bot"
	"maru/bot/bottest"
	"maru/bot/service"
	"maru/memory/sqlitestore"
)

// openingRecord does something before it opens a reply.
type openingRecord struct {
	*sqlitestore.Store
	before func(context.Context) error
}

func (r openingRecord) Open(ctx context.Context, l bot.Lease, reply bot.Reply) (bot.Reply, bool, error) {
	if err := r.before(ctx); err != nil {
		return bot.Reply{}, false, err
	}
	return r.Store.Open(ctx, l, reply)
}

// TestRunDoesNotWaitForItsReplysRow opens a reply only when its run is at work.
func TestRunDoesNotWaitForItsReplysRow(t *testing.T) {
	t.Parallel()
	begun := make(chan struct{})
	w := newWorld(t, func(ctx context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
		close(begun)
		return echo(ctx, req, sink)
	})
	w.stop()
	w.change = func(cfg *service.Config) {
		// Without a history: a thread's past is read for its first reply alone, and
		// which it is the row tells.
		cfg.Adapters = []bot.Adapter{struct {
			bot.Adapter
			bot.Editor
		}{w.platform, w.platform}}
		cfg.Record = openingRecord{w.store, func(ctx context.Context) error {
			select {
			case <-begun:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}}
	}
	w.start()
	m := w.say("hello", bot.Thread{Platform: "fake", Team: "T", Channel: "C", ID: "1"})
	if got := w.replies(m.Thread, 1); got[0].Card.Text != "echo: hello" {
		t.Errorf("answered with %+v", got[0].Card)
	}
}

// TestReplyThatCannotBeOpenedIsNotShown: the message waits until the record takes
// its reply's row, and is then answered once.
func TestReplyThatCannotBeOpenedIsNotShown(t *testing.T) {
	t.Parallel()
	var tries atomic.Int64
	in := bot.Thread{Platform: "fake", Team: "T", Channel: "C", ID: "1"}
	w := newWorld(t, echo)
	w.stop()
	w.change = func(cfg *service.Config) {
		cfg.Record = openingRecord{w.store, func(context.Context) error {
			if tries.Add(1) < 3 {
				return errors.New("disk full")
			}
			if n := len(w.platform.Posts(in)); n != 0 {
				t.Errorf("%d posts without a row", n)
			}
			return nil
		}}
	}
	w.start()
	w.say("hello", in)
	w.replies(in, 1)
	w.settled()
	if n := len(w.platform.Posts(in)); n != 1 || tries.Load() != 3 {
		t.Errorf("%d posts after %d tries", n, tries.Load())
	}
}

// TestGrowingAnswerCountsAsTheFinishedOne: the numbers that people see while an answer is written
// are those that it ends with, and half a citation is not shown.
func TestGrowingAnswerCountsAsTheFinishedOne(t *testing.T) {
	t.Parallel()
	goOn := make(chan struct{})
	in := bot.Thread{Platform: "fake", Team: "T", Channel: "C", ID: "1"}
	w := newWorld(t, func(ctx context.Context, _ agent.Request, sink agent.Sink) (agent.Result, error) {
		sink(agent.Event{Kind: agent.EventSources, Sources: []agent.Source{{N: 1, Title: "one"}, {N: 2, Title: "two"}, {N: 3, Title: "three"}}})
		sink(agent.Event{Kind: agent.EventToken, Text: "First [3]. Second [1]. Third [2"})
		select {
		case <-goOn:
		case <-ctx.Done():
		}
		return agent.Result{Text: "First [1]. Second [2].", Sources: []agent.Source{{N: 1, Title: "three"}, {N: 2, Title: "one"}}}, ctx.Err()
	})
	w.say("hello", in)
	post, err := w.platform.AwaitPost(t.Context(), in, func(p bottest.Post) bool { return p.Card.Text != "" })
	close(goOn)
	if c := post.Card; err != nil || c.Text != "First [1]. Second [2]. Third" || len(c.Sources) != 2 || c.Sources[0].Title != "three" || c.Sources[1].N != 2 {
		t.Errorf("%+v %v", c, err)
	}
	w.replies(in, 1)
}

// halfway is a platform on which an edit adds one message more each time, and fails
// the first times after it has.
type halfway struct {
	*fake
	fails  int
	finals [][]string // the messages that final edits were given
}

func (h *halfway) Edit(ctx context.Context, ref bot.Ref, c bot.Card) (bot.Ref, error) {
	out, err := h.fake.Edit(ctx, bot.Ref{Thread: ref.Thread, Messages: ref.Messages[:1]}, c)
	if err != nil || !c.Final {
		return ref, err
	}
	h.finals = append(h.finals, ref.Messages)
	out.Messages = append(slices.Clone(ref.Messages), fmt.Sprint("more", len(ref.Messages)))
	if len(h.finals) <= h.fails {
		return out, errDown
	}
	return out, nil
}

// TestAnEditGoesOnWhereItFailed: what an edit added before it failed is known to the next
// one, and to the record.
func TestAnEditGoesOnWhereItFailed(t *testing.T) {
	t.Parallel()
	told := make(chan struct{})
	w := newWorld(t, func(ctx context.Context, _ agent.Request, sink agent.Sink) (agent.Result, error) {
		sink(agent.Event{Kind: agent.EventToken, Text: "a draft"})
		select {
		case <-told:
		case <-ctx.Done():
		}
		return agent.Result{Text: "long"}, nil
	})
	w.stop()
	h := &halfway{fake: w.platform, fails: 2}
	w.change = func(c *service.Config) { c.Adapters = []bot.Adapter{h} }
	w.start()
	m := w.say("write", w.platform.Thread("C1", ""))
	w.until("a draft is shown", func() bool { return len(w.platform.Posts(m.Thread)) > 0 })
	close(told)
	w.settled()
	w.stop()
	if len(h.finals) != 3 || len(h.finals[1]) != 2 || len(h.finals[2]) != 3 {
		t.Errorf("the final edits were given %q", h.finals)
	}
	w.start()
	list, err := w.store.RunsOf(w.ctx, m.Thread.Key(), 1)
	if err != nil || len(list) != 1 {
		t.Fatalf("%d runs, %v", len(list), err)
	}
	if r, err := w.store.Reply(w.ctx, list[0].ID); err != nil || len(r.Ref.Messages) != 4 {
		t.Errorf("the record knows %q, %v", r.Ref.Messages, err)
	}
}
