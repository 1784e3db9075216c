package graphtest

import (
	"encoding/json"
	"errors"
	"maps"
	"testing"

	"maru/agent/graph"
)

// RunHot checks an implementation of [graph.Hot].
func RunHot(t *testing.T, open func(tb testing.TB) graph.Hot) {
	t.Helper()
	hot := open(t)
	for name, fn := range map[string]func(*testing.T, graph.Hot){
		"unknown_thread_is_not_there":             hotUnknown,
		"whole_state_replaces":                    hotWhole,
		"changes_apply_to_the_state_they_are_for": hotChanges,
		"changes_of_another_seq_are_not_mixed_in": hotOther,
		"nil_removes_a_channel":                   hotRemove,
		"drop_is_idempotent":                      hotDrop,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fn(t, hot)
		})
	}
}

type raw = map[string]json.RawMessage

func js(s string) json.RawMessage { return json.RawMessage(s) }

func wantHot(t *testing.T, hot graph.Hot, thread string, seq int64, want raw) {
	t.Helper()
	got, at, ok, err := hot.Get(t.Context(), thread)
	must(t, err)
	same := func(a, b json.RawMessage) bool { return string(a) == string(b) }
	if !ok || at != seq || !maps.EqualFunc(got, want, same) {
		t.Fatalf("copy %s at %d (%v), want %s at %d", got, at, ok, want, seq)
	}
}

func hotUnknown(t *testing.T, hot graph.Hot) {
	_, _, ok, err := hot.Get(t.Context(), threadName(t))
	must(t, err)
	if ok {
		t.Fatal("a thread that was never put is there")
	}
}

func hotWhole(t *testing.T, hot graph.Hot) {
	th := threadName(t)
	must(t, hot.Put(t.Context(), th, 0, 3, raw{"a": js(`["x", 1]`), ".head": js(`{"가":"<&>"}`)}, true))
	wantHot(t, hot, th, 3, raw{"a": js(`["x", 1]`), ".head": js(`{"가":"<&>"}`)})
	must(t, hot.Put(t.Context(), th, 0, 9, raw{"b": js(`2`)}, true))
	wantHot(t, hot, th, 9, raw{"b": js(`2`)})
}

func hotChanges(t *testing.T, hot graph.Hot) {
	th := threadName(t)
	must(t, hot.Put(t.Context(), th, 0, 3, raw{"a": js(`1`), "b": js(`1`)}, true))
	must(t, hot.Put(t.Context(), th, 3, 5, raw{"b": js(`2`), "c": js(`3`)}, false))
	wantHot(t, hot, th, 5, raw{"a": js(`1`), "b": js(`2`), "c": js(`3`)})
}

// hotOther: changes that do not fit are refused, so that the caller can put the
// whole state; a mixture never counts as the state of a sequence number.
func hotOther(t *testing.T, hot graph.Hot) {
	th := threadName(t)
	must(t, hot.Put(t.Context(), th, 0, 3, raw{"a": js(`1`)}, true))
	refused := func(thread string, from, seq int64, whole bool) {
		t.Helper()
		if err := hot.Put(t.Context(), thread, from, seq, raw{"b": js(`2`)}, whole); !errors.Is(err, graph.ErrConflict) {
			t.Errorf("put of %d from %d (whole %v): %v, want ErrConflict", seq, from, whole, err)
		}
	}
	refused(th, 4, 5, false)
	refused(th, 0, 2, true)
	wantHot(t, hot, th, 3, raw{"a": js(`1`)})
	refused(th+"-none", 4, 5, false)
	if _, _, ok, err := hot.Get(t.Context(), th+"-none"); err != nil || ok {
		t.Fatalf("changes were applied to nothing (%v)", err)
	}
}

func hotRemove(t *testing.T, hot graph.Hot) {
	th := threadName(t)
	must(t, hot.Put(t.Context(), th, 0, 3, raw{"a": js(`1`), "b": js(`1`)}, true))
	must(t, hot.Put(t.Context(), th, 3, 4, raw{"a": nil}, false))
	wantHot(t, hot, th, 4, raw{"b": js(`1`)})
}

func hotDrop(t *testing.T, hot graph.Hot) {
	th := threadName(t)
	must(t, hot.Put(t.Context(), th, 0, 3, raw{"a": js(`1`)}, true))
	must(t, hot.Drop(t.Context(), th))
	must(t, hot.Drop(t.Context(), th))
	if _, _, ok, err := hot.Get(t.Context(), th); err != nil || ok {
		t.Fatalf("a dropped thread is there (%v)", err)
	}
}
