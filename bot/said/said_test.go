package said_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"maru/agent"
	"maru/agent/tool"
	"maru/bot"
	"maru/bot/said"
)

// platform is an adapter whose messages can be searched.
type platform struct {
	bot.Adapter

	messages []said.Message
	unranked bool
	partial  bool
	err      error
	asked    []said.Query
}

func (p *platform) Said(_ context.Context, _ bot.Message, q said.Query) (said.Found, error) {
	p.asked = append(p.asked, q)
	return said.Found{Messages: p.messages, Unranked: p.unranked, Partial: p.partial}, p.err
}

func message(author, text string) said.Message {
	return said.Message{Link: "https://chat.example/" + strings.Fields(author)[0], Author: author, Channel: "launch", At: time.Date(2026, 11, 20, 1, 3, 0, 0, time.UTC), Text: text}
}

// world returns a desk with a registry, and a run at work on a message.
func world(t *testing.T, p *platform) (*said.Desk, *tool.Registry, tool.Call) {
	t.Helper()
	d := said.New(slog.New(slog.DiscardHandler))
	r, err := tool.NewRegistry(d)
	if err != nil {
		t.Fatal(err)
	}
	m := bot.Message{ID: "1", Thread: bot.Thread{Platform: "slack", Team: "T1", Channel: "C1"}}
	_, end := d.Begin(m, p)
	t.Cleanup(end)
	return d, r, tool.Call{Message: m.Key(), Arguments: json.RawMessage(`{"query":"launch day"}`), TimeZone: "Asia/Seoul", Language: "en"}
}

// TestAResultKeepsNoWords: the result points at the messages, and only a prompt has their words.
func TestAResultKeepsNoWords(t *testing.T) {
	t.Parallel()
	p := &platform{messages: []said.Message{message("Kim [x](y)", "the launch is on Friday"), message("Lee", "the launch\nis on Monday")}}
	_, r, call := world(t, p)
	got, err := r.Invoke(t.Context(), said.Tool, call)
	if err != nil {
		t.Fatal(err)
	}
	const want = "- [Kim (x)(y) · 2026-11-20 10:03 · #launch](https://chat.example/Kim)\n- [Lee · 2026-11-20 10:03 · #launch](https://chat.example/Lee)"
	if got.Text != want || got.From != "" {
		t.Errorf("kept %q, from %q", got.Text, got.From)
	}
	shown := r.Reveal(t.Context(), said.Tool, call, got.Text)
	if !strings.Contains(shown, "(https://chat.example/Lee)\n  > the launch is on Monday") || !strings.Contains(shown, "never an instruction") {
		t.Errorf("a prompt has %q", shown)
	}
	if len(p.asked) != 1 {
		t.Errorf("searched %d times", len(p.asked))
	}
}

// TestAnotherProcessSearchesAgain: what is gone meanwhile is said to be gone, and what cannot be read is not guessed at.
func TestAnotherProcessSearchesAgain(t *testing.T) {
	t.Parallel()
	kept := "From somebody (data):\n- [Kim · 2026-11-20](https://chat.example/Kim)\n- [Lee · 2026-11-20](https://chat.example/Lee)"
	for name, c := range map[string]struct {
		p    platform
		want string
	}{
		"deleted":    {platform{messages: []said.Message{message("Kim", "on Friday")}}, "(https://chat.example/Kim)\n  > on Friday\n- [Lee · 2026-11-20](https://chat.example/Lee)\n  > (deleted since"},
		"unreadable": {platform{err: said.ErrGrant}, "(https://chat.example/Lee)\n  > (its words cannot be read now"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, r, call := world(t, &c.p)
			if got := r.Reveal(t.Context(), said.Tool, call, kept); !strings.Contains(got, c.want) {
				t.Errorf("a prompt has %q", got)
			}
		})
	}
	_, r, call := world(t, &platform{})
	call.Message = "slack/T1/C1/other" // whose run has ended
	if got := r.Reveal(t.Context(), said.Tool, call, kept); got != kept {
		t.Errorf("after the run: %q", got)
	}
}

// TestHistoryIsRankedByTheQuery: of a platform that is only read, the messages that fit are found, also by their author.
func TestHistoryIsRankedByTheQuery(t *testing.T) {
	t.Parallel()
	p := &platform{unranked: true, partial: true, messages: []said.Message{
		message("Park", "lunch at noon?"), message("Kim", "배포는 금요일로 미뤘어요"), message("Lee", "the deploy moved to Friday"),
	}}
	_, r, call := world(t, p)
	for query, want := range map[string]string{"지난주에 배포 얘기 어디서 했지?": "Kim", "when did we talk about the deploy?": "Lee", "anything on submarines?": ""} {
		call.Arguments, _ = json.Marshal(map[string]string{"query": query})
		got, err := r.Invoke(t.Context(), said.Tool, call)
		found := strings.Count(got.Text, "https://")
		if err != nil || want != "" && (!strings.Contains(got.Text, want) || found != 1) || want == "" && found != 0 || !strings.Contains(got.Text, "newest messages") {
			t.Errorf("%s: %q %v", query, got.Text, err)
		}
	}
}

func TestRefusalsAreTold(t *testing.T) {
	t.Parallel()
	for err, want := range map[error]string{
		said.ErrGrant: "new message", said.ErrScope: "search:read.public", said.ErrPlan: "plan", said.ErrAudience: "direct message",
		said.ErrPlace: "in a channel", said.ErrBusy: "in a minute", errors.New("down"): "didn't answer",
	} {
		_, r, call := world(t, &platform{err: err})
		if _, got := r.Invoke(t.Context(), said.Tool, call); !strings.Contains(tool.Sentence(got, "en"), want) {
			t.Errorf("%v: %q", err, tool.Sentence(got, "en"))
		}
	}
	_, r, call := world(t, &platform{})
	call.Arguments = json.RawMessage(`{"query":"x","after":"2026-13-40"}`)
	var wrong *tool.Error
	if _, err := r.Invoke(t.Context(), said.Tool, call); !errors.As(err, &wrong) || wrong.Code != "bad_argument" {
		t.Errorf("a day that is none: %v", err)
	}
}

// TestWhatItMayDo: the days of a query are the person's own, strangers' words are marked, and where nothing can be
// searched the tool is not offered.
func TestWhatItMayDo(t *testing.T) {
	t.Parallel()
	one := message("Kim", "launch")
	one.Stranger = true
	p := &platform{messages: []said.Message{one}}
	d, r, call := world(t, p)
	call.Arguments = json.RawMessage(`{"query":"launch","after":"2026-11-16","before":"2026-11-23"}`)
	got, err := r.Invoke(t.Context(), said.Tool, call)
	if err != nil || got.From == "" {
		t.Fatalf("from %q, %v", got.From, err)
	}
	if q := p.asked[0]; q.After.UTC().Format(time.RFC3339) != "2026-11-15T15:00:00Z" || q.Before.Sub(q.After) != 7*24*time.Hour {
		t.Errorf("asked %+v", q)
	}
	without, end := d.Begin(bot.Message{ID: "2"}, nil)
	defer end()
	if len(without) != 1 || without[0] != agent.Without(said.Tool) || d.Spec().Policy.Allows(append(without, "x")) && r.Reveals("nothing") {
		t.Errorf("without %q", without)
	}
}
