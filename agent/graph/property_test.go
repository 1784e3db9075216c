package graph_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"maru/agent/graph"
)

// item is a value with a key.
type item struct {
	ID   string `json:"id"`
	N    int    `json:"n"`
	Tags []int  `json:"tags,omitempty"`
}

// all has a channel of every kind.
type all struct {
	plan  *graph.Plan
	text  graph.Chan[string]
	dyn   graph.Chan[any]
	sum   graph.Chan[int]
	list  graph.List[item]
	keyed graph.List[item]
}

func newAll(t rapid.TB) all {
	s := graph.NewSchema()
	id := func(i item) string { return i.ID }
	a := all{
		text:  graph.NewLast(s, "text", graph.PerThread, graph.String()),
		dyn:   graph.NewLast(s, "dyn", graph.PerThread, graph.Any()),
		sum:   graph.NewFold(s, "sum", graph.PerThread, graph.Int(), func(a, b int) int { return 3*a + b }),
		list:  graph.NewList(s, "list", graph.PerThread, graph.JSON[item]("item", 1), id),
		keyed: graph.NewKeyed(s, "keyed", graph.PerThread, graph.JSON[item]("item", 1), id),
	}
	b := graph.New("all", s)
	b.Node("n", func(context.Context, graph.State) ([]graph.Write, error) { return nil, nil }, graph.Policy{})
	b.Edge(graph.Start, "n")
	b.Edge("n", graph.End)
	var err error
	if a.plan, err = b.Compile(graph.Options{}); err != nil {
		t.Fatal(err)
	}
	return a
}

func (a all) writes() *rapid.Generator[graph.Write] {
	key := rapid.SampledFrom([]string{"a", "b", "c", "d", "e"})
	one := rapid.Custom(func(t *rapid.T) item {
		return item{key.Draw(t, "id"), rapid.IntRange(0, 9).Draw(t, "n"), rapid.SliceOfN(rapid.Int(), 0, 3).Draw(t, "tags")}
	})
	items, keys := rapid.SliceOfN(one, 0, 4), rapid.SliceOfN(key, 0, 3)
	return rapid.OneOf(
		rapid.Map(rapid.String(), a.text.Set),
		rapid.Map(rapid.String(), func(s string) graph.Write { return a.dyn.Set(map[string]any{s: s, "n": len(s)}) }),
		rapid.Map(rapid.Float64(), func(f float64) graph.Write { return a.dyn.Set(f) }),
		rapid.Map(rapid.IntRange(-9, 9), a.sum.Add),
		rapid.Map(rapid.IntRange(-9, 9), a.sum.Set),
		rapid.Map(items, func(l []item) graph.Write { return a.list.Add(l...) }),
		rapid.Map(items, a.list.Set),
		rapid.Map(keys, func(k []string) graph.Write { return a.list.Remove(k...) }),
		rapid.Map(items, func(l []item) graph.Write { return a.keyed.Add(l...) }),
		rapid.Map(keys, func(k []string) graph.Write { return a.keyed.Remove(k...) }),
	)
}

func dump(t rapid.TB, s graph.State) string {
	var out bytes.Buffer
	for _, name := range s.Names() {
		raw, err := s.JSON(name)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&out, "%s=%s\n", name, raw)
	}
	return out.String()
}

// However updates are split into records, with snapshots and restarts in
// between, the state is the same.
func TestAnySplitOfTheUpdatesGivesTheSameState(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, ctx, memory := newAll(t), context.Background(), graph.NewMemory()
		hot := graph.NewMemoryHot()
		writes := rapid.SliceOfN(a.writes(), 1, 30).Draw(t, "writes")
		rt := graph.NewRuntime(graph.Config{Checkpointer: memory})
		must := func(err error) {
			if err != nil {
				t.Fatal(err)
			}
		}
		_, err := rt.Update(ctx, a.plan, "whole", 0, writes...)
		must(err)
		for rest := writes; len(rest) > 0; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "split")
			_, err := rt.Update(ctx, a.plan, "split", 0, rest[:n]...)
			must(err)
			rest = rest[n:]
			switch rapid.IntRange(0, 3).Draw(t, "then") {
			case 0:
				must(rt.Compact(ctx, a.plan, "split", 0))
			case 1:
				rt = graph.NewRuntime(graph.Config{Checkpointer: memory})
			case 2:
				rt = graph.NewRuntime(graph.Config{Checkpointer: memory, Hot: hot})
			}
		}
		want, err := graph.NewRuntime(graph.Config{Checkpointer: memory}).Peek(ctx, a.plan, "whole")
		must(err)
		warm, err := rt.Peek(ctx, a.plan, "split")
		must(err)
		cold, err := graph.NewRuntime(graph.Config{Checkpointer: memory}).Peek(ctx, a.plan, "split")
		must(err)
		if dump(t, cold.State) != dump(t, want.State) || dump(t, warm.State) != dump(t, want.State) {
			t.Fatalf("whole:\n%ssplit, cold:\n%swarm:\n%s", dump(t, want.State), dump(t, cold.State), dump(t, warm.State))
		}
	})
}

// crashing fails every append after a number of them, like a process that dies.
type crashing struct {
	graph.Checkpointer
	left atomic.Int64
}

var errCrash = errors.New("crash")

func (c *crashing) Append(ctx context.Context, fence int64, records ...graph.Record) error {
	if c.left.Add(-1) < 0 {
		return errCrash
	}
	return c.Checkpointer.Append(ctx, fence, records...)
}

// A run that dies at any append and is asked for again ends in the state of an
// undisturbed run, and does nothing twice that is recorded.
func TestCrashAtAnyAppendChangesNothing(t *testing.T) {
	t.Parallel()
	for name, durability := range map[string]graph.Durability{"sync": graph.Sync, "at exit": graph.AtExit} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plan, effects := storm(t, durability)
			want := ""
			for at := 0; ; at++ { // the last ride has no crash: all must end like it
				memory := graph.NewMemory()
				*effects = map[string]int{}
				c := &crashing{Checkpointer: memory}
				c.left.Store(int64(at))
				res, crashed := ride(t, c, plan)
				if got := dump(t, res.State); at == 0 {
					want = got
				} else if got != want {
					t.Fatalf("crash at append %d:\n%swant:\n%s", at, got, want)
				}
				for key, n := range *effects {
					if n > 2 || (n > 1 && !crashed) {
						t.Errorf("crash at append %d: effect %s took place %d times", at, key, n)
					}
				}
				if !crashed {
					return
				}
			}
		})
	}
}

// ride runs the graph, answers what it asks, and starts over after a crash.
func ride(t *testing.T, c *crashing, plan *graph.Plan) (res graph.Result, crashed bool) {
	t.Helper()
	rt := graph.NewRuntime(graph.Config{Checkpointer: c})
	call := graph.Call{Thread: "t", Turn: "1"}
	for range 50 {
		var err error
		res, err = rt.Run(t.Context(), plan, call)
		switch {
		case errors.Is(err, errCrash):
			crashed = true
			rt = graph.NewRuntime(graph.Config{Checkpointer: c.Checkpointer})
			continue
		case err != nil:
			t.Fatal(err)
		case res.Done:
			return res, crashed
		}
		call.Answers = nil
		for _, in := range res.Interrupts {
			call.Answers = append(call.Answers, graph.Answer{ID: in.ID, Value: []byte("1")})
		}
	}
	t.Fatal("the run does not end")
	return res, crashed
}

// Many crashes, and answers that come one by one, in any order and twice.
func TestManyCrashesAndAnswersInAnyOrder(t *testing.T) {
	t.Parallel()
	plan, effects := storm(t, graph.Sync)
	calm := &crashing{Checkpointer: graph.NewMemory()}
	calm.left.Store(1 << 40)
	*effects = map[string]int{}
	res, _ := ride(t, calm, plan)
	want := dump(t, res.State)
	rapid.Check(t, func(t *rapid.T) {
		*effects = map[string]int{}
		ctx, memory, crashes := context.Background(), graph.NewMemory(), 0
		restart := func() *graph.Runtime {
			c := &crashing{Checkpointer: memory}
			c.left.Store(1 << 40)
			if crashes < 12 {
				c.left.Store(int64(rapid.IntRange(1, 9).Draw(t, "appends")))
			}
			return graph.NewRuntime(graph.Config{Checkpointer: c})
		}
		rt := restart()
		call := graph.Call{Thread: "t", Turn: "1"}
		for {
			res, err := rt.Run(ctx, plan, call)
			if errors.Is(err, errCrash) {
				crashes++
				rt = restart()
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			if res.Done {
				if got := dump(t, res.State); got != want {
					t.Fatalf("after %d crashes:\n%swant:\n%s", crashes, got, want)
				}
				break
			}
			in := rapid.SampledFrom(res.Interrupts).Draw(t, "question")
			answer := graph.Answer{ID: in.ID, Value: []byte("1")}
			call.Answers = []graph.Answer{answer, answer}
		}
		for key, n := range *effects {
			if n > 1+crashes {
				t.Errorf("effect %s took place %d times after %d crashes", key, n, crashes)
			}
		}
	})
}

// storm has a loop, a fan-out, effects, questions and a sub-graph.
func storm(t *testing.T, d graph.Durability) (*graph.Plan, *map[string]int) {
	t.Helper()
	effects := &map[string]int{}
	once := make(chan struct{}, 1)
	pay := func(ctx context.Context, name string) (int, error) {
		return graph.Repeatable(ctx, name, func(_ context.Context, key string) (int, error) {
			once <- struct{}{}
			defer func() { <-once }()
			(*effects)[key]++
			return 1, nil
		})
	}
	asks := func(log graph.List[string], name string) graph.Node {
		return func(ctx context.Context, s graph.State) ([]graph.Write, error) {
			name := name
			if s.Arg() != nil {
				i, err := graph.Arg[int](s)
				if err != nil {
					return nil, err
				}
				name += strconv.Itoa(i)
			}
			if _, err := pay(ctx, name+strconv.Itoa(len(log.Get(s)))); err != nil {
				return nil, err
			}
			a, err := graph.Ask(ctx, graph.Question{})
			if err != nil {
				return nil, err
			}
			return []graph.Write{log.Add(name + string(a.Value))}, nil
		}
	}
	build := func(fill func(*graph.Builder, graph.List[string])) *graph.Plan {
		s := graph.NewSchema()
		log := graph.NewList(s, "log", graph.PerThread, graph.String(), nil)
		b := graph.New("storm", s)
		fill(b, log)
		p, err := b.Compile(graph.Options{Durability: d})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	var inner graph.List[string]
	child := build(func(b *graph.Builder, log graph.List[string]) {
		inner = log
		b.Node("inner", asks(log, "inner"), graph.Policy{})
		b.Node("tail", asks(log, "tail"), graph.Policy{})
		b.Edge(graph.Start, "inner")
		b.Edge("inner", "tail")
		b.Edge("tail", graph.End)
	})
	plan := build(func(b *graph.Builder, log graph.List[string]) {
		b.Node("work", asks(log, "work"), graph.Policy{})
		b.Node("join", func(context.Context, graph.State) ([]graph.Write, error) { return []graph.Write{log.Add("join")}, nil }, graph.Policy{})
		b.Subgraph("sub", child, graph.Mapping{
			In: func(context.Context, graph.State) ([]graph.Write, error) { return nil, nil },
			Out: func(_ context.Context, s graph.State) ([]graph.Write, error) {
				return []graph.Write{log.Add(inner.Get(s)...)}, nil
			},
		}, graph.Policy{})
		fan := func(context.Context, graph.State) ([]graph.Send, error) {
			return []graph.Send{graph.SendTo("work", 1), graph.SendTo("work", 2), graph.SendTo("work", 3)}, nil
		}
		b.Branch(graph.Start, fan, "work")
		b.Edge(graph.Start, "sub")
		b.Join("join", "work", "sub")
		b.Branch("join", func(ctx context.Context, s graph.State) ([]graph.Send, error) {
			if joins := slices.DeleteFunc(slices.Clone(log.Get(s)), func(l string) bool { return l != "join" }); len(joins) >= 2 {
				return nil, nil
			}
			sends, err := fan(ctx, s)
			return append(sends, graph.To("sub")...), err
		}, "work", "sub", graph.End)
	})
	return plan, effects
}
