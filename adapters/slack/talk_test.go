package slack_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"maru/adapters/slack/slackfake"
	"maru/bot"
	"maru/bot/said"
)

// spanOf returns the period of a channel that ends now.
func spanOf(channel string, from, to time.Time) said.Span {
	return said.Span{Channel: channel, From: from, To: to, Limit: 1000}
}

// TestAChannelIsReadForAPeriod: the newest thousand messages of people, as they read now, with their addresses; what bots wrote,
// notices of joins and questions to Maru are left out; threads and files are counted.
func TestAChannelIsReadForAPeriod(t *testing.T) {
	t.Parallel()
	var at atomic.Int64 // in seconds
	begin := time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC)
	at.Store(begin.Unix())
	now := func() time.Time { return time.Unix(at.Load(), 0) }
	w := start(t, slackfake.Options{Now: now})
	say := func(user, text, thread string) string {
		at.Add(60)
		return w.Say(user, "C1", text, thread)
	}
	say("U2", "long ago", "")
	from := now().Add(time.Second)
	for i := range 1100 {
		say("U3", fmt.Sprintf("m%d for <@U2>", i), "")
	}
	wrong, gone := say("U2", "we ship on Monday", ""), say("U2", "a secret", "")
	root := say("U2", "a question", "")
	say("U3", "a reply", root)
	w.SayByApp("C1", "", map[string]any{"text": "an alert"})
	at.Add(60)
	w.SayFiles("U2", "C1", "see the plan", "", w.AddFile(slackfake.File{Name: "plan.md", Data: []byte("# Plan")}))
	question := say("U1", "<@UBOT> what happened here?", "")
	w.Rewrite("C1", wrong, "we ship on Friday")
	w.Erase("C1", gone)
	m := bot.Message{ID: question, Thread: thread("C1", question), User: bot.User{ID: "U1"}, At: now()}
	got, err := w.adapter.Read(t.Context(), m, spanOf("C1", from, now()))
	if err != nil || len(got.Messages) != 1000 || !got.Older || got.Limited || got.Channel == "" || got.Threads != 1 || got.Files != 1 {
		t.Fatalf("%d messages, %+v %v", len(got.Messages), said.Talk{Older: got.Older, Limited: got.Limited, Channel: got.Channel, Threads: got.Threads, Files: got.Files}, err)
	}
	var tail []string
	for i, one := range got.Messages {
		if i > 0 && one.At.Before(got.Messages[i-1].At) {
			t.Fatal("messages are not in order")
		}
		if i >= 996 {
			tail = append(tail, one.Text)
		}
		if !strings.Contains(one.Link, "/archives/C1/p") {
			t.Fatalf("no address: %+v", one)
		}
	}
	if got := strings.Join(tail, "|"); got != "m1099 for @alice|we ship on Friday|a question|see the plan" {
		t.Errorf("the last are %q", got)
	}
	if got, err := w.adapter.Read(t.Context(), m, spanOf("C1", begin.Add(-time.Hour), begin)); err != nil || len(got.Messages) != 0 || got.Older {
		t.Errorf("an empty period: %+v %v", got, err)
	}
}

// TestARateLimitEndsTheReadingOfAChannel: an app that is sold outside of the marketplace reads 15 messages a minute.
func TestARateLimitEndsTheReadingOfAChannel(t *testing.T) {
	t.Parallel()
	w := start(t, slackfake.Options{Sold: true})
	for i := range 40 {
		w.Say("U2", "C1", fmt.Sprint("m", i), "")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second) // less than Retry-After
	defer cancel()
	m := bot.Message{ID: "1", Thread: thread("C1", "1"), User: bot.User{ID: "U1"}}
	got, err := w.adapter.Read(ctx, m, spanOf("C1", time.Now().Add(-time.Hour), time.Now().Add(time.Hour)))
	if err != nil || !got.Limited || len(got.Messages) != 15 || got.Messages[14].Text != "m39" || !got.Since.Equal(got.Messages[0].At) {
		t.Errorf("%+v %v", got, err)
	}
	if _, err := w.adapter.Read(ctx, m, spanOf("C1", time.Now().Add(-time.Hour), time.Now().Add(time.Hour))); !errors.Is(err, said.ErrBusy) {
		t.Errorf("with nothing to read: %v", err)
	}
}

// TestAChannelIsToldToItsReadersOnly: the asker and all readers of the answer must be able to read the channel.
func TestAChannelIsToldToItsReadersOnly(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		user, at, of string
		err          error
	}{
		"here":                       {"U1", "C1", "C1", nil},
		"public_from_channel":        {"U1", "C1", "C5", nil},
		"public_from_private":        {"U1", "C6", "C5", nil},
		"public_not_joined":          {"U1", "C1", "C8", nil},
		"private_from_public":        {"U1", "C1", "C6", said.ErrAudience},
		"private_from_direct":        {"U1", "D1", "C6", nil},
		"private_of_same_people":     {"U1", "C10", "C6", nil},
		"private_of_fewer_people":    {"U1", "C6", "C10", said.ErrAudience},
		"private_of_others":          {"U1", "D1", "C7", said.ErrHidden},
		"private_of_others_here":     {"U1", "C1", "C7", said.ErrHidden},
		"public_among_guests":        {"U1", "C8", "C5", said.ErrAudience},
		"a_guest_asks":               {"U4", "D4", "C5", said.ErrHidden},
		"a_guest_asks_of_their_own":  {"U4", "C8", "C8", nil},
		"unknown":                    {"U1", "C1", "C99", said.ErrHidden},
		"a_direct_message_of_others": {"U1", "C1", "D4", said.ErrHidden},
		"without_the_bot":            {"U1", "D1", "C11", said.ErrAbsent},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := start(t, slackfake.Options{})
			for _, id := range []string{"U1", "U2", "U3"} {
				w.AddUser(slackfake.User{ID: id, Name: strings.ToLower(id), Mail: id + "@example.com"})
			}
			w.AddUser(slackfake.User{ID: "U4", Name: "guest", Guest: true})
			w.AddChannel(slackfake.Channel{ID: "C5", Name: "launch", Members: []string{"UBOT", "U2"}})
			w.AddChannel(slackfake.Channel{ID: "C6", Name: "board", Private: true, Members: []string{"UBOT", "U1", "U2"}})
			w.AddChannel(slackfake.Channel{ID: "C7", Name: "others", Private: true, Members: []string{"UBOT", "U2"}})
			w.AddChannel(slackfake.Channel{ID: "C8", Name: "partners", Members: []string{"UBOT", "U1", "U2", "U4"}})
			w.AddChannel(slackfake.Channel{ID: "C10", Name: "board-two", Private: true, Members: []string{"UBOT", "U1"}})
			w.AddChannel(slackfake.Channel{ID: "C11", Name: "empty", Members: []string{"U1"}})
			w.AddChannel(slackfake.Channel{ID: "D4", Members: []string{"UBOT", "U4"}})
			if c.of != "C99" && c.of != "D4" {
				w.Say("U2", c.of, "we ship", "")
			}
			at := thread(c.at, "1")
			at.Direct = strings.HasPrefix(c.at, "D")
			got, err := w.adapter.Read(t.Context(), bot.Message{ID: "1", Thread: at, User: bot.User{ID: c.user, Guest: c.user == "U4"}}, spanOf(c.of, time.Now().Add(-time.Hour), time.Now().Add(time.Hour)))
			if !errors.Is(err, c.err) || c.err == nil && (err != nil || len(got.Messages) != 1) || c.err != nil && len(got.Messages) > 0 {
				t.Errorf("%+v, error %v, want %v", got, err, c.err)
			}
		})
	}
}

// TestMentionedChannelsAreKnownByTheirNames: also where Slack sends no name.
func TestMentionedChannelsAreKnownByTheirNames(t *testing.T) {
	t.Parallel()
	w := start(t, slackfake.Options{})
	w.Say("U1", "C1", "<@UBOT> what happened in <#C5|launch> and <#C6>?", "")
	w.until("the message", func() bool { return len(w.in.said()) > 0 })
	m := w.in.said()[0]
	if m.Text != "what happened in #launch and #C6?" || m.Channels["launch"] != "C5" || m.Channels["C6"] != "C6" {
		t.Errorf("%q with %v", m.Text, m.Channels)
	}
}

// TestAReadingThatEndsBeforeItsAuthorsAreKnownFails: authors who were not looked up are not told as strangers.
func TestAReadingThatEndsBeforeItsAuthorsAreKnownFails(t *testing.T) {
	t.Parallel()
	w := start(t, slackfake.Options{})
	m := bot.Message{ID: "1", Thread: thread("C1", "1"), User: bot.User{ID: "U1"}}
	q := spanOf("C1", time.Now().Add(-time.Hour), time.Now().Add(time.Hour))
	if _, err := w.adapter.Read(t.Context(), m, q); err != nil { // its rights are known then
		t.Fatal(err)
	}
	for i := range 3 {
		id := fmt.Sprint("U9", i)
		w.AddUser(slackfake.User{ID: id, Name: id})
		w.Say(id, "C1", "we ship", "")
	}
	w.Fail(slackfake.Fault{Method: "users.info", Slow: 3 * time.Second, Times: 9})
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	got, err := w.adapter.Read(ctx, m, q)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%d messages, %v", len(got.Messages), err)
	}
}
