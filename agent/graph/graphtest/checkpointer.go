package graphtest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"maru/agent/graph"
)

// RunCheckpointer is the conformance suite of [graph.Checkpointer]. open is called once; the store closes itself by
// tb.Cleanup.
func RunCheckpointer(t *testing.T, open func(tb testing.TB) graph.Checkpointer) {
	t.Helper()
	cp := open(t)
	for name, fn := range map[string]func(*testing.T, graph.Checkpointer){
		"unknown_thread_is_empty":                 unknownThread,
		"records_come_back_as_they_were":          roundTrip,
		"odd_names_and_large_bodies":              oddNames,
		"second_writer_of_a_seq_conflicts":        conflict,
		"a_batch_is_written_whole_or_not_at_all":  batch,
		"a_gap_is_refused":                        gap,
		"namespaces_and_threads_are_separate":     separate,
		"load_begins_at_the_newest_snapshot":      loadSnapshot,
		"history_is_a_range":                      history,
		"prune_keeps_what_load_needs":             prune,
		"prune_without_snapshot_removes_nothing":  pruneNothing,
		"delete_removes_all_namespaces":           deleteThread,
		"dropping_a_namespace_takes_those_below":  dropNamespace,
		"newer_fence_refuses_the_older_writer":    fence,
		"racing_writers_never_fork":               race,
		"cancelled_context_is_an_error":           cancelled,
		"returned_records_are_the_callers":        copies,
		"appending_nothing_is_no_error":           appendNothing,
		"writers_of_different_threads_do_not_mix": manyThreads,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fn(t, cp)
		})
	}
}

func wantSeqs(t *testing.T, got []graph.Record, want ...int64) {
	t.Helper()
	if !slices.Equal(seqs(got), append([]int64{}, want...)) {
		t.Fatalf("records %v, want %v", seqs(got), want)
	}
}

func load(t *testing.T, cp graph.Checkpointer, thread, ns string) []graph.Record {
	t.Helper()
	got, err := cp.Load(t.Context(), thread, ns)
	must(t, err)
	return got
}

func wantHead(t *testing.T, cp graph.Checkpointer, thread, ns string, want int64) {
	t.Helper()
	got, err := cp.Head(t.Context(), thread, ns)
	must(t, err)
	if got != want {
		t.Fatalf("head %d, want %d", got, want)
	}
}

func unknownThread(t *testing.T, cp graph.Checkpointer) {
	th := threadName(t)
	wantSeqs(t, load(t, cp, th, ""))
	wantHead(t, cp, th, "", 0)
	got, err := cp.History(t.Context(), th, "", 1, 100, 0)
	must(t, err)
	wantSeqs(t, got)
	must(t, cp.Prune(t.Context(), th, "", 1))
	must(t, cp.Delete(t.Context(), th))
}

func roundTrip(t *testing.T, cp graph.Checkpointer) {
	th := threadName(t)
	want := rec(th, "", 1, graph.RecordInput)
	want.Body = json.RawMessage(`{"z":1, "a" : [1.50,1e3,"가나 <&> \u00e9"],"z2":null}`)
	must(t, cp.Append(t.Context(), 0, want))
	second := rec(th, "", 2, graph.RecordStep)
	second.Turn, second.Step, second.Body = "", 0, json.RawMessage(`{}`)
	must(t, cp.Append(t.Context(), 0, second))
	got := load(t, cp, th, "")
	wantSeqs(t, got, 1, 2)
	for i, w := range []graph.Record{want, second} {
		g := got[i]
		if !bytes.Equal(g.Body, w.Body) {
			t.Errorf("body %s, want it byte for byte: %s", g.Body, w.Body)
		}
		if !g.At.Equal(w.At) {
			t.Errorf("time %v, want %v", g.At, w.At)
		}
		if g.Thread != w.Thread || g.NS != w.NS || g.Kind != w.Kind || g.Step != w.Step || g.Turn != w.Turn || g.Plan != w.Plan {
			t.Errorf("record %+v, want %+v", g, w)
		}
	}
}

func oddNames(t *testing.T, cp graph.Checkpointer) {
	for _, name := range []string{
		`slack/T1/C1/1712.3456`, `마루 "방" 'x' {*} %s \ ?`, "a:b|c", strings.Repeat("long", 60), "tab\tand\nline",
	} {
		th := threadName(t) + name
		r := rec(th, "sub:1.0/또:2.3", 1, graph.RecordSnapshot)
		r.Turn = name
		r.Body = json.RawMessage(`{"u":"` + strings.Repeat("한", 1<<18) + `"}`)
		must(t, cp.Append(t.Context(), 0, r))
		got := load(t, cp, th, r.NS)
		wantSeqs(t, got, 1)
		if got[0].Thread != th || got[0].NS != r.NS || got[0].Turn != name || !bytes.Equal(got[0].Body, r.Body) {
			t.Errorf("record of thread %q came back changed", name)
		}
		must(t, cp.Delete(t.Context(), th))
		wantHead(t, cp, th, r.NS, 0)
	}
}

func conflict(t *testing.T, cp graph.Checkpointer) {
	th := threadName(t)
	must(t, cp.Append(t.Context(), 0, steps(th, "", 1, 3)...))
	for _, seq := range []int64{1, 2, 3} {
		if err := cp.Append(t.Context(), 0, rec(th, "", seq, graph.RecordStep)); !errors.Is(err, graph.ErrConflict) {
			t.Errorf("append of seq %d again: %v, want ErrConflict", seq, err)
		}
	}
	wantHead(t, cp, th, "", 3)
}

func batch(t *testing.T, cp graph.Checkpointer) {
	th := threadName(t)
	must(t, cp.Append(t.Context(), 0, steps(th, "", 1, 2)...))
	if err := cp.Append(t.Context(), 0, steps(th, "", 2, 5)...); !errors.Is(err, graph.ErrConflict) {
		t.Fatalf("batch over an existing seq: %v, want ErrConflict", err)
	}
	wantHead(t, cp, th, "", 2)
	must(t, cp.Append(t.Context(), 0, steps(th, "", 3, 6, 6)...))
	wantHead(t, cp, th, "", 6)
	wantSeqs(t, load(t, cp, th, ""), 6)
}

func gap(t *testing.T, cp graph.Checkpointer) {
	th := threadName(t)
	for _, seq := range []int64{0, 2} {
		err := cp.Append(t.Context(), 0, rec(th, "", seq, graph.RecordStep))
		if err == nil || (seq > 0 && errors.Is(err, graph.ErrConflict)) {
			t.Fatalf("first record with seq %d: %v, want an error other than a conflict", seq, err)
		}
	}
	must(t, cp.Append(t.Context(), 0, steps(th, "", 1, 2)...))
	if err := cp.Append(t.Context(), 0, rec(th, "", 4, graph.RecordStep)); err == nil || errors.Is(err, graph.ErrConflict) {
		t.Fatalf("append after a gap: %v, want an error other than a conflict", err)
	}
	wantHead(t, cp, th, "", 2)
}

func separate(t *testing.T, cp graph.Checkpointer) {
	th := threadName(t)
	logs := [][2]string{{th, ""}, {th, "sub:1.0"}, {th, "sub:1.01"}, {th + "/x", ""}, {th + ":sub", "1.0"}, {th + "%", ""}}
	for i, l := range logs {
		must(t, cp.Append(t.Context(), 0, steps(l[0], l[1], 1, int64(i+1))...))
	}
	for i, l := range logs {
		wantHead(t, cp, l[0], l[1], int64(i+1))
		if got := load(t, cp, l[0], l[1]); len(got) != i+1 {
			t.Errorf("log %q has %d records, want %d", l, len(got), i+1)
		}
	}
	must(t, cp.Delete(t.Context(), th))
	for i, l := range logs {
		want := int64(i + 1)
		if l[0] == th {
			want = 0
		}
		wantHead(t, cp, l[0], l[1], want)
	}
}

func loadSnapshot(t *testing.T, cp graph.Checkpointer) {
	th := threadName(t)
	must(t, cp.Append(t.Context(), 0, steps(th, "", 1, 12, 4, 9)...))
	wantSeqs(t, load(t, cp, th, ""), 9, 10, 11, 12)
	must(t, cp.Append(t.Context(), 0, rec(th, "", 13, graph.RecordSnapshot)))
	wantSeqs(t, load(t, cp, th, ""), 13)
}

func history(t *testing.T, cp graph.Checkpointer) {
	th := threadName(t)
	must(t, cp.Append(t.Context(), 0, steps(th, "", 1, 12, 4, 9)...))
	for _, c := range []struct {
		from, to int64
		limit    int
		want     []int64
	}{
		{1, 12, 0, []int64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}},
		{3, 5, 0, []int64{3, 4, 5}},
		{3, 12, 2, []int64{3, 4}},
		{11, 99, 0, []int64{11, 12}},
		{0, 2, 0, []int64{1, 2}},
		{13, 20, 0, nil},
		{5, 4, 0, nil},
	} {
		got, err := cp.History(t.Context(), th, "", c.from, c.to, c.limit)
		must(t, err)
		wantSeqs(t, got, c.want...)
	}
}

func prune(t *testing.T, cp graph.Checkpointer) {
	th := threadName(t)
	must(t, cp.Append(t.Context(), 0, steps(th, "", 1, 12, 4, 9)...))
	must(t, cp.Append(t.Context(), 0, steps(th, "other", 1, 3)...))
	must(t, cp.Prune(t.Context(), th, "", 2))
	got, err := cp.History(t.Context(), th, "", 1, 99, 0)
	must(t, err)
	wantSeqs(t, got, 7, 8, 9, 10, 11, 12)
	must(t, cp.Prune(t.Context(), th, "", 0))
	must(t, cp.Prune(t.Context(), th, "", 0))
	got, err = cp.History(t.Context(), th, "", 1, 99, 0)
	must(t, err)
	wantSeqs(t, got, 9, 10, 11, 12)
	wantSeqs(t, load(t, cp, th, ""), 9, 10, 11, 12)
	wantHead(t, cp, th, "", 12)
	wantHead(t, cp, th, "other", 3)
	must(t, cp.Append(t.Context(), 0, rec(th, "", 13, graph.RecordStep)))
	if err := cp.Append(t.Context(), 0, rec(th, "", 3, graph.RecordStep)); err == nil {
		t.Fatal("a pruned seq was written again")
	}
}

func pruneNothing(t *testing.T, cp graph.Checkpointer) {
	th := threadName(t)
	must(t, cp.Append(t.Context(), 0, steps(th, "", 1, 5)...))
	must(t, cp.Prune(t.Context(), th, "", 0))
	wantSeqs(t, load(t, cp, th, ""), 1, 2, 3, 4, 5)
}

func dropNamespace(t *testing.T, cp graph.Checkpointer) {
	d, ok := cp.(graph.NamespaceDropper)
	if !ok {
		t.Skip("this store leaves a small record of a namespace")
	}
	th, other := threadName(t), threadName(t)+"-other"
	gone := []string{"a:1.0", "a:1.0/b:2.0", "a:1.0/b:2.0/c:3.0"}
	// Names that begin as the dropped one does, or hold signs that patterns use.
	stay := []string{"", "a:1.01", "a:1.0b", "a:1.0-", "a:1.0!/b", "a:1", "b/a:1.0", "a:1_0/b", "a:1%0/b", "A:1.0", "A:1.0/b"}
	for _, ns := range append(slices.Clone(gone), stay...) {
		must(t, cp.Append(t.Context(), 0, steps(th, ns, 1, 3, 2)...))
	}
	must(t, cp.Append(t.Context(), 0, steps(other, "a:1.0", 1, 3)...))
	for range 2 {
		must(t, d.DropNamespace(t.Context(), th, "a:1.0"))
	}
	must(t, d.DropNamespace(t.Context(), th, "never"))
	for _, ns := range gone {
		wantSeqs(t, load(t, cp, th, ns))
		wantHead(t, cp, th, ns, 0)
	}
	for _, ns := range stay {
		wantHead(t, cp, th, ns, 3)
	}
	wantHead(t, cp, other, "a:1.0", 3)
	must(t, cp.Append(t.Context(), 0, rec(th, "a:1.0", 1, graph.RecordInput))) // and it may begin again
	must(t, cp.Delete(t.Context(), th))
	wantHead(t, cp, th, "a:1.0", 0)
	wantHead(t, cp, th, "b/a:1.0", 0)
}

func deleteThread(t *testing.T, cp graph.Checkpointer) {
	th := threadName(t)
	for _, ns := range []string{"", "a:1.0", "a:1.0/b:2.0"} {
		must(t, cp.Append(t.Context(), 0, steps(th, ns, 1, 3, 2)...))
	}
	must(t, cp.Delete(t.Context(), th))
	must(t, cp.Delete(t.Context(), th))
	for _, ns := range []string{"", "a:1.0", "a:1.0/b:2.0"} {
		wantSeqs(t, load(t, cp, th, ns))
		wantHead(t, cp, th, ns, 0)
	}
	must(t, cp.Append(t.Context(), 0, rec(th, "", 1, graph.RecordInput)))
	wantHead(t, cp, th, "", 1)
}

func fence(t *testing.T, cp graph.Checkpointer) {
	th := threadName(t)
	must(t, cp.Append(t.Context(), 7, rec(th, "", 1, graph.RecordInput)))
	must(t, cp.Append(t.Context(), 7, rec(th, "", 2, graph.RecordStep)))
	must(t, cp.Append(t.Context(), 0, rec(th, "", 3, graph.RecordStep)))
	f, ok := cp.(Fencer)
	if !ok {
		t.Skip("the checkpointer has no RaiseFence: leases are checked by its own tests")
	}
	must(t, f.RaiseFence(t.Context(), th, 8))
	for _, ns := range []string{"", "sub"} {
		seq := int64(4)
		if ns != "" {
			seq = 1
		}
		if err := cp.Append(t.Context(), 7, rec(th, ns, seq, graph.RecordStep)); !errors.Is(err, graph.ErrFenced) {
			t.Errorf("append with an old fence to namespace %q: %v, want ErrFenced", ns, err)
		}
	}
	wantHead(t, cp, th, "", 3)
	must(t, cp.Append(t.Context(), 8, rec(th, "", 4, graph.RecordStep)))
}

// race lets writers fight for every sequence number of one thread.
func race(t *testing.T, cp graph.Checkpointer) {
	th := threadName(t)
	const writers, rounds = 4, 25
	var (
		wg  sync.WaitGroup
		won atomic.Int64
	)
	for w := range writers {
		wg.Go(func() {
			for range rounds {
				head, err := cp.Head(t.Context(), th, "")
				if err != nil {
					t.Errorf("head: %v", err)
					return
				}
				r := rec(th, "", head+1, graph.RecordStep)
				r.Turn = string(rune('a' + w))
				switch err := cp.Append(t.Context(), 0, r); {
				case err == nil:
					won.Add(1)
				case !errors.Is(err, graph.ErrConflict):
					t.Errorf("append: %v, want nil or ErrConflict", err)
				}
			}
		})
	}
	wg.Wait()
	wantHead(t, cp, th, "", won.Load())
	for i, r := range load(t, cp, th, "") {
		if r.Seq != int64(i+1) {
			t.Fatalf("record %d has seq %d", i, r.Seq)
		}
	}
}

func cancelled(t *testing.T, cp graph.Checkpointer) {
	th := threadName(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := cp.Append(ctx, 0, rec(th, "", 1, graph.RecordInput)); err == nil {
		t.Error("append with a cancelled context succeeded")
	}
	if _, err := cp.Load(ctx, th, ""); err == nil {
		t.Error("load with a cancelled context succeeded")
	}
	wantHead(t, cp, th, "", 0)
}

func copies(t *testing.T, cp graph.Checkpointer) {
	th := threadName(t)
	r := rec(th, "", 1, graph.RecordInput)
	want := bytes.Clone(r.Body)
	must(t, cp.Append(t.Context(), 0, r))
	copy(r.Body, "xxxx")
	if got := load(t, cp, th, ""); !bytes.Equal(got[0].Body, want) {
		t.Fatal("the store kept the caller's slice")
	}
}

func appendNothing(t *testing.T, cp graph.Checkpointer) {
	must(t, cp.Append(t.Context(), 0))
}

func manyThreads(t *testing.T, cp graph.Checkpointer) {
	th := threadName(t)
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			mine := th + string(rune('a'+w))
			for seq := int64(1); seq <= 10; seq++ {
				r := rec(mine, "", seq, graph.RecordStep)
				r.At = r.At.Add(time.Duration(w) * time.Hour)
				if err := cp.Append(t.Context(), 0, r); err != nil {
					t.Errorf("append to %s: %v", mine, err)
				}
			}
		})
	}
	wg.Wait()
	for w := range 4 {
		wantHead(t, cp, th+string(rune('a'+w)), "", 10)
	}
}
