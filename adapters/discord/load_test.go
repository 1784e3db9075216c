package discord_test

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"maru/adapters/discord/discordfake"
	"maru/bot"
)

// refusals counts the answers of a status.
func refusals(fake *discordfake.Fake, status int) (n int) {
	for _, c := range fake.Journal() {
		if c.Status == status {
			n++
		}
	}
	return n
}

// TestManyAnswersInOneChannel has a hundred replies wait in one channel that takes five messages in five seconds.
func TestManyAnswersInOneChannel(t *testing.T) {
	t.Parallel()
	cfg := hurried(60)
	cfg.Logger = slog.New(slog.DiscardHandler)
	cfg.ChannelAnswers = true
	w := newWorld(t, discordfake.Config{RateLimits: true, Now: cfg.Now, Turn: time.Second}, cfg)
	m := w.ask("many")
	const replies = 100
	var all sync.WaitGroup
	for i := range replies {
		all.Go(func() {
			key := fmt.Sprint("run ", i)
			draft := bot.Card{Kind: bot.CardProgress, Text: "draft"}
			ref, err := w.a.Post(w.ctx, bot.Target{Thread: m.Thread}, draft, key)
			if err != nil {
				t.Errorf("post %d: %v", i, err)
				return
			}
			for n := range 5 { // what does not fit into the limit is left out
				draft.Text += fmt.Sprint(" ", n)
				if _, err := w.a.Edit(w.ctx, ref, draft); err != nil && !errors.Is(err, bot.ErrUnavailable) {
					t.Errorf("edit %d: %v", i, err)
				}
			}
			if _, err := w.a.Edit(w.ctx, ref, text(fmt.Sprint("final ", i))); err != nil {
				t.Errorf("final %d: %v", i, err)
			}
		})
	}
	all.Wait()
	finals := 0
	for _, s := range w.fake.BotMessages(w.fake.General) {
		if strings.HasPrefix(s.Content, "final ") {
			finals++
		}
	}
	refused := refusals(w.fake, http.StatusTooManyRequests)
	t.Logf("%d replies in one channel: %d finals, %d requests refused", replies, finals, refused)
	most := 20 // of 600; an answer from before a reset may come after it, and a clock sixty times as fast leaps
	if testing.Short() {
		most = 60 // more so where the race detector slows what reads it
	}
	if finals != replies || refused > most {
		t.Errorf("%d finals of %d, %d refusals", finals, replies, refused)
	}
}

// TestManyAnswersInManyChannels posts to more channels at once than Discord takes
// requests in a second: none is refused.
func TestManyAnswersInManyChannels(t *testing.T) {
	t.Parallel()
	cfg := hurried(1)
	cfg.ChannelAnswers = true
	w := newWorld(t, discordfake.Config{RateLimits: true, GlobalRate: 50, Now: cfg.Now, Turn: time.Second}, cfg)
	thread := w.ask("many").Thread
	const channels = 150
	var all sync.WaitGroup
	for i := range channels {
		at := thread
		at.Channel, at.ID = w.fake.AddChannel(fmt.Sprint("channel ", i)), ""
		all.Go(func() {
			if _, err := w.a.Post(w.ctx, bot.Target{Thread: at}, text("answer"), fmt.Sprint("run ", i)); err != nil {
				t.Errorf("post %d: %v", i, err)
			}
		})
	}
	all.Wait()
	most := 0
	if testing.Short() { // a request that the race detector holds up for more than two seconds
		most = 20
	}
	if refused := refusals(w.fake, http.StatusTooManyRequests); refused > most {
		t.Errorf("%d requests refused", refused)
	}
}

// TestWhatSharesABucketKeepsItsLimit streams into a channel whose sends, edits and
// reactions Discord counts together.
func TestWhatSharesABucketKeepsItsLimit(t *testing.T) {
	t.Parallel()
	cfg := hurried(60)
	cfg.Logger = slog.New(slog.DiscardHandler)
	cfg.ChannelAnswers = true
	w := newWorld(t, discordfake.Config{RateLimits: true, OneBucket: true, Now: cfg.Now, Turn: time.Second}, cfg)
	m := w.ask("shared")
	const replies = 20
	for i := range replies {
		ref, err := w.a.Post(w.ctx, bot.Target{Thread: m.Thread}, bot.Card{Kind: bot.CardProgress, Text: "draft"}, fmt.Sprint("run ", i))
		if err != nil {
			t.Fatal(err)
		}
		for n := range 3 {
			_, _ = w.a.Edit(w.ctx, ref, bot.Card{Kind: bot.CardProgress, Text: fmt.Sprint("draft ", n)}) // what does not fit is left out
		}
		if _, err := w.a.Edit(w.ctx, ref, text(fmt.Sprint("final ", i))); err != nil {
			t.Fatal(err)
		}
	}
	if refused := refusals(w.fake, http.StatusTooManyRequests); refused > 3 { // before the first answers have told
		t.Errorf("%d requests refused", refused)
	}
}

// TestTenMinutesOfStreaming edits one message as the bot does for ten minutes, by
// a clock that runs ahead, under the limits.
func TestTenMinutesOfStreaming(t *testing.T) {
	t.Parallel()
	cfg := hurried(150)
	cfg.Logger = slog.New(slog.DiscardHandler)
	w := newWorld(t, discordfake.Config{RateLimits: true, Now: cfg.Now, Turn: time.Second}, cfg)
	ref := w.post(w.ask("stream"), bot.Card{Kind: bot.CardProgress, Text: "0"}, "k")
	begun, edits, left := cfg.Now(), 0, 0
	for n := 1; cfg.Now().Sub(begun) < 10*time.Minute; n++ {
		_, err := w.a.Edit(w.ctx, ref, bot.Card{Kind: bot.CardProgress, Text: fmt.Sprint(n)})
		switch {
		case err == nil:
			edits++
		case errors.Is(err, bot.ErrUnavailable):
			left++
		default:
			t.Fatal(err)
		}
		if cfg.Wait(w.ctx, w.a.EditEvery()) != nil {
			t.Fatal("took too long")
		}
	}
	if _, err := w.a.Edit(w.ctx, ref, text("final")); err != nil {
		t.Fatal(err)
	}
	refused := refusals(w.fake, http.StatusTooManyRequests)
	t.Logf("10 minutes of streaming: %d edits, %d left out, %d refused", edits, left, refused)
	if refused > 0 || edits > 10*60 {
		t.Errorf("%d edits, %d refused", edits, refused)
	}
}

// TestRefusedRequestsStayFew is row D11: Discord bans an address after 10,000
// invalid requests in ten minutes.
func TestRefusedRequestsStayFew(t *testing.T) {
	t.Parallel()
	for status, code := range map[int]int{http.StatusForbidden: 50001, http.StatusTooManyRequests: 0} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			t.Parallel()
			cfg := hurried(50)
			cfg.Logger = slog.New(slog.DiscardHandler)
			w := newWorld(t, discordfake.Config{Now: cfg.Now, Turn: time.Second}, cfg)
			ref := w.post(w.ask("hello"), text("one"), "k")
			w.fake.Fail(discordfake.Fault{Method: "PATCH", Status: status, Code: code, After: 0.1, Times: 1 << 30})
			begun := cfg.Now()
			for n := 0; n < 600 && cfg.Now().Sub(begun) < 9*time.Minute; n++ {
				if _, err := w.a.Edit(w.ctx, ref, bot.Card{Kind: bot.CardProgress, Text: fmt.Sprint(n)}); err == nil {
					t.Fatal("an edit works")
				}
			}
			n := refusals(w.fake, status)
			t.Logf("%d invalid requests (%d) within ten minutes", n, status)
			if n >= 100 || n == 0 {
				t.Errorf("%d invalid requests", n)
			}
		})
	}
}
