package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"database/sql"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/redis/go-redis/v9"

	"maru/agent/llm/llmtest"
	"maru/memory/memtest/servers"
	"maru/phrase"
)

// canary is a word that nobody but the person who is forgotten has said.
const canary = "zq7canary"

// TestForgetMe searches the embedded record: after "/maru forget me" has answered, a person's words are in no table, no key and
// no file, the receipt counts them, no later prompt holds them, and a second
// call finds nothing.
func TestForgetMe(t *testing.T) {
	t.Parallel()
	model := mindful(t)
	w := newSlackWorld(t, model)
	w.start()
	w.liveAndForget(model)
	for path, where := range filesWith(t, w.dir) {
		t.Errorf("%s holds the canary: …%q…", path, where)
	}
	if err := w.stop(); err != nil {
		t.Errorf("stopped with %v", err)
	}
	db, err := sql.Open("sqlite", filepath.Join(w.dir, "data", "maru.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	tables := 0
	for _, name := range column(t, func(q string) ([]string, error) { return sqliteRows(t.Context(), db, q) }, `SELECT name FROM sqlite_master WHERE type = 'table'`) {
		tables++
		rows := column(t, func(q string) ([]string, error) { return sqliteRows(t.Context(), db, q) }, `SELECT * FROM "`+name+`"`)
		holds(t, "table "+name, rows)
	}
	t.Logf("%d tables and every file searched, residual rows 0", tables)
}

// TestForgetMeOnServers is the same on PostgreSQL and Redis.
func TestForgetMeOnServers(t *testing.T) {
	t.Parallel()
	pg, rd := servers.StartPostgres(t), servers.StartRedis(t)
	model := mindful(t)
	w := newSlackWorld(t, model, "DATABASE_URL="+pg.URL, "REDIS_URL="+rd.URL)
	w.start()
	w.liveAndForget(model)
	for path, where := range filesWith(t, w.dir) {
		t.Errorf("%s holds the canary: …%q…", path, where)
	}
	conn, err := pgx.Connect(t.Context(), pg.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	tables := column(t, func(q string) ([]string, error) { return pgColumn(t.Context(), conn, q) },
		`SELECT quote_ident(table_schema) || '.' || quote_ident(table_name) FROM information_schema.tables WHERE table_schema NOT IN ('pg_catalog', 'information_schema')`)
	for _, name := range tables {
		holds(t, "table "+name, column(t, func(q string) ([]string, error) { return pgColumn(t.Context(), conn, q) }, `SELECT r::text FROM `+name+` r`))
	}
	keys := redisValues(t, rd.URL)
	for key, value := range keys {
		holds(t, "key "+key, []string{value})
	}
	if len(tables) < 15 || len(keys) == 0 {
		t.Errorf("only %d tables and %d keys were searched", len(tables), len(keys))
	}
	t.Logf("%d tables and %d keys searched, residual rows 0", len(tables), len(keys))
}

// TestForgetMeOnTwoReplicas forgets where live threads are in the processes:
// whichever of two answers next holds nothing of before.
func TestForgetMeOnTwoReplicas(t *testing.T) {
	t.Parallel()
	pg := servers.StartPostgres(t)
	model := mindful(t)
	w := newSlackWorld(t, model, "DATABASE_URL="+pg.URL)
	w.start()
	second := &slackWorld{program: w.beside(), slack: w.slack}
	second.start()
	w.liveAndForget(model)
	for _, p := range []*slackWorld{w, second} {
		for path, where := range filesWith(t, p.dir) {
			t.Errorf("%s holds the canary: …%q…", path, where)
		}
	}
}

// liveAndForget lets a person leave words everywhere, forgets them and looks at
// the receipts and at what later prompts hold.
func (w *slackWorld) liveAndForget(model *llmtest.Server) {
	t := w.t
	t.Helper()
	// Somebody else's thread comes first: what they were answered stays.
	shared := w.slack.Say("U2", "C1", "<@UBOT> my words stay", "")
	w.await("C1", shared, 1, "my words stay")
	w.slack.Say("U1", "C1", "<@UBOT> mine is "+canary, shared)
	w.await("C1", shared, 2, canary)
	own := w.slack.Say("U1", "C1", "<@UBOT> My project is "+canary+". I prefer tables", "")
	w.await("C1", own, 1, canary)
	for i := range 11 { // until the window is summarised
		w.slack.Say("U1", "C1", fmt.Sprintf("<@UBOT> %s %d", canary, i), own)
		w.await("C1", own, i+2, canary)
	}
	direct := w.slack.Say("U1", "D1", "remember: I am "+canary, "")
	w.await("D1", direct, 1, canary)
	w.lessonsTaken()
	if len(filesWith(t, w.dir)) == 0 && !strings.Contains(strings.Join(w.env, " "), "DATABASE_URL") {
		t.Fatal("nothing to forget: the search for the canary is blind")
	}
	receipt := w.forgetMe(1)
	for _, want := range []string{"14 messages", "2 threads"} {
		if !strings.Contains(receipt, want) && !strings.Contains(receipt, koreanCount(want)) {
			t.Errorf("the receipt lacks %q: %s", want, receipt)
		}
	}
	if again := w.forgetMe(2); strings.ContainsAny(strings.NewReplacer("C1", "", "U1", "").Replace(again), "123456789") {
		t.Errorf("a second call finds something: %s", again)
	}
	asked := len(model.Chats())
	w.slack.Say("U2", "C1", "<@UBOT> and now?", shared)
	w.await("C1", shared, 3, "and now?")
	next := w.slack.Say("U1", "C1", "<@UBOT> what is my project, in tables?", "")
	w.await("C1", next, 1, "You said: what is my project, in tables?")
	for _, r := range model.Chats()[asked:] {
		for _, m := range r.Messages {
			if strings.Contains(m.Text(), canary) {
				t.Errorf("a later prompt holds the canary: %s", m.Text())
			}
		}
	}
}

// koreanCount returns what a receipt says in Korean.
func koreanCount(english string) string {
	n, what, _ := strings.Cut(english, " ")
	return map[string]string{"messages": "내 메시지 " + n + "개", "threads": "나만의 대화 " + n + "개"}[what]
}

// forgetMe gives the command and returns the n-th receipt. A slow command says before that its answer is on its way.
func (w *slackWorld) forgetMe(n int) string {
	w.t.Helper()
	w.slack.Slash("U1", "C1", "/maru", "forget me yes")
	var said []string
	err := w.slack.Wait(within(w.t, atMost), func() bool {
		said = nil
		for _, x := range w.slack.Whispers("U1") {
			if s := x.Shown(); !strings.Contains(s, phrase.Say("ko", "slack.on_its_way")) && !strings.Contains(s, phrase.Say("en", "slack.on_its_way")) {
				said = append(said, s)
			}
		}
		return len(said) >= n
	})
	if err != nil {
		w.t.Fatalf("no receipt: %q", said)
	}
	return said[n-1]
}

// holds reports where a canary was found.
func holds(t *testing.T, where string, values []string) {
	t.Helper()
	for _, v := range values {
		for _, form := range []string{canary, hex.EncodeToString([]byte(canary))} {
			if i := strings.Index(v, form); i >= 0 {
				t.Errorf("%s holds the canary: …%s…", where, v[max(0, i-200):min(len(v), i+60)])
			}
		}
	}
}

// filesWith returns the files below a folder that hold the canary, with what stands
// around it.
func filesWith(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		body, err := os.ReadFile(path)
		if i := strings.Index(string(body), canary); err == nil && i >= 0 {
			found[path] = string(body[max(0, i-120):min(len(body), i+60)])
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func column(t *testing.T, read func(string) ([]string, error), query string) []string {
	t.Helper()
	list, err := read(query)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return list
}

func pgColumn(ctx context.Context, conn *pgx.Conn, query string) ([]string, error) {
	rows, err := conn.Query(ctx, query)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// sqliteRows reads rows as text, whatever they hold.
func sqliteRows(ctx context.Context, db *sql.DB, query string) (list []string, err error) {
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	for rows.Next() {
		values, dest := make([]sql.RawBytes, len(names)), make([]any, len(names))
		for i := range values {
			dest[i] = &values[i]
		}
		if err := rows.Scan(dest...); err != nil {
			return nil, err
		}
		var line strings.Builder
		for _, v := range values {
			line.Write(v)
			line.WriteString(" " + unpacked(v))
		}
		list = append(list, strings.TrimSuffix(line.String(), " "))
	}
	return list, rows.Err()
}

// unpacked returns what a compressed value holds, "" for any other.
func unpacked(v []byte) string {
	z, err := gzip.NewReader(bytes.NewReader(v))
	if err != nil {
		return ""
	}
	text, err := io.ReadAll(io.LimitReader(z, 4<<20))
	if err != nil {
		return ""
	}
	return string(text)
}

// redisValues reads every key with what it holds.
func redisValues(t *testing.T, url string) map[string]string {
	t.Helper()
	opt, err := redis.ParseURL(url)
	if err != nil {
		t.Fatal(err)
	}
	client := redis.NewClient(opt)
	defer client.Close()
	keys, err := client.Keys(t.Context(), "*").Result()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, k := range keys {
		switch kind := client.Type(t.Context(), k).Val(); kind {
		case "hash":
			out[k] = k + fmt.Sprint(client.HGetAll(t.Context(), k).Val())
		case "string":
			out[k] = k + client.Get(t.Context(), k).Val()
		case "zset":
			out[k] = k + fmt.Sprint(client.ZRange(t.Context(), k, 0, -1).Val())
		default:
			t.Errorf("key %s is a %s, which this test does not read", k, kind)
		}
	}
	return out
}
