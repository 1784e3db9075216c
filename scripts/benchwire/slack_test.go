package benchwire

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"maru/adapters/slack/slackfake"
)

// patience bounds the wait for one answer.
const patience = 30 * time.Second

// answers connects messages of people with the answers to them.
type answers struct {
	mu   sync.Mutex
	want map[string]chan time.Time // by mark
}

func newAnswers() *answers { return &answers{want: map[string]chan time.Time{}} }

// await registers a mark; its channel gets the time at which the answer stood.
func (a *answers) await(mark string) <-chan time.Time {
	a.mu.Lock()
	defer a.mu.Unlock()
	ch := make(chan time.Time, 1)
	a.want[mark] = ch
	return ch
}

// shown notes a message of the bot. It is called once for each state that people see.
func (a *answers) shown(text []byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	m := lastMark(text)
	if ch, ok := a.want[m]; ok && bytes.Contains(text, []byte("hello to "+m)) {
		delete(a.want, m)
		ch <- time.Now()
	}
}

// slackBench is a Slack with one bot in it, and people who talk to it.
type slackBench struct {
	*answers
	*process
	fake *slackfake.Server
	said int
}

// newSlackBench starts a fake of Slack and the bot that begin starts with the environment for it.
func newSlackBench(t *testing.T, socket bool, begin func(env ...string) *process) *slackBench {
	t.Helper()
	b := &slackBench{answers: newAnswers()}
	b.fake = slackfake.Start(t, slackfake.Options{AtOnce: true, Posted: func(_ string, m slackfake.Message) {
		if !m.Streaming() {
			b.shown([]byte(m.Text))
		}
	}})
	env := []string{"SLACK_BOT_TOKEN=" + b.fake.BotToken(), "SLACK_API_URL=" + b.fake.URL()}
	if socket {
		env = append(env, "SLACK_APP_TOKEN="+b.fake.AppToken())
	} else {
		env = append(env, "SLACK_SIGNING_SECRET="+b.fake.SigningSecret())
	}
	b.process = begin(env...)
	if !socket {
		b.fake.Deliver("http://" + b.addr)
	}
	for i := range most {
		b.fake.AddChannel(slackfake.Channel{ID: fmt.Sprint("C9", i), Members: []string{"UBOT", "U1", "U2", "U3"}})
	}
	t.Cleanup(func() {
		// A mark that was taken away already is as wished: a message that is answered at once ends it from two sides.
		done := func(r string) bool { return strings.HasSuffix(r, ": no_reaction") }
		if r := slices.DeleteFunc(b.fake.Refused(), done); len(r) > 0 {
			t.Errorf("Slack refused %d calls, such as %s", len(r), r[0])
		}
	})
	return b
}

// most is the largest number of conversations; each has a channel.
const most = 64

// turns is the length of a conversation: then the person begins another thread.
const turns = 10

// talk lets people talk to the bot in so many conversations, each asking as soon as it is answered,
// and returns how long each answer took.
func (b *slackBench) talk(t *testing.T, conversations int, d time.Duration) []time.Duration {
	t.Helper()
	var mu sync.Mutex
	var took []time.Duration
	var all sync.WaitGroup
	b.said++
	end := time.Now().Add(d)
	for i := range conversations {
		all.Go(func() {
			channel, root := fmt.Sprint("C9", i), ""
			for n := 0; time.Now().Before(end); n++ {
				m := fmt.Sprintf("%s%d-%d-%d", mark, b.said, i, n)
				begun, stands := time.Now(), b.await(m)
				if n%turns == 0 {
					root = b.fake.Say("U1", channel, "<@UBOT> good morning "+m, "")
				} else {
					b.fake.Say("U1", channel, "and then "+m, root)
				}
				select {
				case at := <-stands:
					mu.Lock()
					took = append(took, at.Sub(begun))
					mu.Unlock()
				case <-time.After(patience):
					t.Errorf("%s is not answered within %v", m, patience)
					return
				}
			}
		})
	}
	all.Wait()
	return took
}

// calls counts the calls of the Web API by method.
func (b *slackBench) calls() map[string]int {
	n := map[string]int{}
	for _, c := range b.fake.Calls("") {
		n[c.Method]++
	}
	return n
}

// each prints counts for each of so many messages.
func each(before, after map[string]int, messages int) (sum float64, list string) {
	var parts []string
	for _, k := range sorted(maps.Keys(after)) {
		if n := after[k] - before[k]; n > 0 {
			sum += float64(n)
			parts = append(parts, fmt.Sprintf("%s %.2f", k, float64(n)/float64(messages)))
		}
	}
	return sum / float64(messages), strings.Join(parts, ", ")
}
