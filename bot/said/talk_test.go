package said_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"maru/agent"
	"maru/bot"
	"maru/bot/said"
)

// reading is an adapter whose channels can be read.
type reading struct {
	bot.Adapter
	talk  said.Talk
	err   error
	asked []said.Span
}

func (r *reading) Read(_ context.Context, _ bot.Message, q said.Span) (said.Talk, error) {
	r.asked = append(r.asked, q)
	return r.talk, r.err
}

func asking(text string) bot.Message {
	return bot.Message{
		ID: "1", Thread: bot.Thread{Platform: "slack", Team: "T1", Channel: "C1", ID: "1"}, Text: text,
		At: time.Date(2026, 11, 25, 5, 30, 0, 0, time.UTC), Channels: map[string]string{"launch": "C5", "general": "C1"},
	}
}

// TestAChannelIsReadForWhatIsAsked: the period is of the person's days, and the note says it, the number of messages and what was
// left out.
func TestAChannelIsReadForWhatIsAsked(t *testing.T) {
	t.Parallel()
	seoul, err := time.LoadLocation("Asia/Seoul")
	if err != nil {
		t.Fatal(err)
	}
	one := said.Message{Link: "https://chat.example/1", Author: "Kim", Channel: "launch", At: time.Date(2026, 11, 24, 1, 0, 0, 0, time.UTC), Text: "we ship"}
	wide := said.Talk{Channel: "launch"}
	for i := range 1000 {
		wide.Messages = append(wide.Messages, said.Message{Author: "Kim", At: one.At.Add(time.Duration(i) * time.Minute), Text: strings.Repeat("가", 300)})
	}
	for name, c := range map[string]struct {
		text string
		talk said.Talk
		err  error
		span string // channel and period that is read, in Seoul
		says []string
		not  string
		n    int // messages for the agent
	}{
		"since":         {text: "what happened in #launch since Monday?", talk: said.Talk{Channel: "launch", Messages: []said.Message{one}}, span: "C5 11-23 00:00 11-25 14:30", says: []string{"#launch, 23 November 2026 (Monday), 12:00 am – 25 November 2026 (Wednesday), 2:30 pm KST. Messages: 1."}, not: "period", n: 1},
		"here, korean":  {text: "이 채널 어제부터 요약해줘", talk: said.Talk{Channel: "general", Messages: []said.Message{one}}, span: "C1 11-24 00:00 11-25 14:30", says: []string{"#general, 2026년 11월 24일(화요일) 오전 12:00 – ", "메시지 1개"}, n: 1},
		"no period":     {text: "catch me up on this channel", talk: said.Talk{Messages: []said.Message{one}}, span: "C1 11-18 14:30 11-25 14:30", says: []string{"this channel, ", "last 7 days"}, n: 1},
		"left out":      {text: "catch me up on this channel since Monday", talk: said.Talk{Messages: []said.Message{one}, Older: true, Threads: 3, Files: 2}, span: "C1 11-23 00:00 11-25 14:30", says: []string{"before 24 November 2026 (Tuesday), 10:00 am is missing", "3 threads", "Files aren't included: 2"}, n: 1},
		"limited":       {text: "catch me up on this channel since Monday", talk: said.Talk{Messages: []said.Message{one}, Limited: true, Since: one.At}, span: "C1 11-23 00:00 11-25 14:30", says: []string{"only a few messages per minute", "before 24 November 2026 (Tuesday), 10:00 am"}, n: 1},
		"wide":          {text: "catch me up on this channel since Monday", talk: wide, span: "C1 11-23 00:00 11-25 14:30", says: []string{"Messages: 332", "the most I read at once"}, n: 332},
		"bots alone":    {text: "catch me up on this channel since Monday", talk: said.Talk{Channel: "alerts", Older: true, Since: one.At}, span: "C1 11-23 00:00 11-25 14:30", says: []string{"Nobody wrote in #alerts between 24 November 2026 (Tuesday), 10:00 am", "before 24 November 2026 (Tuesday), 10:00 am is missing"}},
		"limited, wide": {text: "catch me up on this channel since Monday", talk: said.Talk{Messages: wide.Messages, Limited: true, Since: one.At}, span: "C1 11-23 00:00 11-25 14:30", says: []string{"the most I read at once: what was written before 24 November 2026 (Tuesday), 9:08 pm is missing"}, n: 332},
		"nothing seen":  {text: "catch me up on this channel since Monday", talk: said.Talk{Channel: "general", Limited: true}, span: "C1 11-23 00:00 11-25 14:30", says: []string{"doesn't let me read #general right now"}, not: "Nobody"},
		"nothing":       {text: "catch me up on this channel since Monday", talk: said.Talk{Channel: "general"}, span: "C1 11-23 00:00 11-25 14:30", says: []string{"Nobody wrote in #general between 23 November"}},
		"hidden":        {text: "what happened in #launch since Monday?", err: said.ErrHidden, span: "C5 11-23 00:00 11-25 14:30", says: []string{"no such channel, or you can't read it"}},
		"audience":      {text: "what happened in #launch since Monday?", err: fmt.Errorf("slack: %w", said.ErrAudience), span: "C5 11-23 00:00 11-25 14:30", says: []string{"Not everyone who reads this channel may read #launch"}},
		"failed":        {text: "what happened in #launch since Monday?", err: errors.New("down"), span: "C5 11-23 00:00 11-25 14:30", says: []string{"didn't answer"}},
		"unknown":       {text: "what happened in #lunch since Monday?", says: []string{"“#lunch”"}},
		"two":           {text: "what happened in #launch and #general since Monday?", says: []string{"one channel at a time"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, d, m := &reading{talk: c.talk, err: c.err}, said.New(slog.New(slog.DiscardHandler)), asking(c.text)
			if !d.Asks(m, p, nil) {
				t.Fatal("it asks for no channel")
			}
			lang := "en"
			if strings.Contains(c.text, "채널") {
				lang = "ko"
			}
			shown := ""
			talk, note := d.Talk(t.Context(), m, p, lang, seoul, func(s string) { shown = s })
			span := ""
			for _, q := range p.asked {
				span = q.Channel + " " + q.From.In(seoul).Format("01-02 15:04") + " " + q.To.In(seoul).Format("01-02 15:04")
			}
			if span != c.span || (shown == "") != (span == "") {
				t.Errorf("read %q, want %q, showing %q", span, c.span, shown)
			}
			for _, want := range c.says {
				if !strings.Contains(note, want) {
					t.Errorf("no %q in %q", want, note)
				}
			}
			if c.not != "" && strings.Contains(note, c.not) {
				t.Errorf("%q in %q", c.not, note)
			}
			if got := len(posts(talk)); got != c.n {
				t.Errorf("%d messages for the agent, want %d", got, c.n)
			}
		})
	}
}

func posts(t *agent.Talk) []agent.Post {
	if t == nil {
		return nil
	}
	return t.Posts
}

// TestWhereNoChannelCanBeReadNothingIsAsked: a console has none, and a direct conversation is none.
func TestWhereNoChannelCanBeReadNothingIsAsked(t *testing.T) {
	t.Parallel()
	d, direct, with := said.New(slog.New(slog.DiscardHandler)), asking("what did I miss?"), asking("summarise this channel")
	direct.Thread.Direct = true
	with.Files = []bot.File{{Name: "a.md"}}
	if d.Asks(asking("summarise this channel"), nil, nil) || d.Asks(direct, &reading{}, nil) || d.Asks(with, &reading{}, nil) {
		t.Error("a channel is read")
	}
	if direct.Text = "what happened in #launch?"; !d.Asks(direct, &reading{}, nil) {
		t.Error("a channel that is named is not read")
	}
	if d.Asks(direct, &reading{}, []string{agent.Without(said.Tool)}) {
		t.Error("a channel is read where the search of messages is switched off")
	}
	if d.Disable(); d.Asks(direct, &reading{}, nil) {
		t.Error("a channel is read although it is disabled")
	}
}

// TestInAThreadHereIsTheThread: a channel is read there only if it is named, or called a channel.
func TestInAThreadHereIsTheThread(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"여기 정리해줘": false, "what did we decide here?": false, "summarise the discussion here": false, "놓친 내용 있어?": false, "catch me up": false,
		"이 채널 정리해줘": true, "summarise this channel": true, "what did we decide in #launch?": true,
	} {
		d, top, inside := said.New(slog.New(slog.DiscardHandler)), asking(text), asking(text)
		inside.ID = "2"
		if got := d.Asks(inside, &reading{}, nil); got != want {
			t.Errorf("%q in a thread: %v, want %v", text, got, want)
		}
		if top.ID, top.Top = "3", true; !d.Asks(top, &reading{}, nil) || !d.Asks(asking(text), &reading{}, nil) {
			t.Errorf("%q at the top level asks for no channel", text)
		}
	}
}
