// Package benchwire measures the whole program from outside: bin/maru as a process of its own behind
// the strict fakes of Slack and Discord and an instant model, beside bare bots on the same SDKs that
// keep nothing (`make bench-wire`): one asks the same model, as a bot must, and one answers by itself. Processes are measured by /proc. It has tests only.
package benchwire

import (
	"flag"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"maru/memory/memtest/servers"
)

var (
	on       = flag.Bool("wire", false, "measure")
	rounds   = flag.Int("rounds", 5, "rounds whose median counts")
	length   = flag.Duration("for", 3*time.Second, "length of a round")
	at       = flag.String("at", "1,16,64", "numbers of conversations")
	idle     = flag.Duration("idle", time.Minute, "time until the memory of an idle program is read")
	program  = flag.String("program", "../../bin/maru", "the program; several builds, joined by commas, are compared")
	only     = flag.String("record", "", "part of the record's name, to measure one of them")
	profiles = flag.String("profile", "", "folder for CPU, allocation and block profiles")
)

func sorted(s iter.Seq[string]) []string { return slices.Sorted(s) }

// record is where the program keeps what must not be lost.
type record struct {
	name string
	env  []string
	pids []int // of its servers
}

// records starts the servers that the program is measured on.
func records(t *testing.T) []record {
	t.Helper()
	list := []record{}
	if r := (record{name: "SQLite"}); strings.Contains(r.name, *only) {
		list = append(list, r)
	}
	if r := (record{name: "PostgreSQL + Redis"}); strings.Contains(r.name, *only) {
		pg, rd := servers.StartPostgres(t), servers.StartRedis(t)
		r.env, r.pids = []string{"DATABASE_URL=" + pg.URL, "REDIS_URL=" + rd.URL}, []int{listener(t, pg.URL), listener(t, rd.URL)}
		list = append(list, r)
	}
	return list
}

// cpu returns what the record's servers have used.
func (r record) cpu(t *testing.T) (sum time.Duration) {
	t.Helper()
	for _, pid := range r.pids {
		sum += cpuOf(t, pid)
	}
	return sum
}

// The yardsticks: a bot on the platform's SDK that keeps nothing. The first asks the same model as the
// program, so that ratios to it count only what the program adds.
const (
	bareBot     = "bare bot"
	bareWithout = "bare, no model"
)

// subject is one of the bots that are measured in turn.
type subject struct {
	record
	*slackBench
}

// TestWireSlack prints the figures of Slack over signed HTTP and over Socket Mode.
func TestWireSlack(t *testing.T) {
	measures(t)
	for _, kind := range []string{"slack-http", "slack-socket"} {
		t.Run(kind, func(t *testing.T) {
			model, socket := startModel(t), kind == "slack-socket"
			asks := "OPENAI_BASE_URL=" + model.URL + "/v1"
			bots := []subject{
				{record{name: bareBot}, newSlackBench(t, socket, func(env ...string) *process { return startBare(t, kind, append(env, asks)...) })},
				{record{name: bareWithout}, newSlackBench(t, socket, func(env ...string) *process { return startBare(t, kind, env...) })},
			}
			for _, bin := range strings.Split(*program, ",") {
				for _, r := range records(t) { // of this build alone: two on one PostgreSQL take each other's threads
					own := append([]string{asks}, r.env...)
					if *profiles != "" {
						own = append(own, "ADMIN_PPROF=true")
					}
					if bin != *program {
						r.name += " " + filepath.Base(bin)
					}
					bots = append(bots, subject{r, newSlackBench(t, socket, func(env ...string) *process { return startBinary(t, bin, append(own, env...)...) })})
				}
			}
			for _, n := range numbers(t) {
				compare(t, bots, n)
			}
		})
	}
}

// compare measures the bots in turn, round after round, and prints the medians.
func compare(t *testing.T, bots []subject, conversations int) {
	t.Helper()
	all, names, methods := map[string][]figures{}, []string{}, map[string]string{}
	for _, b := range bots {
		names = append(names, b.name)
		b.talk(t, conversations, time.Second) // what is made once is there
	}
	for range *rounds {
		for _, b := range bots {
			f, calls := b.measure(t, conversations)
			all[b.name] = append(all[b.name], f)
			methods[b.name] = calls
		}
	}
	if t.Failed() {
		return
	}
	say("\n%s, %d at once, median of %d rounds of %v\n%s", t.Name(), conversations, *rounds, *length, table(names, all))
	for _, name := range names {
		say("calls a message of %s: %s", name, methods[name])
	}
}

func (b subject) measure(t *testing.T, conversations int) (figures, string) {
	t.Helper()
	calls, own, others := b.calls(), cpuOf(t, b.pid), b.cpu(t)
	if *profiles != "" && b.admin != "" {
		name := fmt.Sprintf("%s-%d", strings.ReplaceAll(b.name, " ", ""), conversations)
		defer b.profile(t, *profiles, name+"-allocs", "allocs")
		go b.profile(t, *profiles, name+"-cpu", fmt.Sprintf("profile?seconds=%d", max(1, int(length.Seconds())-1)))
	}
	var anon float64
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			_, now := memoryOf(t, b.pid)
			anon = max(anon, now)
			select {
			case <-stop:
				return
			case <-time.After(100 * time.Millisecond):
			}
		}
	}()
	begun := time.Now()
	took := b.talk(t, conversations, *length)
	wall := time.Since(begun)
	close(stop)
	<-stopped
	if len(took) == 0 {
		t.Fatalf("%s answered nothing", b.name)
	}
	f := of(took, wall)
	each1 := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 / float64(len(took)) }
	f.cpu, f.database, f.anon = each1(cpuOf(t, b.pid)-own), each1(b.cpu(t)-others), anon
	var list string
	f.calls, list = each(calls, b.calls(), len(took))
	return f, list
}

// measures skips a test that measures where nobody asked for it, and says once where it runs.
func measures(t *testing.T) {
	t.Helper()
	if !*on {
		t.Skip("measures for minutes: make bench-wire")
	}
	load, _ := os.ReadFile("/proc/loadavg")
	say("%d CPUs, load %s", runtime.NumCPU(), strings.TrimSpace(string(load)))
}

func say(format string, args ...any) { fmt.Printf(format+"\n", args...) }

func numbers(t *testing.T) (list []int) {
	t.Helper()
	for _, s := range strings.Split(*at, ",") {
		var n int
		if _, err := fmt.Sscan(s, &n); err != nil || n < 1 || n > most {
			t.Fatalf("-at %s: want numbers from 1 to %d", *at, most)
		}
		list = append(list, n)
	}
	return list
}
