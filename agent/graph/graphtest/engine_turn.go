package graphtest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"maru/agent/graph"
)

func turnCases() map[string]func(*testing.T, *rig) {
	return map[string]func(*testing.T, *rig){
		"second_turn_appends":                     secondTurn,
		"finished_turn_returns_its_record":        finishedTurn,
		"broken_off_turn_goes_on":                 brokenOff,
		"an_old_turn_is_a_typed_error":            oldTurn,
		"per_turn_channels_are_reset":             resetChannels,
		"dynamic_values_keep_their_types":         dynamicTypes,
		"structs_in_dynamic_channels_are_refused": structInAny,
		"messages_are_removed_by_id":              removeByID,
		"update_between_turns":                    updateBetween,
		"update_while_a_question_waits":           updateWaiting,
		"history_and_state_at_a_seq":              historyOf,
		"delete_forgets_everything":               deleteAll,
		"compact_keeps_the_state":                 compact,
		"many_turns_stay_small_and_replay":        manyTurns,
		"durability_at_exit":                      atExit,
		"events_tell_what_happened":               events,
		"two_graphs_see_one_log":                  sharedLog,
	}
}

// talk builds a graph in which every turn's input is echoed.
func talk(r *rig) (net, *graph.Plan) {
	n := r.net()
	n.node("echo", func(_ context.Context, s graph.State) ([]graph.Write, error) {
		return []graph.Write{n.log.Add("re " + strconv.Itoa(n.last.Get(s))), n.sum.Add(1)}, nil
	})
	n.line("echo")
	return n, n.compile(graph.Options{})
}

func secondTurn(t *testing.T, r *rig) {
	n, p := talk(r)
	for i := 1; i <= 3; i++ {
		res := r.run(p, strconv.Itoa(i), n.last.Set(i), n.log.Add("in "+strconv.Itoa(i)))
		wantDone(t, res)
		if got := n.sum.Get(res.State); got != i {
			t.Errorf("sum %d after turn %d", got, i)
		}
	}
	res, err := r.runtime().Peek(t.Context(), p, r.thread)
	must(t, err)
	n.wantLog(t, res.State, "in 1", "re 1", "in 2", "re 2", "in 3", "re 3")
}

func finishedTurn(t *testing.T, r *rig) {
	n, p := talk(r)
	first := r.run(p, "1", n.last.Set(5))
	again := r.run(p, "1", n.last.Set(6))
	if !again.Done || again.Seq != first.Seq || n.last.Get(again.State) != 5 {
		t.Fatalf("second run of a finished turn: seq %d, was %d", again.Seq, first.Seq)
	}
	r.wantRuns("echo", 1)
}

func brokenOff(t *testing.T, r *rig) {
	n := r.net()
	fail := true
	n.node("a", nil)
	n.node("b", func(context.Context, graph.State) ([]graph.Write, error) {
		if fail {
			return nil, errors.New("down")
		}
		return []graph.Write{n.log.Add("b")}, nil
	})
	n.line("a", "b")
	p := n.compile(graph.Options{})
	_, err := r.runtime().Run(t.Context(), p, graph.Call{Thread: r.thread, Turn: "1", Input: []graph.Write{n.log.Add("in")}})
	if err == nil {
		t.Fatal("the error is lost")
	}
	if _, err = r.runtime().Run(t.Context(), p, graph.Call{Thread: r.thread, Turn: "2"}); !errors.Is(err, graph.ErrUnfinished) {
		t.Fatalf("another turn after a broken one: %v", err)
	}
	fail = false
	res := r.run(p, "1", n.log.Add("in"))
	n.wantLog(t, res.State, "in", "a", "b")
	r.wantRuns("a", 1)
}

func oldTurn(t *testing.T, r *rig) {
	n, p := talk(r)
	for _, turn := range []string{"1", "2", "3"} {
		r.run(p, turn, n.last.Set(1))
	}
	for _, turn := range []string{"1", "2"} {
		_, err := r.runtime().Run(t.Context(), p, graph.Call{Thread: r.thread, Turn: turn})
		if !errors.Is(err, graph.ErrTurnPassed) {
			t.Fatalf("turn %s again: %v, want ErrTurnPassed", turn, err)
		}
	}
	r.wantRuns("echo", 3)
}

func resetChannels(t *testing.T, r *rig) {
	n := r.net()
	n.node("a", func(_ context.Context, s graph.State) ([]graph.Write, error) {
		if n.last.Get(s) != 0 {
			return nil, errors.New("last was not reset")
		}
		return []graph.Write{n.last.Set(9), n.any.Set("kept")}, nil
	})
	n.line("a")
	p := n.compile(graph.Options{})
	r.run(p, "1")
	res := r.run(p, "2")
	if n.last.Get(res.State) != 9 || n.any.Get(res.State) != "kept" {
		t.Fatalf("last %v any %v", n.last.Get(res.State), n.any.Get(res.State))
	}
}

func dynamicTypes(t *testing.T, r *rig) {
	n, p := talk(r)
	value := map[string]any{
		"int": 1 << 60, "float": 2.0, "small": 1e-9, "text": "가<&>\n\x01", "yes": true, "none": nil,
		"list": []any{int64(1), 1.5, "x", []any{}, map[string]any{}},
	}
	r.run(p, "1", n.any.Set(value))
	res := r.run(p, "2")
	want, err := graph.Normalize(value)
	must(t, err)
	if got := fmt.Sprintf("%#v", n.any.Get(res.State)); got != fmt.Sprintf("%#v", want) {
		t.Fatalf("came back as %s, want %#v", got, want)
	}
	byName, ok := res.State.Value("any")
	if !ok || fmt.Sprintf("%#v", byName) != fmt.Sprintf("%#v", want) {
		t.Fatalf("by name %#v", byName)
	}
}

func structInAny(t *testing.T, r *rig) {
	n := r.net()
	n.node("a", func(context.Context, graph.State) ([]graph.Write, error) {
		return []graph.Write{n.any.Set(struct{ A int }{1})}, nil
	})
	n.line("a")
	_, err := r.runtime().Run(t.Context(), n.compile(graph.Options{}), graph.Call{Thread: r.thread, Turn: "1"})
	if err == nil || !strings.Contains(err.Error(), `"any"`) {
		t.Fatalf("error %v, want one that names the channel", err)
	}
}

func removeByID(t *testing.T, r *rig) {
	n := r.net()
	n.node("trim", func(_ context.Context, s graph.State) ([]graph.Write, error) {
		log := n.log.Get(s)
		if len(log) <= 4 {
			return nil, nil
		}
		return []graph.Write{n.log.Remove(log[:len(log)-2]...)}, nil
	})
	n.line("trim")
	p := n.compile(graph.Options{})
	var res graph.Result
	for i := range 7 {
		res = r.run(p, strconv.Itoa(i), n.log.Add("m"+strconv.Itoa(i)))
	}
	n.wantLog(t, res.State, "m3", "m4", "m5", "m6")
	res = r.run(p, "last", n.log.Set([]string{"only"}))
	n.wantLog(t, res.State, "only")
}

func updateBetween(t *testing.T, r *rig) {
	n, p := talk(r)
	r.run(p, "1", n.last.Set(1), n.log.Add("secret"))
	_, err := r.runtime().Update(t.Context(), p, r.thread, 0, n.log.Remove("secret"), n.sum.Add(10))
	must(t, err)
	res := r.run(p, "2", n.last.Set(2))
	n.wantLog(t, res.State, "re 1", "re 2")
	if n.sum.Get(res.State) != 12 {
		t.Errorf("sum %d, want 12", n.sum.Get(res.State))
	}
}

func updateWaiting(t *testing.T, r *rig) {
	n, p := fork(r)
	ins := wantWaiting(t, r.run(p, "1"), 2)
	_, err := r.runtime().Update(t.Context(), p, r.thread, 0, n.log.Add("edited"))
	must(t, err)
	res, err := r.answer(p, yes(ins[0]), yes(ins[1]))
	must(t, err)
	n.wantLog(t, res.State, "edited", `x="yes"`, `y="yes"`, "join")
}

func historyOf(t *testing.T, r *rig) {
	n, p := talk(r)
	for i := range 3 {
		r.run(p, strconv.Itoa(i), n.last.Set(i))
	}
	entries, err := r.runtime().History(t.Context(), r.thread, 1, 0, 0)
	must(t, err)
	if len(entries) != 6 {
		t.Fatalf("%d entries, want 6", len(entries))
	}
	first, second := entries[0], entries[1]
	if first.Kind != graph.RecordInput || !slices.Equal(first.Next, []string{"echo"}) || !slices.Equal(first.Channels, []string{"last"}) ||
		second.Kind != graph.RecordStep || second.Turn != "0" || second.Step != 1 || !slices.Equal(second.Channels, []string{"log", "sum"}) {
		t.Fatalf("entries %+v", entries[:2])
	}
	for seq, want := range map[int64][]string{1: nil, 2: {"re 0"}, 3: {"re 0"}, 6: {"re 0", "re 1", "re 2"}} {
		s, err := r.runtime().StateAt(t.Context(), p, r.thread, seq)
		must(t, err)
		n.wantLog(t, s, want...)
	}
	if _, err := r.runtime().StateAt(t.Context(), p, r.thread, 7); err == nil {
		t.Error("a record that does not exist has a state")
	}
}

func deleteAll(t *testing.T, r *rig) {
	n, p := talk(r)
	r.run(p, "1", n.last.Set(1))
	must(t, r.runtime().Delete(t.Context(), r.thread))
	must(t, r.runtime().Delete(t.Context(), r.thread))
	res := r.run(p, "1", n.last.Set(2))
	n.wantLog(t, res.State, "re 2")
	if res.Seq != 2 {
		t.Errorf("seq %d, want 2", res.Seq)
	}
}

func compact(t *testing.T, r *rig) {
	n, p := talk(r)
	for i := range 5 {
		r.run(p, strconv.Itoa(i), n.last.Set(i))
	}
	must(t, r.runtime().Compact(t.Context(), p, r.thread, 0))
	must(t, r.runtime().Compact(t.Context(), p, r.thread, 0))
	records, err := r.cp.Load(t.Context(), r.thread, "")
	must(t, err)
	if len(records) != 1 || records[0].Kind != graph.RecordSnapshot {
		t.Fatalf("%d records after compacting, want one snapshot", len(records))
	}
	if _, err := r.runtime().StateAt(t.Context(), p, r.thread, records[0].Seq-1); err == nil {
		t.Error("a pruned record has a state")
	}
	if res := r.run(p, "4", n.last.Set(9)); !res.Done || n.last.Get(res.State) != 4 {
		t.Fatal("the newest turn is not recognised after compacting")
	}
	if _, err := r.runtime().Run(t.Context(), p, graph.Call{Thread: r.thread, Turn: "2"}); !errors.Is(err, graph.ErrTurnPassed) {
		t.Fatalf("an old turn after compacting: %v", err)
	}
	n.wantLog(t, r.run(p, "5", n.last.Set(5)).State, "re 0", "re 1", "re 2", "re 3", "re 4", "re 5")
}

// manyTurns: log with snapshots ≤ 3 × the updates (Z2), and a resume reads one snapshot and records that do not
// outweigh it (Z5).
func manyTurns(t *testing.T, r *rig) {
	n, p := talk(r)
	var res graph.Result
	for i := range 60 {
		res = r.run(p, strconv.Itoa(i), n.last.Set(i), n.log.Add(strings.Repeat("x", 300)+strconv.Itoa(i)))
	}
	if len(n.log.Get(res.State)) != 120 || n.sum.Get(res.State) != 60 {
		t.Fatalf("%d messages, sum %d", len(n.log.Get(res.State)), n.sum.Get(res.State))
	}
	all, err := r.cp.History(t.Context(), r.thread, "", 1, res.Seq, 0)
	must(t, err)
	updates, snapshots := 0, 0
	for _, rec := range all {
		if rec.Kind == graph.RecordSnapshot {
			snapshots += len(rec.Body)
		} else {
			updates += len(rec.Body)
		}
	}
	if snapshots == 0 || updates+snapshots > 3*updates {
		t.Errorf("updates %d B, snapshots %d B", updates, snapshots)
	}
	records, err := r.cp.Load(t.Context(), r.thread, "")
	must(t, err)
	after := 0
	for _, rec := range records[1:] {
		after += len(rec.Body)
	}
	if records[0].Kind != graph.RecordSnapshot || after > len(records[0].Body)+8192 {
		t.Errorf("%d B of records after a snapshot of %d B", after, len(records[0].Body))
	}
	cold, err := graph.NewRuntime(graph.Config{Checkpointer: r.cp}).Peek(t.Context(), p, r.thread)
	must(t, err)
	n.wantLog(t, cold.State, n.log.Get(res.State)...)
}

func atExit(t *testing.T, r *rig) {
	n := r.net()
	n.node("a", func(ctx context.Context, _ graph.State) ([]graph.Write, error) {
		head, err := r.cp.Head(ctx, r.thread, "")
		return []graph.Write{n.log.Add("head " + strconv.FormatInt(head, 10))}, err
	})
	n.node("pay", func(ctx context.Context, _ graph.State) ([]graph.Write, error) {
		_, err := graph.Repeatable(ctx, "pay", func(context.Context, string) (int, error) { return 1, nil })
		return nil, err
	})
	n.node("b", func(ctx context.Context, _ graph.State) ([]graph.Write, error) {
		head, err := r.cp.Head(ctx, r.thread, "")
		return []graph.Write{n.log.Add("head " + strconv.FormatInt(head, 10))}, err
	})
	n.line("a", "pay", "b")
	p := n.compile(graph.Options{Durability: graph.AtExit})
	res := r.run(p, "1")
	n.wantLog(t, res.State, "head 0", "head 3")
	if again := r.run(p, "1"); !again.Done || again.Seq != res.Seq {
		t.Fatalf("seq %d, was %d", again.Seq, res.Seq)
	}
	head, err := r.cp.Head(t.Context(), r.thread, "")
	must(t, err)
	if head != res.Seq {
		t.Errorf("the log ends at %d, the run at %d", head, res.Seq)
	}
}

func events(t *testing.T, r *rig) {
	n := r.net()
	n.node("a", func(context.Context, graph.State) ([]graph.Write, error) { return nil, nil })
	n.asker("b")
	n.line("a", "b")
	p := n.compile(graph.Options{})
	hub := graph.NewHub[graph.Event](100)
	reader := hub.Reader()
	before := time.Now()
	res, err := r.runtime().Run(t.Context(), p, graph.Call{Thread: r.thread, Turn: "1", Sink: hub.Send})
	must(t, err)
	_, err = r.runtime().Resume(t.Context(), p, graph.Call{
		Thread: r.thread, Answers: []graph.Answer{yes(res.Interrupts[0])}, Sink: hub.Send,
	})
	must(t, err)
	sent, _, err := reader.Next(t.Context(), nil)
	must(t, err)
	var got []string
	at := before
	for _, e := range sent {
		if e.Turn != "1" || e.Thread != r.thread || e.At().Before(at) || e.At().After(time.Now()) || e.Took < 0 || e.Took > time.Since(before) {
			t.Errorf("event %+v at %v", e, e.At())
		}
		at = e.At()
		got = append(got, strings.TrimSpace(e.Kind.String()+" "+e.Node))
	}
	want := []string{
		"turn", "node_start a", "node_end a", "step", "node_start b", "node_end b", "interrupt b",
		"turn", "node_start b", "node_end b", "step", "done",
	}
	if !slices.Equal(got, want) || reader.Lost() != 0 {
		t.Errorf("events %q, want %q", got, want)
	}
}

// sharedLog: a second runtime writes between two calls of the first, whose cached copy is then stale.
func sharedLog(t *testing.T, r *rig) {
	n, p := talk(r)
	other := graph.NewRuntime(graph.Config{Checkpointer: r.cp})
	r.run(p, "1", n.last.Set(1))
	_, err := other.Run(t.Context(), p, graph.Call{Thread: r.thread, Turn: "2", Input: []graph.Write{n.last.Set(2)}})
	must(t, err)
	n.wantLog(t, r.run(p, "3", n.last.Set(3)).State, "re 1", "re 2", "re 3")
}
