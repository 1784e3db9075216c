package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"maru/memory/memtest/servers"
)

// TestRedisMayForget runs the program on PostgreSQL and Redis and flushes Redis
// in mid-conversation.
func TestRedisMayForget(t *testing.T) {
	t.Parallel()
	pg := servers.StartPostgres(t)
	rd := servers.StartRedis(t)
	model := brain(t)
	p := newProgram(t, "DATABASE_URL="+pg.URL, "REDIS_URL="+rd.URL, "OPENAI_BASE_URL="+model.URL, "OPENAI_MODEL=test")
	p.start()
	opt, err := redis.ParseURL(rd.URL)
	if err != nil {
		t.Fatal(err)
	}
	client := redis.NewClient(opt)
	defer client.Close()

	p.tell("t", "my name is Kim")
	p.hears("t", 2, "my name is Kim")
	if window := liveWindow(p, client); !strings.Contains(window, "my name is Kim") {
		t.Errorf("the window in Redis: %s", window)
	}

	if err := client.FlushAll(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	said := len(p.lines("t"))
	p.tell("t", "who am I?")
	p.hears("t", said+2, "my name is Kim / who am I?")

	p.kill() // and nothing of it is in this process any more
	if err := client.FlushAll(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	p.start()
	p.tell("t", "still?")
	p.hears("t", said+4, "my name is Kim / who am I? / still?")

	rd.Stop() // a Redis that is away costs nothing but time
	p.tell("t", "without Redis?")
	p.hears("t", said+6, "still? / without Redis?")
	if state := p.operator("/readyz?verbose"); !strings.Contains(state, `"ready":true`) || !strings.Contains(state, `"redis":"not ready"`) {
		t.Errorf("readyz without Redis: %s", state)
	}
	if state := p.operator("/readyz?verbose"); !strings.Contains(state, `"reasons":{"redis":"`) || !strings.Contains(state, "refused") {
		t.Errorf("the operator is not told why Redis is not ready: %s", state)
	}
	if _, state := p.get("/readyz?verbose"); !strings.Contains(state, `"redis":"not ready"`) || strings.Contains(state, "reasons") {
		t.Errorf("the main listener, which anybody may reach: %s", state)
	}
}

// liveWindow returns the messages of a thread as Redis has them. A busy machine
// may keep Redis from answering in the few milliseconds that a turn waits for
// it; then a later turn writes the window.
func liveWindow(p *program, client *redis.Client) string {
	p.t.Helper()
	for n := range 10 {
		keys, err := client.Keys(p.t.Context(), "maru:hot:{web/local/home/t#chat}").Result()
		if err != nil {
			p.t.Fatal(err)
		}
		if len(keys) == 1 {
			window, err := client.HGet(p.t.Context(), keys[0], "messages").Result()
			if err != nil {
				p.t.Fatal(err)
			}
			return window
		}
		other := fmt.Sprint("warm-", n) // opens the connection, changes nothing here
		p.tell(other, "hello")
		p.hears(other, 2, "hello")
		p.tell("t", "my name is Kim")
		p.hears("t", 2*n+4, "my name is Kim")
	}
	return ""
}

// TestTwoReplicasShareAThread answers each message once, whichever replica took
// it in.
func TestTwoReplicasShareAThread(t *testing.T) {
	t.Parallel()
	pg := servers.StartPostgres(t)
	model := brain(t)
	env := []string{"DATABASE_URL=" + pg.URL, "OPENAI_BASE_URL=" + model.URL, "OPENAI_MODEL=test"}
	one, two := newProgram(t, env...), newProgram(t, env...)
	one.start()
	two.start()
	one.tell("t", "first")
	one.hears("t", 2, "You said: first")
	two.tell("t", "second")
	two.hears("t", 4, "first / second")
	one.kill()
	two.tell("t", "third")
	two.hears("t", 6, "first / second / third")
}
