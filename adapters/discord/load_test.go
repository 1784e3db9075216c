package discord_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"maru/adapters/discord"
	"maru/adapters/discord/discordfake"
	"maru/bot"
	"maru/datatest"
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

// road leads to a fake in simulated time: a request is on its way for a while, and so
// is its answer.
type road struct {
	http.RoundTripper
	most time.Duration // of each way
}

func (r road) RoundTrip(req *http.Request) (*http.Response, error) {
	time.Sleep(rand.N(r.most)) //nolint:gosec // G404: any will do
	resp, err := r.RoundTripper.RoundTrip(req)
	time.Sleep(rand.N(r.most)) //nolint:gosec // G404: any will do
	return resp, err
}

// office is an adapter and a Discord that keeps its limits.
type office struct {
	fake *discordfake.Fake
	a    *discord.Adapter
	at   bot.Thread // where somebody asked
	ctx  context.Context
}

// simulate runs f in simulated time: minutes pass in milliseconds, and what is found
// of the limits holds on any machine. most is how long a request is under way at most,
// and its answer.
func simulate(t *testing.T, fc discordfake.Config, most time.Duration, f func(t *testing.T, w *office)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		fc.RateLimits, fc.Offline = true, true
		w := &office{fake: discordfake.Start(t, fc), ctx: t.Context()}
		w.a = adapter(t, w.fake, discord.Config{
			Logger: slog.New(slog.DiscardHandler), ChannelAnswers: true,
			HTTPClient: &http.Client{Transport: road{w.fake.Transport(), most}},
		})
		w.at = bot.Thread{Platform: "discord", Team: w.fake.Guild, Channel: w.fake.General}
		f(t, w)
	})
}

// TestManyAnswersInOneChannel has a hundred replies wait in one channel that takes five messages in five seconds.
func TestManyAnswersInOneChannel(t *testing.T) {
	t.Parallel()
	simulate(t, discordfake.Config{}, 100*time.Millisecond, func(t *testing.T, w *office) {
		const replies = 100
		var all sync.WaitGroup
		for i := range replies {
			all.Go(func() { w.write(t, i) })
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
		if finals != replies || refused > 10 { // of 600: an answer from before a reset may come after it
			t.Errorf("%d finals of %d, %d refusals", finals, replies, refused)
		}
	})
}

// write posts a reply as it grows.
func (w *office) write(t *testing.T, i int) {
	draft := bot.Card{Kind: bot.CardProgress, Text: "draft"}
	ref, err := w.a.Post(w.ctx, bot.Target{Thread: w.at}, draft, fmt.Sprint("run ", i))
	if err != nil {
		t.Errorf("post %d: %v", i, err)
		return
	}
	if ref.IsZero() { // it would have waited
		if _, err := w.a.Post(w.ctx, bot.Target{Thread: w.at}, text(fmt.Sprint("final ", i)), fmt.Sprint("run ", i)); err != nil {
			t.Errorf("final %d: %v", i, err)
		}
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
}

// TestManyAnswersInManyChannels posts to more channels at once than Discord takes
// requests in a second: none is refused, however long each is under way.
func TestManyAnswersInManyChannels(t *testing.T) {
	t.Parallel()
	simulate(t, discordfake.Config{GlobalRate: 50}, 900*time.Millisecond, func(t *testing.T, w *office) {
		channels := 600
		if datatest.Short(t) {
			channels = 200
		}
		var all sync.WaitGroup
		for i := range channels {
			at := w.at
			at.Channel = w.fake.AddChannel(fmt.Sprint("channel ", i))
			all.Go(func() {
				if _, err := w.a.Post(w.ctx, bot.Target{Thread: at}, text("answer"), fmt.Sprint("run ", i)); err != nil {
					t.Errorf("post %d: %v", i, err)
				}
			})
		}
		all.Wait()
		if refused := refusals(w.fake, http.StatusTooManyRequests); refused > 0 {
			t.Errorf("%d requests refused", refused)
		}
	})
}

// TestABurstIsOneRequestAnAnswer asks 200 questions at once, each answered while others wait for the
// rate: drafts and marks of the queue give way, and Discord gets the answers alone.
func TestABurstIsOneRequestAnAnswer(t *testing.T) {
	t.Parallel()
	simulate(t, discordfake.Config{GlobalRate: 50}, 20*time.Millisecond, func(t *testing.T, w *office) {
		const questions = 200
		var all sync.WaitGroup
		begun := time.Now()
		for i := range questions {
			at := w.at
			at.Channel = w.fake.AddChannel(fmt.Sprint("channel ", i))
			to, key := bot.Target{Thread: at}, fmt.Sprint("run ", i)
			all.Go(func() {
				time.Sleep(time.Duration(i) * time.Millisecond)
				if i >= 50 { // the rate is used up
					if ref, err := w.a.Post(w.ctx, to, bot.Card{Kind: bot.CardProgress, Status: "thinking"}, key); err != nil || !ref.IsZero() {
						t.Errorf("draft %d: %v %v", i, ref, err)
					}
					err := w.a.React(w.ctx, to, w.fake.Guild, bot.MarkQueued, true)
					var d *bot.DeliveryError
					if !errors.As(err, &d) || d.After <= 0 {
						t.Errorf("mark %d: %v", i, err)
					}
				}
				if _, err := w.a.Post(w.ctx, to, text("answer"), key); err != nil {
					t.Errorf("answer %d: %v", i, err)
				}
			})
		}
		all.Wait()
		if took := time.Since(begun); took > 5*time.Second {
			t.Errorf("%d answers took %v", questions, took)
		}
		posts := 0
		for _, c := range w.fake.Journal() {
			if c.Method != http.MethodGet {
				posts++
			}
		}
		if posts != questions {
			t.Errorf("%d requests for %d answers", posts, questions)
		}
		to := bot.Target{Thread: w.at}
		time.Sleep(2 * time.Second)
		if ref, err := w.a.Post(w.ctx, to, bot.Card{Kind: bot.CardProgress, Status: "thinking"}, "slow"); err != nil || ref.IsZero() {
			t.Errorf("a slow answer shows no draft when there is room: %v", err)
		}
	})
}

// TestWhatSharesABucketKeepsItsLimit streams into a channel whose sends, edits and
// reactions Discord counts together.
func TestWhatSharesABucketKeepsItsLimit(t *testing.T) {
	t.Parallel()
	simulate(t, discordfake.Config{OneBucket: true}, 100*time.Millisecond, func(t *testing.T, w *office) {
		const replies = 20
		for i := range replies {
			ref, err := w.a.Post(w.ctx, bot.Target{Thread: w.at}, bot.Card{Kind: bot.CardProgress, Text: "draft"}, fmt.Sprint("run ", i))
			if err != nil {
				t.Fatal(err)
			}
			if ref.IsZero() { // it would have waited
				ref, err = w.a.Post(w.ctx, bot.Target{Thread: w.at}, text("draft"), fmt.Sprint("run ", i))
			}
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
	})
}

// TestTenMinutesOfStreaming edits one message as the bot does for ten minutes, under
// the limits.
func TestTenMinutesOfStreaming(t *testing.T) {
	t.Parallel()
	simulate(t, discordfake.Config{}, 100*time.Millisecond, func(t *testing.T, w *office) {
		ref, err := w.a.Post(w.ctx, bot.Target{Thread: w.at}, bot.Card{Kind: bot.CardProgress, Text: "0"}, "k")
		if err != nil {
			t.Fatal(err)
		}
		begun, edits, left := time.Now(), 0, 0
		for n := 1; time.Since(begun) < 10*time.Minute; n++ {
			_, err := w.a.Edit(w.ctx, ref, bot.Card{Kind: bot.CardProgress, Text: fmt.Sprint(n)})
			switch {
			case err == nil:
				edits++
			case errors.Is(err, bot.ErrUnavailable):
				left++
			default:
				t.Fatal(err)
			}
			time.Sleep(w.a.EditEvery())
		}
		if _, err := w.a.Edit(w.ctx, ref, text("final")); err != nil {
			t.Fatal(err)
		}
		refused := refusals(w.fake, http.StatusTooManyRequests)
		t.Logf("10 minutes of streaming: %d edits, %d left out, %d refused", edits, left, refused)
		if refused > 0 || edits > 10*60 {
			t.Errorf("%d edits, %d refused", edits, refused)
		}
	})
}

// TestRefusedRequestsStayFew is row D11: Discord bans an address after 10,000
// invalid requests in ten minutes.
func TestRefusedRequestsStayFew(t *testing.T) {
	t.Parallel()
	for status, code := range map[int]int{http.StatusForbidden: 50001, http.StatusTooManyRequests: 0} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			t.Parallel()
			simulate(t, discordfake.Config{}, 100*time.Millisecond, func(t *testing.T, w *office) {
				ref, err := w.a.Post(w.ctx, bot.Target{Thread: w.at}, text("one"), "k")
				if err != nil {
					t.Fatal(err)
				}
				w.fake.Fail(discordfake.Fault{Method: "PATCH", Status: status, Code: code, After: 0.1, Times: 1 << 30})
				begun := time.Now()
				for n := 0; time.Since(begun) < 9*time.Minute; n++ {
					if _, err := w.a.Edit(w.ctx, ref, bot.Card{Kind: bot.CardProgress, Text: fmt.Sprint(n)}); err == nil {
						t.Fatal("an edit works")
					}
					time.Sleep(w.a.EditEvery())
				}
				n := refusals(w.fake, status)
				t.Logf("%d invalid requests (%d) within ten minutes", n, status)
				if n >= 100 || n == 0 {
					t.Errorf("%d invalid requests", n)
				}
			})
		})
	}
}
