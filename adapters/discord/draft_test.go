package discord_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"maru/adapters/discord"
	"maru/adapters/discord/discordfake"
	"maru/bot"
)

func TestDraftPostedTwiceIsOneMessage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, discordfake.Config{}, discord.Config{})
	m := w.ask("hello")
	w.post(m, bot.Card{Kind: bot.CardProgress, Status: "…"}, "run-1")
	w.post(m, text("final"), "run-1") // by a process that knew of no draft
	if got := w.fake.BotMessages(m.ID); len(got) != 1 || got[0].Content != "final" {
		t.Errorf("shown: %+v", got)
	}
}

// withdrawing gives a draft up in the moment in which its edit is under way.
type withdrawing struct {
	http.RoundTripper
	withdraw context.CancelFunc
}

func (w withdrawing) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodPatch {
		w.withdraw()
		if err := r.Context().Err(); err != nil {
			return nil, err
		}
	}
	return w.RoundTripper.RoundTrip(r)
}

// An edit that Discord may already have is waited for: given up, it could arrive
// after the answer and cover it.
func TestADraftNeverComesAfterTheAnswer(t *testing.T) {
	t.Parallel()
	draft, withdraw := context.WithCancel(t.Context())
	defer withdraw()
	client := &http.Client{Transport: withdrawing{&http.Transport{}, withdraw}}
	w := newWorld(t, discordfake.Config{}, discord.Config{HTTPClient: client})
	m := w.ask("hello")
	ref := w.post(m, bot.Card{Kind: bot.CardProgress, Text: "one", Language: "en"}, "k")
	if _, err := w.a.Edit(draft, ref, bot.Card{Kind: bot.CardProgress, Text: "one two", Language: "en"}); err != nil {
		t.Errorf("the edit was given up: %v", err)
	}
	if got := w.fake.BotMessages(m.ID); len(got) != 1 || !strings.Contains(got[0].Content, "two") {
		t.Errorf("shown: %+v", got)
	}
}

// hanging never answers an edit, which nobody wants any more once it is under way.
type hanging struct {
	http.RoundTripper
	withdraw context.CancelFunc
}

func (h hanging) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method != http.MethodPatch {
		return h.RoundTripper.RoundTrip(r)
	}
	h.withdraw()
	<-r.Context().Done()
	return nil, r.Context().Err()
}

func TestAHangingDraftHoldsNothingUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		draft, withdraw := context.WithCancel(t.Context())
		defer withdraw()
		fake := discordfake.Start(t, discordfake.Config{Offline: true})
		a := adapter(t, fake, discord.Config{ChannelAnswers: true, HTTPClient: &http.Client{Transport: hanging{fake.Transport(), withdraw}}})
		to := bot.Target{Thread: bot.Thread{Platform: "discord", Team: fake.Guild, Channel: fake.General}}
		ref, err := a.Post(t.Context(), to, bot.Card{Kind: bot.CardProgress, Text: "one", Language: "en"}, "k")
		if err != nil {
			t.Fatal(err)
		}
		before := time.Now()
		if _, err := a.Edit(draft, ref, bot.Card{Kind: bot.CardProgress, Text: "one two", Language: "en"}); err == nil {
			t.Error("an edit that was never answered is no error")
		}
		if took := time.Since(before); took > 5*time.Second { // a call may take 30 s
			t.Errorf("waited %v for what nobody wants", took)
		}
	})
}
