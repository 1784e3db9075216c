package main

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"maru/adapters/slack/slackfake"
	"maru/agent/llm/llmtest"
	"maru/memory/memtest/servers"
)

// pressure is a workspace with many channels, whose questions carry marks, and an instant model that repeats
// the mark of the question it answers.
type pressure struct {
	*slackWorld

	mu       sync.Mutex
	asked    map[string]time.Time
	answered map[string]time.Time
	order    map[string][]string // marks in the order of their answers, by thread
	twice    []string
}

// loadMark is the mark of a question: the number of its thread and its own number there.
var loadMark = regexp.MustCompile(`\bm(\d+)-(\d+)\b`)

// atSize returns the size of a scenario with MARU_TEST_LONG (make long), and otherwise a small one, which
// shows that the test works.
func atSize(small, whole int) int {
	if wholeSize() {
		return whole
	}
	return small
}

// wholeSize reports whether scenarios run at their size. Only then are times and growth checked: a small run is over
// before they say anything, and the machine is busy with other tests.
func wholeSize() bool { return os.Getenv("MARU_TEST_LONG") != "" }

// newPressure returns a workspace whose events come by Socket Mode, in order, or over signed HTTP, side by side.
func newPressure(t *testing.T, socket bool, channels int, env ...string) *pressure {
	t.Helper()
	l := &pressure{asked: map[string]time.Time{}, answered: map[string]time.Time{}, order: map[string][]string{}}
	s := slackfake.Start(t, slackfake.Options{AtOnce: true, NoEcho: true, Posted: l.shown})
	for i := range channels {
		s.AddChannel(slackfake.Channel{ID: loadChannel(i), Members: []string{"UBOT", "U1", "U2", "U3"}})
	}
	model := llmtest.NewServer(t, func(r llmtest.Request) llmtest.Reply {
		if r.ResponseFormat != nil {
			return llmtest.JSON(map[string]string{"route": "agent", "reason": "test"})
		}
		return llmtest.Text("done " + loadMark.FindString(lastSaid(r)))
	})
	env = append([]string{
		"SLACK_BOT_TOKEN=" + s.BotToken(), "SLACK_API_URL=" + s.URL(),
		"OPENAI_BASE_URL=" + model.URL, "OPENAI_MODEL=test", "MARU_MEMORY_EXTRACT=false", "LOG_LEVEL=info", "MARU_LEASE_TTL=10s",
	}, env...)
	if socket {
		env = append(env, "SLACK_APP_TOKEN="+s.AppToken())
	} else {
		env = append(env, "SLACK_SIGNING_SECRET="+s.SigningSecret())
	}
	l.slackWorld = &slackWorld{slack: s, program: newProgram(t, env...)}
	return l
}

func loadChannel(i int) string { return fmt.Sprint("C8", i) }

// shown notes a message of the bot as people see it. The fake holds its lock.
func (l *pressure) shown(_ string, m slackfake.Message) {
	if m.Streaming() || !strings.HasPrefix(m.Text, "done ") {
		return
	}
	mark := loadMark.FindString(m.Text)
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, known := l.answered[mark]; known {
		l.twice = append(l.twice, mark)
		return
	}
	l.answered[mark] = time.Now()
	thread, _, _ := strings.Cut(mark, "-")
	l.order[thread] = append(l.order[thread], mark)
}

// ask says the n-th question of a thread, which begins with the first, and returns the thread.
func (l *pressure) ask(channel, thread, n int, root string) string {
	mark := fmt.Sprintf("m%d-%d", thread, n)
	l.mu.Lock()
	l.asked[mark] = time.Now()
	l.mu.Unlock()
	return l.slack.Say(fmt.Sprint("U", thread%3+1), loadChannel(channel), "<@UBOT> good morning "+mark, root)
}

// allAnswered waits until each question has its answer, and checks that each has one, in the order of the
// questions within a thread.
func (l *pressure) allAnswered() {
	l.t.Helper()
	err := l.slack.Wait(within(l.t, 10*time.Minute), func() bool {
		l.mu.Lock()
		defer l.mu.Unlock()
		return len(l.answered) == len(l.asked)
	})
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil {
		l.t.Fatalf("%d of %d questions are answered", len(l.answered), len(l.asked))
	}
	if len(l.twice) > 0 {
		l.t.Errorf("%d answers were posted twice, such as %s", len(l.twice), l.twice[0])
	}
	for thread, marks := range l.order {
		for i, m := range marks {
			if m != fmt.Sprintf("%s-%d", thread, i) {
				l.t.Fatalf("the answers of thread %s are in the order %v", thread, marks)
			}
		}
	}
}

// acknowledged checks that the platform waited for no acknowledgement as long as Slack's three seconds.
func (l *pressure) acknowledged() {
	l.t.Helper()
	var longest time.Duration
	for _, d := range l.slack.Deliveries() {
		if d.Acks == 0 {
			l.t.Errorf("an event was not acknowledged: %s", d.Payload)
			return
		}
		longest = max(longest, d.AckedAt.Sub(d.SentAt))
	}
	l.t.Logf("longest acknowledgement %v", longest)
	if wholeSize() && longest > 3*time.Second {
		l.t.Errorf("an event was acknowledged after %v", longest)
	}
}

// metric reads one figure of the program.
func (p *program) metric(name string) float64 {
	p.t.Helper()
	m := regexp.MustCompile(`(?m)^` + name + ` (\S+)$`).FindStringSubmatch(p.operator("/metrics"))
	if m == nil {
		p.t.Fatalf("there is no metric %s", name)
	}
	v, err := strconv.ParseFloat(m[1], 64)
	if err != nil {
		p.t.Fatal(err)
	}
	return v
}

// settles waits until nothing is at work: what people see is shown before it is committed.
func (p *program) settles() {
	p.t.Helper()
	for ctx := within(p.t, atMost); p.metric("maru_inbox_depth") > 0; pause(ctx, 20*time.Millisecond) {
		if ctx.Err() != nil {
			p.t.Fatal("items wait for ever")
		}
	}
}

// every calls do so often for so long; what is late is made up for.
func every(ctx context.Context, pause, length time.Duration, do func(n int)) {
	begun := time.Now()
	for n := 0; time.Duration(n)*pause < length && ctx.Err() == nil; n++ {
		time.Sleep(time.Until(begun.Add(time.Duration(n) * pause)))
		do(n)
	}
}

// TestManyThreadsAtOnce (scorecard E01): 1,000 threads, 5 messages each, all said at once.
func TestManyThreadsAtOnce(t *testing.T) {
	t.Parallel()
	unraced(t)
	threads := atSize(40, 1000)
	l := newPressure(t, true, 100)
	l.start()
	roots := make([]string, threads)
	for n := range 5 {
		for i := range roots {
			if root := l.ask(i%100, i, n, roots[i]); n == 0 {
				roots[i] = root
			}
		}
	}
	l.allAnswered()
}

// TestAFloodOfMessages (scorecard E02): 10,000 questions in 60 s, half of them in one channel. Each is
// acknowledged within Slack's three seconds, and the quiet channels do not wait behind the noisy one.
func TestAFloodOfMessages(t *testing.T) {
	t.Parallel()
	unraced(t)
	length := time.Duration(atSize(1, 60)) * time.Second
	l := newPressure(t, false, 51)
	l.start()
	l.slack.Deliver("http://" + l.addr)
	every(t.Context(), 6*time.Millisecond, length, func(n int) {
		channel := 0 // noisy
		if n%2 == 1 {
			channel = 1 + n/2%50
		}
		l.ask(channel, n, 0, "")
	})
	l.allAnswered()
	l.acknowledged()
	var quiet, noisy []time.Duration
	l.mu.Lock()
	defer l.mu.Unlock()
	for mark, at := range l.asked {
		var thread int
		_, _ = fmt.Sscanf(mark, "m%d-", &thread) // marks are ours
		if took := l.answered[mark].Sub(at); thread%2 == 1 {
			quiet = append(quiet, took)
		} else {
			noisy = append(noisy, took)
		}
	}
	t.Logf("%d questions; quiet channels p50 %.0f ms, p99 %.0f ms; the noisy one %.0f and %.0f ms", len(l.asked),
		milliseconds(quiet, 50), milliseconds(quiet, 99), milliseconds(noisy, 50), milliseconds(noisy, 99))
	if wholeSize() && milliseconds(quiet, 99) > 2*milliseconds(noisy, 99)+1000 {
		t.Error("the quiet channels wait longer than the noisy one")
	}
}

// TestSteadyLoad (scorecard E03 and E07, scaled): as many events as Slack sends in an hour at most, 30,000, in
// six minutes, half of them questions. Neither the queue nor goroutines, descriptors or memory grow.
func TestSteadyLoad(t *testing.T) {
	t.Parallel()
	unraced(t)
	length := time.Duration(atSize(3, 360)) * time.Second
	l := newPressure(t, false, 50)
	l.start()
	l.slack.Deliver("http://" + l.addr)
	names := []string{"go_goroutines", "process_open_fds", "process_resident_memory_bytes"}
	grows := map[string]float64{"go_goroutines": 1.3, "process_open_fds": 1.3, "process_resident_memory_bytes": 1.5}
	sample := func() (list []float64) {
		for _, name := range names {
			list = append(list, l.metric(name))
		}
		return list
	}
	var early []float64
	begun := time.Now()
	every(t.Context(), 12*time.Millisecond, length, func(n int) {
		if n%2 == 0 {
			l.ask(n/2%50, n, 0, "")
		} else {
			l.slack.Say("U2", loadChannel(n%50), fmt.Sprint("lunch anyone? ", n), "")
		}
		if early == nil && time.Since(begun) > length/4 {
			early = sample()
		}
	})
	late, depth := sample(), l.metric("maru_inbox_depth")
	l.allAnswered()
	l.acknowledged()
	t.Logf("%v, a quarter in: %v, at the end: %v; %v items waited then", names, early, late, depth)
	if !wholeSize() {
		return
	}
	if depth > 500 {
		t.Errorf("%v items wait at the end", depth)
	}
	for i, name := range names {
		if late[i] > early[i]*grows[name]+50 {
			t.Errorf("%s grew from %v to %v", name, early[i], late[i])
		}
	}
}

// TestReplicasStartWithDueWork (scorecard E08): three replicas start together while 10,000 jobs are due, here
// messages to be removed. They stay within their pools, people are answered meanwhile, and no job is lost.
func TestReplicasStartWithDueWork(t *testing.T) {
	t.Parallel()
	unraced(t)
	due := atSize(300, 10_000)
	pg := servers.StartPostgres(t)
	l := newPressure(t, false, 1, "DATABASE_URL="+pg.URL)
	l.start() // makes the tables
	l.kill()
	conn, err := pgx.Connect(t.Context(), pg.URL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) }) // the server ends with the test
	count := func(query string) (n int) {
		t.Helper()
		if err := conn.QueryRow(t.Context(), query).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	const job = `{"run":"r%[1]s","lang":"en","ref":{"thread":{"platform":"slack","team":"T1","channel":"C80","id":"1.%[1]s"},"messages":["1.%[1]s"]}}`
	if _, err := conn.Exec(t.Context(), `INSERT INTO jobs (id, kind, person, body, at, due) SELECT 'close/r' || n, 'close', '',
		convert_to(replace($1, '%[1]s', lpad(n::text, 6, '0')), 'UTF8'), now(), now() FROM generate_series(1, $2::int) n`, job, due); err != nil {
		t.Fatal(err)
	}
	const connections = `SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`
	for count(connections) > 0 { // the server has yet to notice the kill
		pause(t.Context(), 20*time.Millisecond)
	}
	second, third := l.beside(), l.beside()
	var ready sync.WaitGroup
	for _, p := range []*program{l.program, second, third} {
		ready.Go(p.start)
	}
	ready.Wait()
	l.slack.Deliver("http://" + l.addr)
	const replicas, pool, apart = 3, 10, 3 // connections: pools, those of locks and notices, and one that is being closed
	most, left := 0, due
	for n := 0; left > due/2; n++ {
		if n%20 == 0 {
			l.ask(0, n, 0, "")
		}
		now := count(connections)
		if now > replicas*(pool+apart) { // one that is being closed is still counted when its successor is there
			pause(t.Context(), 200*time.Millisecond)
			now = min(now, count(connections))
		}
		most = max(most, now)
		left = count(`SELECT count(*) FROM jobs WHERE NOT dead`)
		pause(t.Context(), 50*time.Millisecond)
	}
	l.allAnswered()
	t.Logf("%d jobs, %d done; at most %d connections", due, due-left, most)
	if most > replicas*(pool+apart) {
		t.Errorf("%d connections of three replicas", most)
	}
	if dead := count(`SELECT count(*) FROM jobs WHERE dead`); dead > 0 {
		t.Errorf("%d jobs were given up", dead)
	}
}
