package main

import (
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
	keys, err := client.Keys(t.Context(), "maru:hot:*").Result()
	if err != nil || len(keys) != 1 {
		t.Fatalf("live threads in Redis: %v, %v", keys, err)
	}
	window, err := client.HGet(t.Context(), keys[0], "messages").Result()
	if err != nil || !strings.Contains(window, "my name is Kim") {
		t.Errorf("the window in Redis: %s, %v", window, err)
	}

	if err := client.FlushAll(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	p.tell("t", "who am I?")
	p.hears("t", 4, "my name is Kim / who am I?")

	p.kill() // and nothing of it is in this process any more
	if err := client.FlushAll(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	p.start()
	p.tell("t", "still?")
	p.hears("t", 6, "my name is Kim / who am I? / still?")

	rd.Stop() // a Redis that is away costs nothing but time
	p.tell("t", "without Redis?")
	p.hears("t", 8, "still? / without Redis?")
	if state := p.operator("/readyz?verbose"); !strings.Contains(state, `"ready":true`) || !strings.Contains(state, `"redis":"not ready"`) {
		t.Errorf("readyz without Redis: %s", state)
	}
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
