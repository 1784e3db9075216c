package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"maru/agent/graph"
	"maru/bot"
	"maru/memory/longterm"
	"maru/memory/memtest/servers"
	"maru/memory/pgstore"
	"maru/memory/redisstore"
	"maru/memory/sqlitestore"
	"maru/rag"
	"maru/rag/library"
	"maru/rag/load"
	"maru/rag/local"
)

// The homes of the walk: two Slack workspaces and a Discord guild that have the
// ids of channel, thread, person, message and document in common, and one whose
// id begins as another's does.
var homes = []bot.Thread{
	{Platform: "slack", Team: "T1", Channel: "C1", ID: "1700000000.000100"},
	{Platform: "slack", Team: "T2", Channel: "C1", ID: "1700000000.000100"},
	{Platform: "discord", Team: "T1", Channel: "C1", ID: "1700000000.000100"},
	{Platform: "slack", Team: "T10", Channel: "C1", ID: "1700000000.000100"},
}

// word returns what only one home may know.
func word(t bot.Thread) string { return "shade-of-" + t.Platform + t.Team }

func must(t *testing.T, what string, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

// TestNoStoreMixesWorkspaces walks every store with ids that collide.
func TestNoStoreMixesWorkspaces(t *testing.T) {
	t.Parallel()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		s, err := sqlitestore.Open(t.Context(), sqlitestore.Config{Path: filepath.Join(t.TempDir(), "maru.db")})
		must(t, "open", err)
		t.Cleanup(func() { _ = s.Close() })
		walkRecord(t, s, s.Memory())
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		s, err := pgstore.Open(t.Context(), pgstore.Config{URL: servers.Postgres(t), Schema: servers.Name()})
		must(t, "open", err)
		t.Cleanup(func() { _ = s.Close() })
		walkRecord(t, s, s.Memory())
	})
	t.Run("redis", func(t *testing.T) {
		t.Parallel()
		s, err := redisstore.Open(t.Context(), redisstore.Config{URL: servers.Redis(t), Prefix: servers.Name() + ":", Timeout: atMost})
		must(t, "open", err)
		t.Cleanup(func() { _ = s.Close() })
		walkHot(t, s)
	})
	t.Run("documents", func(t *testing.T) {
		t.Parallel()
		index, err := local.Open(t.Context(), local.Config{Dir: t.TempDir()})
		must(t, "open", err)
		t.Cleanup(func() { _ = index.Close() })
		walkDocuments(t, index)
	})
}

// walkRecord writes the same into each home of a record and reads what each can
// see, then removes one.
func walkRecord(t *testing.T, r record, memories longterm.Store) {
	t.Helper()
	memory := longterm.New(longterm.Config{Store: memories, Now: time.Now})
	for _, h := range homes {
		fill(t, r, memory, h)
	}
	for _, h := range homes {
		look(t, r, memory, h, true)
	}
	keys, err := r.TeamThreads(t.Context(), homes[0].Platform, homes[0].Team, 10)
	must(t, "threads", err)
	for _, key := range keys { // as the bot does
		must(t, "forget", r.Forget(t.Context(), key))
	}
	must(t, "purge", r.Purge(t.Context(), homes[0].Platform, homes[0].Team))
	for i, h := range homes {
		look(t, r, memory, h, i > 0)
	}
}

// owner returns the person of a home, who has the same id in each.
func owner(h bot.Thread) longterm.Owner {
	place := "channel:" + h.TeamKey() + "/" + h.Channel
	return longterm.Owner{Workspace: h.TeamKey(), Person: h.TeamKey() + "/U1", Scopes: []string{place, "team:" + h.TeamKey()}, Home: place}
}

func fill(t *testing.T, r record, memory *longterm.Memory, h bot.Thread) {
	t.Helper()
	ctx, key, secret := t.Context(), h.Key(), word(h)
	m := bot.Message{ID: "1", Order: "1", Thread: h, User: bot.User{ID: "U1"}, Text: secret, At: time.Now()}
	body, err := json.Marshal(m)
	must(t, "encode", err)
	fresh, err := r.Put(ctx, bot.Item{ID: m.Key(), Thread: key, Kind: bot.ItemMessage, Order: "1", Body: body,
		Entry: &bot.Entry{ID: m.Key(), Thread: key, User: "U1", Text: secret, At: m.At}})
	if err != nil || !fresh {
		t.Fatalf("%s: the message was taken for another's: %v, %v", key, fresh, err)
	}
	lease, ok, err := r.Claim(ctx, key, "worker", time.Minute)
	if err != nil || !ok {
		t.Fatalf("%s: no lease: %v", key, err)
	}
	run := "run-" + h.Platform + h.Team
	_, created, err := r.Open(ctx, lease, bot.Reply{Run: run, Item: m.Key()})
	if err != nil || !created {
		t.Fatalf("%s: the reply was taken for another's: %v, %v", key, created, err)
	}
	must(t, "ref", r.SetRef(ctx, lease, run, bot.Ref{Thread: h, Messages: []string{"9"}}))
	must(t, "approval", r.CreateApproval(ctx, lease, bot.Approval{ID: "approval-" + run, Kind: "plan", Thread: key, Run: run, State: bot.ApprovalPending, Payload: []byte(`"` + secret + `"`)}))
	must(t, "run", r.SaveRun(ctx, bot.Run{ID: run, Thread: key, User: "U1", Agent: secret, Day: "2026-11-21", Usage: []byte(`{"calls":1}`)}))
	for _, place := range []string{h.TeamKey(), h.TeamKey() + "/" + h.Channel, key, "user:" + h.TeamKey() + "/U1"} {
		must(t, "setting", r.SetSetting(ctx, bot.Setting{Place: place, Key: "persona", Value: []byte(`"` + secret + `"`), By: "U1"}))
	}
	must(t, "log", r.Append(ctx, lease.Token, graph.Record{Thread: key, Seq: 1, Kind: graph.RecordKind("step"), Turn: run, At: time.Now(), Body: []byte(`"` + secret + `"`)}))
	must(t, "memory", memory.Preferences.Consolidate(ctx, owner(h), "session", time.Now(), longterm.PreferenceLesson{
		Type: longterm.Fact, Subject: "favourite colour", Value: secret, Quote: "my favourite colour is " + secret,
	}))
	must(t, "finish", r.Finish(ctx, lease, m.Key(), bot.Outcome{Title: secret, Jobs: []bot.Job{{ID: "job-" + key, Kind: "k", Person: h.TeamKey() + "/U1", Body: []byte(`{}`), At: time.Now().Add(time.Hour)}}}))
}

// look reads everything that can be read of a home. Each of it must be the
// home's own, or, when it is empty, nothing.
func look(t *testing.T, r record, memory *longterm.Memory, h bot.Thread, full bool) {
	t.Helper()
	ctx, key := t.Context(), h.Key()
	seen := func(what string, n int, v any) {
		t.Helper()
		raw, err := json.Marshal(v)
		must(t, what, err)
		text := string(raw)
		for _, other := range homes {
			if other != h && strings.Contains(text, word(other)+`"`) {
				t.Errorf("%s: %s shows what %s said: %s", key, what, other.Key(), text)
			}
		}
		switch {
		case full && n != 1:
			t.Errorf("%s: %s has %d rows: %s", key, what, n, text)
		case !full && n != 0:
			t.Errorf("%s: %s was not removed: %s", key, what, text)
		}
	}
	entries, err := r.Transcript(ctx, key, 10)
	must(t, "transcript", err)
	seen("transcript", len(entries), entries)
	threads, err := r.Threads(ctx, h.Platform, h.Team, h.Channel, 10)
	must(t, "threads", err)
	seen("threads", len(threads), threads)
	runs, err := r.RunsOf(ctx, key, 10)
	must(t, "runs", err)
	seen("runs", len(runs), runs)
	used, err := r.Usage(ctx, bot.UsageQuery{Team: h.TeamKey()})
	must(t, "usage", err)
	seen("usage", len(used), used)
	pending, err := r.PendingApprovals(ctx, key, 10)
	must(t, "approvals", err)
	seen("approvals", len(pending), pending)
	for _, place := range []string{h.TeamKey(), h.TeamKey() + "/" + h.Channel, key, "user:" + h.TeamKey() + "/U1"} {
		set, err := r.SettingsOf(ctx, []string{place})
		must(t, "settings", err)
		for i := range set {
			set[i].Value = json.RawMessage(strings.TrimSpace(string(set[i].Value)))
		}
		seen("settings of "+place, len(set), set)
	}
	logs, err := r.Load(ctx, key, "")
	must(t, "log", err)
	seen("log", len(logs), logs)
	found, err := memory.Recall(ctx, owner(h), "what is my favourite colour?", 500)
	must(t, "memory", err)
	n := 0
	if raw, err := json.Marshal(found); err == nil && strings.Contains(string(raw), word(h)) {
		n = 1
	}
	seen("memory", n, found)
	if audit, err := r.AuditLog(ctx, h.TeamKey(), 0, 10); err != nil || len(audit) != 4 {
		t.Errorf("%s: audit log of %d entries, %v", key, len(audit), err)
	}
}

// walkHot does the same with what is live.
func walkHot(t *testing.T, s *redisstore.Store) {
	t.Helper()
	ctx, hot := t.Context(), s.Hot()
	for _, h := range homes {
		must(t, "put", hot.Put(ctx, h.Key(), 0, 1, map[string]json.RawMessage{"messages": json.RawMessage(`"` + word(h) + `"`)}, true))
	}
	must(t, "drop", hot.Drop(ctx, homes[0].Key()))
	for i, h := range homes {
		state, _, ok, err := hot.Get(ctx, h.Key())
		must(t, "get", err)
		if ok != (i > 0) || ok && string(state["messages"]) != `"`+word(h)+`"` {
			t.Errorf("%s: live state %q, %v", h.Key(), state["messages"], ok)
		}
	}
}

// walkDocuments adds a document of one name to each home and searches it.
func walkDocuments(t *testing.T, index *local.Index) {
	t.Helper()
	ctx := t.Context()
	lib := library.New(library.Config{Index: index, Loader: load.New(load.Config{}), Now: time.Now, MaxFile: 1 << 20})
	scopes := func(h bot.Thread) []string {
		return []string{bot.ScopePublic, "channel:" + h.TeamKey() + "/" + h.Channel, "team:" + h.TeamKey()}
	}
	for _, h := range homes {
		for _, scope := range scopes(h)[1:] {
			_, err := lib.Add(ctx, bot.NewDocument{Scope: scope, Name: "rules.md", MIME: "text/markdown", By: "U1",
				Body: strings.NewReader("# Vacation rules\n\nThe vacation rule here is " + word(h) + ".\n")})
			must(t, "add", err)
		}
	}
	check := func(h bot.Thread, want int) {
		t.Helper()
		docs, err := lib.Documents(ctx, scopes(h))
		must(t, "documents", err)
		hits, err := lib.Search(ctx, rag.Query{Text: "vacation rule", Scopes: scopes(h), Limit: 10, Repeats: true, Threshold: -1})
		must(t, "search", err)
		if len(docs) != want || len(hits) != want {
			t.Errorf("%s: %d documents, %d hits, want %d", h.Key(), len(docs), len(hits), want)
		}
		for _, hit := range hits {
			if !strings.Contains(hit.Chunk.Text, word(h)+".") {
				t.Errorf("%s finds %q", h.Key(), hit.Chunk.Text)
			}
		}
	}
	for _, h := range homes {
		check(h, 2)
	}
	must(t, "purge", lib.PurgeTeam(ctx, homes[0].TeamKey()))
	for i, h := range homes {
		want := 2
		if i == 0 {
			want = 0
		}
		check(h, want)
	}
}
