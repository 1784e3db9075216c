package graphtest

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"maru/agent/graph"
	"maru/datatest"
)

// Processes runs the engine in processes of its own, which are killed or race.
// A store's package has one test that calls Serve and nothing else, and tests
// that call RunKills and RunRaces.
type Processes struct {
	Child string // name of the test that calls Serve
	Place string // where the store is, for Open in any process
	// Open opens the store. The suite closes it.
	Open func(ctx context.Context, place string) (graph.Checkpointer, func() error, error)
}

// The environment of a child.
const (
	envPlace = "MARU_GRAPHTEST_PLACE"
	envJob   = "MARU_GRAPHTEST_JOB"
	envLong  = "MARU_TEST_LONG" // set: as many points and races as the goals name
)

func long() bool { return os.Getenv(envLong) != "" }

// Serve runs a child process of the suite. Called by go test itself it does nothing.
func (p Processes) Serve(t *testing.T) {
	t.Helper()
	place, job := os.Getenv(envPlace), os.Getenv(envJob)
	if job == "" {
		t.Skip("runs as a child of the tests that kill processes")
	}
	out := os.NewFile(3, "ledger") //nolint:revive // add-constant: the first of ExtraFiles
	say := func(words ...any) { _, _ = fmt.Fprintln(out, words...) }
	cp, done, err := p.Open(t.Context(), place)
	if err != nil {
		say("error", err)
		t.Fatal(err)
	}
	verb, rest, _ := strings.Cut(job, " ")
	if verb == "race" {
		err = raceChild(t.Context(), cp, rest, say)
	} else {
		err = killChild(t.Context(), cp, rest, say)
	}
	if err == nil {
		err = done()
	}
	if err != nil {
		say("error", err)
		t.Fatal(err)
	}
}

// child is a process that runs Serve.
type child struct {
	cmd   *exec.Cmd
	lines *bufio.Scanner
	in    *os.File
}

// start starts a child. It reports on a separate pipe, so that each line survives the process.
func (p Processes) start(t *testing.T, job string) *child {
	t.Helper()
	self, err := os.Executable()
	must(t, err)
	c := exec.CommandContext(t.Context(), self, "-test.run=^"+p.Child+"$", "-test.count=1")
	c.Env = append(os.Environ(), envPlace+"="+p.Place, envJob+"="+job)
	r, w, err := os.Pipe()
	must(t, err)
	inR, inW, err := os.Pipe()
	must(t, err)
	c.ExtraFiles, c.Stdin = []*os.File{w}, inR
	must(t, c.Start())
	must(t, w.Close())
	must(t, inR.Close())
	t.Cleanup(func() { _, _ = r.Close(), inW.Close() }) // maybe closed before
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	return &child{c, lines, inW}
}

// RunKills kills processes at many points of a graph with a loop, a fan-out, questions and a sub-graph, committed
// step by step or in groups, before, during and after every append, around every node and every effect. Other
// processes resume the threads. Acknowledged work must be in the log, recorded tasks and effects must not run again,
// and every thread must end as if nothing had happened.
//
// It tests forty points; every one, and at least 250, with MARU_TEST_LONG set.
func (p Processes) RunKills(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("processes kill themselves by a signal")
	}
	points, deeds, want := dryRun(t)
	tries := 40
	if datatest.Short(t) {
		tries = 8
	}
	if long() {
		tries = max(points, 250)
	}
	l := newLedger(want)
	jobs := make([]string, 0, tries+1)
	for i := range tries {
		first := 1 + i*points/tries + i%max(1, points/tries) // every stratum, not always its first point
		job := fmt.Sprintf("t%d:%d", i, min(first, points))
		if i > 0 {
			job = fmt.Sprintf("t%d:%d %s", i-1, revisit(i), job)
		}
		jobs = append(jobs, job)
	}
	rest := make([]string, tries) // whatever was killed again, or did not come to its turn
	for i := range rest {
		rest[i] = fmt.Sprintf("t%d:0", i)
	}
	for _, job := range append(jobs, strings.Join(rest, " ")) {
		l.follow(t, p.start(t, "kill "+job))
	}
	if len(l.deeds) != deeds*tries {
		t.Errorf("%d idempotency keys, want %d for each of %d threads: a repeated effect got another key", len(l.deeds), deeds, tries)
	}
	l.verify(t, p, tries)
}

// revisit returns at which point the process that goes on with a killed thread
// dies in its turn: 0 is never, as for two of three threads.
func revisit(i int) int {
	if i%3 != 0 {
		return 0
	}
	return 3 + i*7%60
}

// follow records a child's reports until it ends.
func (l *ledger) follow(t *testing.T, c *child) {
	t.Helper()
	l.killed = false
	for c.lines.Scan() {
		l.note(t, c.lines.Text())
	}
	err := c.cmd.Wait()
	if l.killed == (err == nil) {
		t.Fatalf("the child ended with %v, it was to be killed: %v", err, l.killed)
	}
}

// ledger holds the children's reports and their invariants.
type ledger struct {
	want   string            // the state in which every thread ends
	acks   map[string]string // "thread ns seq" → digest of the body
	heads  map[string]int64  // "thread ns" → newest acknowledged seq
	closed map[string]bool   // tasks with a durable result
	deeds  map[string]int    // by idempotency key
	done   map[string]bool   // keys of effects whose result is recorded
	ends   map[string]bool   // threads that ended
	kinds  map[string]int    // kills by the kind of point
	kills  int
	killed bool
}

func newLedger(want string) *ledger {
	return &ledger{
		want: want, acks: map[string]string{}, heads: map[string]int64{}, closed: map[string]bool{},
		deeds: map[string]int{}, done: map[string]bool{}, ends: map[string]bool{}, kinds: map[string]int{},
	}
}

func (l *ledger) note(t *testing.T, line string) {
	t.Helper()
	f := strings.Split(line, " ")
	switch f[0] {
	case "ack": // thread ns seq digest
		l.acks[strings.Join(f[1:4], " ")] = f[4]
		seq, err := strconv.ParseInt(f[3], 10, 64)
		must(t, err)
		l.heads[f[1]+" "+f[2]] = seq
	case "closed": // thread ns turn step task
		l.closed[strings.Join(f[1:], " ")] = true
	case "start": // thread ns turn step task node
		if l.closed[strings.Join(f[1:6], " ")] || l.closed[strings.Join(f[1:5], " ")+" *"] {
			t.Errorf("a task with a durable result ran again: %s", line)
		}
	case "deed": // key
		l.deeds[f[1]]++
		if l.done[f[1]] {
			t.Errorf("an effect whose result is recorded was done again: %s", line)
		}
		if l.deeds[f[1]] > 3 { // once, and once again for each of two kills
			t.Errorf("an effect was done %d times: %s", l.deeds[f[1]], line)
		}
	case "recorded": // key
		l.done[f[1]] = true
	case "kill": // point
		l.killed = true
		l.kills++
		l.kinds[f[1]]++
	case "end": // thread state
		l.ends[f[1]] = true
		if state := strings.Join(f[2:], " "); state != l.want {
			t.Errorf("thread %s ended as\n%s\nwithout kills it ends as\n%s", f[1], state, l.want)
		}
	default:
		t.Fatalf("child: %s", line)
	}
}

// verify checks the store of the dead processes.
func (l *ledger) verify(t *testing.T, p Processes, tries int) {
	t.Helper()
	cp, done, err := p.Open(t.Context(), p.Place)
	must(t, err)
	defer func() { must(t, done()) }()
	have := map[string]string{}
	for log, head := range l.heads {
		thread, ns, _ := strings.Cut(log, " ")
		records, err := cp.History(t.Context(), thread, strings.TrimPrefix(ns, "-"), 1, head, 0)
		must(t, err)
		for i, r := range records {
			if r.Seq != int64(i+1) {
				t.Errorf("log %s: record %d is at place %d", log, r.Seq, i+1)
			}
			have[fmt.Sprint(log, " ", r.Seq)] = sum(r.Body)
			if r.Kind == graph.RecordEffect {
				l.done[effectOf(r.Body)] = true // maybe killed before it was acknowledged
			}
		}
	}
	for key, digest := range l.acks {
		if have[key] != digest {
			t.Errorf("record %s was acknowledged and is lost or another", key)
		}
	}
	repeats := 0
	for key, n := range l.deeds {
		repeats += n - 1
		if !l.done[key] {
			t.Errorf("effect %s was done and never recorded", key)
		}
	}
	for i := range tries {
		if !l.ends["t"+strconv.Itoa(i)] {
			t.Errorf("thread t%d did not end", i)
		}
	}
	if l.kills < tries*9/10 {
		t.Errorf("%d kills of %d: the points are gone", l.kills, tries)
	}
	t.Logf("%d kills (%v), %d acknowledged records, none lost; %d effects, %d done again before they were recorded, 0 after",
		l.kills, l.kinds, len(l.acks), len(l.deeds), repeats)
}

// effectOf returns the key that an effect's record holds as its result.
func effectOf(body json.RawMessage) string {
	var b struct {
		E *struct {
			V string `json:"v"`
		} `json:"e"`
	}
	if json.Unmarshal(body, &b) != nil || b.E == nil {
		return ""
	}
	return b.E.V
}
