package benchwire

import (
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"
	"time"

	"maru/adapters/discord/discordfake"
)

// discordBench is a Discord that keeps its limits (50 requests a second in all, 5 sends and 5 edits
// in 5 s a channel) with one bot in it.
type discordBench struct {
	record
	*answers
	*process
	fake     *discordfake.Fake
	channels []string
	said     int
}

func newDiscordBench(t *testing.T, r record, begin func(env ...string) *process) *discordBench {
	t.Helper()
	b := &discordBench{record: r, answers: newAnswers()}
	b.fake = discordfake.Start(t, discordfake.Config{RateLimits: true, GlobalRate: 50, Posted: func(m discordfake.Message) { b.shown([]byte(m.Text())) }})
	for i := range 50 {
		b.channels = append(b.channels, b.fake.AddChannel(fmt.Sprint("channel ", i)))
	}
	b.process = begin("DISCORD_BOT_TOKEN="+b.fake.Token(), "DISCORD_API_URL="+b.fake.URL())
	if err := b.fake.AwaitReady(t.Context()); err != nil {
		t.Fatal(err)
	}
	time.Sleep(2 * time.Second) // registers commands and looks around
	return b
}

// ask asks one question in the next channel and returns how long its answer took.
func (b *discordBench) ask(t *testing.T) time.Duration {
	m, stands, begun := b.say()
	select {
	case at := <-stands:
		return at.Sub(begun)
	case <-time.After(patience):
		t.Errorf("%s is not answered within %v", m, patience)
		return patience
	}
}

func (b *discordBench) say() (string, <-chan time.Time, time.Time) {
	b.said++
	m := fmt.Sprintf("%s%d-d", mark, b.said)
	stands, begun := b.await(m), time.Now()
	b.fake.Say(b.fake.Alice, b.channels[b.said%len(b.channels)], b.fake.Mention()+" good morning "+m)
	return m, stands, begun
}

// calls counts the requests by method and kind.
func (b *discordBench) calls() map[string]int {
	n := map[string]int{}
	for _, c := range b.fake.Journal() {
		parts := strings.Split(c.Path, "/")
		for i, p := range parts {
			if strings.Trim(p, "0123456789") == "" {
				parts[i] = ""
			}
		}
		name := c.Method + " " + strings.Join(parts, "/")
		if c.Status == 429 {
			name += " refused (429)"
		}
		n[name]++
	}
	return n
}

// busiest returns the largest number of requests within a second.
func (b *discordBench) busiest() (most int) {
	all := b.fake.Journal()
	for i, j := 0, 0; i < len(all); i++ {
		for all[i].At.Sub(all[j].At) >= time.Second {
			j++
		}
		most = max(most, i-j+1)
	}
	return most
}

// paced asks one question after the other at a pace within Discord's limits, so that what is
// measured is the bot and not a wait for them: 5 a second of at most 4 requests each.
func (b *discordBench) paced(t *testing.T) (figures, string) {
	t.Helper()
	before, own, others := b.calls(), cpuOf(t, b.pid), b.cpu(t)
	var took []time.Duration
	begun := time.Now()
	for end := begun.Add(*length * 3); time.Now().Before(end); {
		next := time.Now().Add(200 * time.Millisecond)
		took = append(took, b.ask(t))
		time.Sleep(time.Until(next))
	}
	f := of(took, time.Since(begun))
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 / float64(len(took)) }
	f.cpu, f.database = ms(cpuOf(t, b.pid)-own), ms(b.cpu(t)-others)
	_, f.anon = memoryOf(t, b.pid)
	var list string
	f.calls, list = each(before, b.calls(), len(took))
	return f, list
}

// burst asks so many questions at once and tells how long until the last is answered.
func (b *discordBench) burst(t *testing.T, questions int) {
	t.Helper()
	time.Sleep(6 * time.Second) // the channels' limits are whole again
	before, begun := b.calls(), time.Now()
	var all sync.WaitGroup
	for range questions {
		m, stands, _ := b.say()
		all.Go(func() {
			select {
			case <-stands:
			case <-time.After(2 * patience):
				t.Errorf("%s is not answered within %v", m, 2*patience)
			}
		})
	}
	all.Wait()
	took := time.Since(begun)
	requests, list := each(before, b.calls(), questions)
	say("%-30s %d at once: %5.1f s, %.2f requests a message, at most %d within a second: %s", b.name, questions, took.Seconds(), requests, b.busiest(), list)
}

// TestWireDiscord prints the figures of Discord.
func TestWireDiscord(t *testing.T) {
	measures(t)
	model := startModel(t)
	own := []string{"OPENAI_BASE_URL=" + model.URL + "/v1"}
	bots := []*discordBench{
		newDiscordBench(t, record{name: bareBot}, func(env ...string) *process { return startBare(t, "discord", append(env, own...)...) }),
		newDiscordBench(t, record{name: bareWithout}, func(env ...string) *process { return startBare(t, "discord", env...) }),
	}
	for _, r := range append(records(t), record{name: "SQLite, no threads", env: []string{"DISCORD_ANSWER_IN_THREAD=false"}}) {
		bots = append(bots, newDiscordBench(t, r, func(env ...string) *process {
			return startProgram(t, append(append(env, own...), r.env...)...)
		}))
	}
	all, names, methods := map[string][]figures{}, []string{}, map[string]string{}
	for _, b := range bots {
		names = append(names, b.name)
		for range 3 {
			b.ask(t)
		}
	}
	for range *rounds {
		for _, b := range bots {
			f, calls := b.paced(t)
			all[b.name], methods[b.name] = append(all[b.name], f), calls
		}
	}
	say("\n%s, one question after the other, 5 a second, median of %d rounds of %v\n%s", t.Name(), *rounds, *length*3, table(names, all))
	for _, name := range names {
		say("calls a message of %s: %s", name, methods[name])
	}
	for _, b := range bots[2:] { // the bare bots know no limit of all requests
		b.burst(t, 200)
	}
	for _, b := range bots[2:] {
		if n := b.calls(); refused(n) > 0 {
			t.Errorf("%s: Discord refused %d requests", b.name, refused(n))
		}
	}
}

func refused(calls map[string]int) (sum int) {
	for name := range maps.Keys(calls) {
		if strings.HasSuffix(name, "(429)") {
			sum += calls[name]
		}
	}
	return sum
}

// TestBareDiscordBotsAnswer: the yardsticks work on the strict fake, and one of them asks the model.
func TestBareDiscordBotsAnswer(t *testing.T) {
	model := startModel(t)
	for name, own := range map[string][]string{bareBot: {"OPENAI_BASE_URL=" + model.URL + "/v1"}, bareWithout: nil} {
		before := model.calls.Load()
		b := newDiscordBench(t, record{name: name}, func(env ...string) *process { return startBare(t, "discord", append(env, own...)...) })
		if took := b.ask(t); took >= patience {
			t.Errorf("%s does not answer: %v", name, b.fake.Violations())
		}
		if asked := model.calls.Load() - before; asked != int64(len(own)) {
			t.Errorf("%s asks the model %d times", name, asked)
		}
	}
}
