package graphtest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"maru/agent/graph"
)

// victim is a run whose process is killed at one of its points.
type victim struct {
	graph.Checkpointer
	say   func(...any)
	at    int64 // the point of death; 0 for none
	count atomic.Int64
}

// point is passed between two things that a crash may separate.
func (v *victim) point(kind string) {
	if v.count.Add(1) != v.at {
		return
	}
	v.say("kill", kind)
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		_ = self.Kill() // as kill -9 does
	}
	select {} // the signal may take a moment
}

// Append implements [graph.Checkpointer].
func (v *victim) Append(ctx context.Context, fence int64, records ...graph.Record) error {
	v.point("before_append")
	if err := v.Checkpointer.Append(ctx, fence, records...); err != nil {
		return err
	}
	v.point("committed")
	for _, r := range records {
		v.acknowledge(r)
	}
	v.point("after_append")
	return nil
}

// acknowledge reports the final parts of a record.
func (v *victim) acknowledge(r graph.Record) {
	ns := word(r.NS)
	v.say("ack", r.Thread, ns, r.Seq, sum(r.Body))
	switch r.Kind {
	case graph.RecordStep:
		v.say("closed", r.Thread, ns, r.Turn, r.Step, "*")
	case graph.RecordPending:
		var b struct{ T [][]json.RawMessage }
		if err := json.Unmarshal(r.Body, &b); err != nil {
			v.say("error", err)
		}
		for _, t := range b.T {
			v.say("closed", r.Thread, ns, r.Turn, r.Step+1, string(t[0]))
		}
	case graph.RecordEffect:
		v.say("recorded", effectOf(r.Body))
	}
}

// watch is the sink of the victim's runs.
func (v *victim) watch(e *graph.Event) {
	switch e.Kind {
	case graph.EventNodeStart:
		v.say("start", e.Thread, word(e.NS), e.Turn, e.Step, e.Task, e.Node)
		v.point("node_start")
	case graph.EventNodeEnd:
		v.point("node_end")
	}
}

func word(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

func sum(b []byte) string {
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:6])
}

// act is an effect whose result is its key.
func (v *victim) act(ctx context.Context, name string) error {
	_, err := graph.Repeatable(ctx, name, func(_ context.Context, key string) (string, error) {
		v.point("before_effect")
		v.say("deed", key)
		v.point("after_effect")
		return key, nil
	})
	return err
}

// killChild runs threads given as "name:point", one after the other.
func killChild(ctx context.Context, cp graph.Checkpointer, job string, say func(...any)) error {
	for _, f := range strings.Fields(job) {
		thread, at, _ := strings.Cut(f, ":")
		point, err := strconv.ParseInt(at, 10, 64)
		if err != nil {
			return fmt.Errorf("job %q: %w", f, err)
		}
		v := &victim{Checkpointer: cp, say: say, at: point}
		state, err := v.finish(ctx, thread, point)
		if err != nil {
			return fmt.Errorf("thread %s: %w", thread, err)
		}
		say("end", thread, state)
	}
	return nil
}

// dryRun counts the points and effects of an undisturbed run, and returns its end state.
func dryRun(t *testing.T) (points, deeds int, state string) {
	t.Helper()
	var done atomic.Int64
	v := &victim{Checkpointer: graph.NewMemory(), say: func(words ...any) {
		if words[0] == "deed" {
			done.Add(1)
		}
	}}
	state, err := v.finish(t.Context(), "dry", 2) // committed step by step: more points
	must(t, err)
	return int(v.count.Load()), int(done.Load()), state
}

// finish runs a thread's turn to its end, answering its questions in an order
// that seed decides.
func (v *victim) finish(ctx context.Context, thread string, seed int64) (string, error) {
	rng := rand.New(rand.NewPCG(uint64(seed), 1)) //nolint:gosec // a choice that can be repeated
	p, log := v.graph(durabilities[seed%2])
	rt := graph.NewRuntime(graph.Config{Checkpointer: v})
	call := graph.Call{Thread: thread, Turn: "turn", Input: []graph.Write{log.Add("in")}, Sink: v.watch}
	res, err := rt.Run(ctx, p, call)
	for {
		call.Answers = nil
		if errors.Is(err, graph.ErrConflict) {
			// A server may still commit a statement of a dead process.
			res, err = rt.Run(ctx, p, call)
			continue
		}
		if err != nil || res.Done {
			break
		}
		for _, i := range rng.Perm(len(res.Interrupts))[:1+rng.IntN(len(res.Interrupts))] {
			in := res.Interrupts[i]
			value, _ := json.Marshal(in.Node + " " + in.Key)
			call.Answers = append(call.Answers, graph.Answer{ID: in.ID, By: "ann", Value: value})
		}
		res, err = rt.Resume(ctx, p, call)
	}
	if err != nil {
		return "", err
	}
	return strings.Join(log.Get(res.State), ","), nil
}

// durabilities: once a group of steps is committed, the same holds as for single commits.
var durabilities = [2]graph.Options{
	{MaxSteps: 1000},
	{MaxSteps: 1000, Durability: graph.Grouped, Group: 4, Lag: time.Millisecond},
}

// graph returns a loop, then twice a fan-out with one task that asks two questions, a
// sub-graph that loops, acts and asks, and an end that acts.
func (v *victim) graph(o graph.Options) (*graph.Plan, graph.List[string]) {
	s := graph.NewSchema()
	log := graph.NewList(s, "log", graph.PerThread, graph.String(), nil)
	count := graph.NewFold(s, "count", graph.PerTurn, graph.Int(), func(a, b int) int { return a + b })
	round := graph.NewFold(s, "round", graph.PerTurn, graph.Int(), func(a, b int) int { return a + b })
	b := graph.New("victim", s)
	b.Node("loop", func(ctx context.Context, s graph.State) ([]graph.Write, error) {
		n := strconv.Itoa(count.Get(s))
		return []graph.Write{log.Add("loop " + n), count.Add(1)}, v.act(ctx, "loop"+n)
	}, graph.Policy{})
	b.Node("item", func(ctx context.Context, s graph.State) ([]graph.Write, error) {
		i, err := graph.Arg[int](s)
		if err != nil {
			return nil, err
		}
		if err := v.act(ctx, "item"); err != nil || i != 1 {
			return []graph.Write{log.Add("item " + strconv.Itoa(i))}, err
		}
		one, err1 := graph.Ask(ctx, graph.Question{Key: "one"})
		two, err2 := graph.Ask(ctx, graph.Question{Key: "two"})
		if err1 != nil || err2 != nil {
			return nil, graph.ErrInterrupted
		}
		return []graph.Write{log.Add("item 1 " + string(one.Value) + string(two.Value))}, v.act(ctx, "asked")
	}, graph.Policy{})
	b.Node("join", func(context.Context, graph.State) ([]graph.Write, error) {
		return []graph.Write{log.Add("join"), round.Add(1)}, nil
	}, graph.Policy{})
	child, inner := v.inner(o)
	b.Subgraph("sub", child, graph.Mapping{
		In: func(_ context.Context, s graph.State) ([]graph.Write, error) {
			return []graph.Write{inner.Set(log.Get(s)[:1])}, nil
		},
		Out: func(_ context.Context, s graph.State) ([]graph.Write, error) {
			return []graph.Write{log.Add(inner.Get(s)...)}, nil
		},
	}, graph.Policy{})
	b.Node("last", func(ctx context.Context, _ graph.State) ([]graph.Write, error) {
		return []graph.Write{log.Add("last")}, v.act(ctx, "last")
	}, graph.Policy{})
	b.Edge(graph.Start, "loop")
	items := func(s graph.State) ([]graph.Send, error) {
		return []graph.Send{graph.SendTo("item", 0), graph.SendTo("item", 1), graph.SendTo("item", 2)}, nil
	}
	b.Branch("loop", func(_ context.Context, s graph.State) ([]graph.Send, error) {
		if count.Get(s) < 3 {
			return graph.To("loop"), nil
		}
		return items(s)
	}, "loop", "item")
	b.Edge("item", "join")
	b.Edge("join", "sub")
	b.Branch("sub", func(_ context.Context, s graph.State) ([]graph.Send, error) {
		if round.Get(s) < 2 {
			return items(s)
		}
		return graph.To("last"), nil
	}, "item", "last")
	b.Edge("last", graph.End)
	return compileWith(b, o), log
}

func (v *victim) inner(o graph.Options) (*graph.Plan, graph.List[string]) {
	s := graph.NewSchema()
	log := graph.NewList(s, "log", graph.PerTurn, graph.String(), nil)
	b := graph.New("inner", s)
	b.Node("turn", func(ctx context.Context, s graph.State) ([]graph.Write, error) {
		n := len(log.Get(s))
		return []graph.Write{log.Add("inner " + strconv.Itoa(n))}, v.act(ctx, "turn")
	}, graph.Policy{})
	b.Node("ask", func(ctx context.Context, _ graph.State) ([]graph.Write, error) {
		if err := v.act(ctx, "before"); err != nil {
			return nil, err
		}
		a, err := graph.Ask(ctx, graph.Question{})
		return []graph.Write{log.Add("inner " + string(a.Value))}, err
	}, graph.Policy{})
	b.Edge(graph.Start, "turn")
	b.Switch("turn", func(s graph.State) string {
		if len(log.Get(s)) < 3 {
			return "turn"
		}
		return "ask"
	}, "turn", "ask")
	b.Edge("ask", graph.End)
	return compileWith(b, o), log
}
