package slack_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"maru/adapters/slack"
	"maru/adapters/slack/slackfake"
	"maru/bot"
)

// crowd is a fake Slack that enforces its limits, in simulated time.
type crowd struct {
	*slackfake.Server
	adapter *slack.Adapter
	t       testing.TB
}

// simulate runs f in simulated time: minutes pass in milliseconds, and every
// figure is the same on any machine.
func simulate(t *testing.T, f func(t *testing.T, w *crowd)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := slackfake.New(slackfake.Options{RateLimits: true, NoEcho: true, Offline: true})
		f(t, replicaOn(t, s))
		synctest.Wait()
		s.Close()
	})
}

// replicaOn returns a crowd that a process of its own answers.
func replicaOn(t *testing.T, s *slackfake.Server) *crowd {
	t.Helper()
	a, err := slack.New(slack.Config{
		BotToken: s.BotToken(), SigningSecret: s.SigningSecret(), APIURL: s.URL(),
		HTTPClient: &http.Client{Transport: s.Transport(), Timeout: 30 * time.Second},
	})
	if err != nil {
		t.Fatal(err)
	}
	return &crowd{s, a, t}
}

// place makes a channel.
func (w *crowd) place(id string) string {
	w.AddChannel(slackfake.Channel{ID: id, Members: []string{"UBOT", "U1", "U2", "U3"}})
	return id
}

// answer behaves as the bot does for one question: a first draft after a moment,
// drafts as the text grows, and the final card. It returns when that stands.
func (w *crowd) answer(channel, run string, words int, each time.Duration) bot.Ref {
	th := w.Say("U1", channel, "<@UBOT> "+run, "")
	to := asked(channel, th)
	began := time.Now()
	whole := text(strings.TrimSpace(strings.Repeat("some words of "+run+". ", words)))
	written := func() string {
		n := int(time.Since(began) / each)
		return whole.Text[:min(len(whole.Text), n*len("some words of "+run+". "))]
	}
	ends := began.Add(time.Duration(words) * each)
	var ref bot.Ref
	time.Sleep(250 * time.Millisecond)
	if time.Now().Before(ends) {
		var err error
		if ref, err = w.adapter.Post(w.t.Context(), to, progress(written(), "Reading…"), run); err != nil {
			w.t.Errorf("%s: first draft: %v", run, err)
		}
	}
	for time.Now().Before(ends) {
		time.Sleep(min(w.adapter.EditEvery(), time.Until(ends)))
		show := func() (bot.Ref, error) { return w.adapter.Edit(w.t.Context(), ref, progress(written(), "")) }
		if ref.IsZero() {
			show = func() (bot.Ref, error) { return w.adapter.Post(w.t.Context(), to, progress(written(), ""), run) }
		}
		if next, err := show(); err == nil {
			ref = next
		}
	}
	var err error
	if ref.IsZero() {
		ref, err = w.adapter.Post(w.t.Context(), to, whole, run)
	} else {
		ref, err = w.adapter.Edit(w.t.Context(), ref, whole)
	}
	if err != nil {
		w.t.Errorf("%s: final: %v", run, err)
	}
	if replies := w.Replies(channel, th); len(replies) != 1 || replies[0].Streaming() || strings.Count(replies[0].Shown(), whole.Text) != 1 {
		w.t.Errorf("%s: %d replies: %+v", run, len(replies), replies)
	}
	return ref
}

// crowdOf asks n questions at once and returns how long each took, in order.
func (w *crowd) crowdOf(n int, channel func(int) string, words int, each time.Duration) []time.Duration {
	took := make([]time.Duration, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			began := time.Now()
			w.answer(channel(i), fmt.Sprint("run-", i), words, each)
			took[i] = time.Since(began)
		})
	}
	all.Wait()
	slices.Sort(took)
	return took
}

// count tells how the replies were shown.
func (w *crowd) count() string {
	var limited int
	for _, c := range w.Calls("") {
		if c.Status == http.StatusTooManyRequests {
			limited++
		}
	}
	return fmt.Sprintf("%d streams, %d posts, %d edits, %d appends, %d answered 429",
		len(w.Calls("chat.startStream")), len(w.Calls("chat.postMessage")), len(w.Calls("chat.update")), len(w.Calls("chat.appendStream")), limited)
}

// Forty answers at once under Slack's limits are complete within 30 seconds,
// wherever they were asked and however fast they are. The figures are of
// simulated time: go test -run Forty -v prints them.
func TestFortyAnswersAtOnce(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		channels int
		words    int
		each     time.Duration
	}{
		"forty_channels":        {40, 40, 200 * time.Millisecond},
		"one_channel":           {1, 40, 200 * time.Millisecond},
		"one_channel_at_once":   {1, 1, time.Millisecond},
		"four_channels_at_once": {4, 1, time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			simulate(t, func(t *testing.T, w *crowd) {
				for i := range c.channels {
					w.place(fmt.Sprint("C10", i))
				}
				took := w.crowdOf(40, func(i int) string { return fmt.Sprint("C10", i%c.channels) }, c.words, c.each)
				t.Logf("40 answers: half stand after %v, the last after %v; %s", took[20], took[39], w.count())
				if took[39] > 30*time.Second {
					t.Errorf("the last answer took %v", took[39])
				}
				if r := w.Refused(); len(r) > 4 { // Slack may say once in a channel that posts come too fast
					t.Errorf("refused: %v", r)
				}
			})
		})
	}
}

// Two hundred answers at once, of one process or of three that know nothing of
// each other's calls: most are posted as they are ready, and only those that grew
// before people's eyes may wait for their turn to be edited.
func TestTwoHundredAnswersAtOnce(t *testing.T) {
	t.Parallel()
	for replicas, most := range map[int]time.Duration{1: 90 * time.Second, 3: 150 * time.Second} {
		t.Run(fmt.Sprint(replicas), func(t *testing.T) {
			t.Parallel()
			simulate(t, func(t *testing.T, w *crowd) {
				const n, channels = 200, 40
				for i := range channels {
					w.place(fmt.Sprint("C30", i))
				}
				of := []*crowd{w}
				for len(of) < replicas {
					of = append(of, replicaOn(t, w.Server))
				}
				took := make([]time.Duration, n)
				var all sync.WaitGroup
				for i := range n {
					all.Go(func() {
						began := time.Now()
						of[i%replicas].answer(fmt.Sprint("C30", i%channels), fmt.Sprint("run-", i), 20, 200*time.Millisecond)
						took[i] = time.Since(began)
					})
				}
				all.Wait()
				time.Sleep(15 * time.Minute) // what is said of the sessions goes slowly
				slices.Sort(took)
				t.Logf("%d replicas: half stand after %v, nine of ten after %v, the last after %v; %s", replicas, took[n/2], took[n*9/10], took[n-1], w.count())
				if took[n/2] > 15*time.Second || took[n-1] > most {
					t.Errorf("half of the answers took %v, the last %v", took[n/2], took[n-1])
				}
			})
		})
	}
}

// Ten minutes of answers under Slack's limits: no call is answered 429 and no
// message is edited more than once a second.
func TestTenMinutesOfStreaming(t *testing.T) {
	t.Parallel()
	simulate(t, func(t *testing.T, w *crowd) {
		for i := range 8 {
			w.place(fmt.Sprint("C20", i))
		}
		rnd := rand.New(rand.NewPCG(1, 2))
		var all sync.WaitGroup
		end, n := time.Now().Add(10*time.Minute), 0
		for time.Now().Before(end) {
			channel, words := fmt.Sprint("C20", rnd.IntN(8)), 5+rnd.IntN(50)
			n++
			run := fmt.Sprint("run-", n)
			all.Go(func() { w.answer(channel, run, words, 250*time.Millisecond) })
			time.Sleep(time.Duration(rnd.IntN(7000)) * time.Millisecond)
		}
		all.Wait()
		fastest := time.Hour
		for i := range 8 {
			for _, m := range w.Replies(fmt.Sprint("C20", i), "") {
				fastest = min(fastest, closest(m.UpdatedAt))
			}
			for _, th := range w.Messages(fmt.Sprint("C20", i), "") {
				for _, m := range w.Replies(fmt.Sprint("C20", i), th.TS) {
					fastest = min(fastest, closest(m.UpdatedAt))
				}
			}
		}
		t.Logf("%d answers; %s; two edits of a message at least %v apart", n, w.count(), fastest)
		if fastest < time.Second {
			t.Errorf("two edits of a message %v apart", fastest)
		}
		if r := w.Refused(); len(r) > 0 {
			t.Errorf("refused: %v", r)
		}
	})
}

// closest returns the least time between two of the times.
func closest(at []time.Time) time.Duration {
	least := time.Hour
	for i := 1; i < len(at); i++ {
		least = min(least, at[i].Sub(at[i-1]))
	}
	return least
}
