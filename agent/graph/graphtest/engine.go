package graphtest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"testing"

	"maru/agent/graph"
)

// RunEngine checks the engine on a checkpointer. Every case runs in three
// ways: in one process that keeps hot copies, restarted before every call, and
// restarted with a shared copy.
func RunEngine(t *testing.T, open func(tb testing.TB) graph.Checkpointer) {
	t.Helper()
	cp := open(t)
	for _, mode := range []string{"hot", "restarted", "shared"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			for _, cases := range []map[string]func(*testing.T, *rig){
				interruptCases(), answerCases(), effectCases(), faultCases(), turnCases(), flowCases(),
				forkCases(), editCases(), expiryCases(), commitCases(), retainCases(), planCases(),
			} {
				for name, fn := range cases {
					t.Run(name, func(t *testing.T) {
						t.Parallel()
						fn(t, newRig(t, cp, mode))
					})
				}
			}
		})
	}
}

// rig is one thread on the store under test.
type rig struct {
	t      *testing.T
	cp     graph.Checkpointer
	mode   string
	thread string
	config graph.Config
	kept   *graph.Runtime

	mu   sync.Mutex
	runs map[string]int // visits of nodes and effects
}

func newRig(t *testing.T, cp graph.Checkpointer, mode string) *rig {
	t.Helper()
	r := &rig{t: t, cp: cp, mode: mode, thread: threadName(t), runs: map[string]int{}}
	r.config = graph.Config{Checkpointer: cp, DetectMutation: true}
	if mode == "shared" {
		r.config.Hot = graph.NewMemoryHot()
	}
	return r
}

// runtime returns the runtime of the next call: a new one is a restart.
func (r *rig) runtime() *graph.Runtime {
	if r.kept == nil || r.mode != "hot" {
		r.kept = graph.NewRuntime(r.config)
	}
	return r.kept
}

func (r *rig) count(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.runs[name]++
}

func (r *rig) wantRuns(name string, want int) {
	r.t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.runs[name] != want {
		r.t.Errorf("%s ran %d times, want %d", name, r.runs[name], want)
	}
}

// run runs a turn and fails the test on an error.
func (r *rig) run(p *graph.Plan, turn string, input ...graph.Write) graph.Result {
	r.t.Helper()
	res, err := r.runtime().Run(r.t.Context(), p, graph.Call{Thread: r.thread, Turn: turn, Input: input})
	must(r.t, err)
	return res
}

// answer resumes the newest turn with answers.
func (r *rig) answer(p *graph.Plan, answers ...graph.Answer) (graph.Result, error) {
	r.t.Helper()
	return r.runtime().Resume(r.t.Context(), p, graph.Call{Thread: r.thread, Answers: answers})
}

// board is the state of the cases' graphs: an event log, a counter without a reducer and one with.
type board struct {
	schema *graph.Schema
	log    graph.List[string]
	last   graph.Chan[int]
	sum    graph.Chan[int]
	any    graph.Chan[any]
}

func newBoard() board {
	s := graph.NewSchema()
	id := func(v string) string { return v }
	return board{
		schema: s,
		log:    graph.NewList(s, "log", graph.PerThread, graph.String(), id),
		last:   graph.NewLast(s, "last", graph.PerTurn, graph.Int()),
		sum:    graph.NewFold(s, "sum", graph.PerThread, graph.Int(), func(a, b int) int { return a + b }),
		any:    graph.NewLast(s, "any", graph.PerThread, graph.Any()),
	}
}

func (b board) wantLog(t *testing.T, s graph.State, want ...string) {
	t.Helper()
	if got := b.log.Get(s); !slices.Equal(got, want) {
		t.Errorf("log %q, want %q", got, want)
	}
}

// net builds a graph on a board, counting the visits of its nodes.
type net struct {
	*graph.Builder
	board
	r *rig
}

func (r *rig) net() net {
	b := newBoard()
	return net{graph.New("case", b.schema), b, r}
}

// node adds a node; without a function it only logs its name.
func (n net) node(name string, fn graph.Node) {
	n.policy(name, graph.Policy{}, fn)
}

func (n net) policy(name string, p graph.Policy, fn graph.Node) {
	n.Node(name, func(ctx context.Context, s graph.State) ([]graph.Write, error) {
		n.r.count(name)
		if fn == nil {
			return []graph.Write{n.log.Add(name)}, nil
		}
		return fn(ctx, s)
	}, p)
}

// asker adds a node that asks once and logs the answer.
func (n net) asker(name string) {
	n.node(name, func(ctx context.Context, _ graph.State) ([]graph.Write, error) {
		a, err := graph.Ask(ctx, graph.Question{Kind: "test", Payload: json.RawMessage(`{"from":"` + name + `"}`)})
		if err != nil {
			return nil, err
		}
		return []graph.Write{n.log.Add(name + "=" + string(a.Value))}, nil
	})
}

// path adds edges from one node to the next.
func (n net) path(names ...string) {
	for i := range len(names) - 1 {
		n.Edge(names[i], names[i+1])
	}
}

// line adds plain nodes for those names that have none, and a path through
// all from start to end.
func (n net) line(names ...string) {
	n.path(slices.Concat([]string{graph.Start}, names, []string{graph.End})...)
}

func (n net) compile(o graph.Options) *graph.Plan {
	n.r.t.Helper()
	p, err := n.Compile(o)
	must(n.r.t, err)
	return p
}

func yes(in graph.Interrupt) graph.Answer {
	return graph.Answer{ID: in.ID, By: "ann", Value: json.RawMessage(`"yes"`)}
}

func wantWaiting(t *testing.T, res graph.Result, n int) []graph.Interrupt {
	t.Helper()
	if res.Done || len(res.Interrupts) != n {
		t.Fatalf("done %v with %d questions, want %d waiting", res.Done, len(res.Interrupts), n)
	}
	return res.Interrupts
}

func wantDone(t *testing.T, res graph.Result) {
	t.Helper()
	if !res.Done || len(res.Interrupts) != 0 {
		t.Fatalf("done %v with %d questions, want it over", res.Done, len(res.Interrupts))
	}
}

// of finds the question of a node.
func of(t *testing.T, ins []graph.Interrupt, node string) graph.Interrupt {
	t.Helper()
	for _, in := range ins {
		if in.Node == node {
			return in
		}
	}
	t.Fatalf("no question of node %s among %v", node, ins)
	return graph.Interrupt{}
}

// failing wraps a checkpointer whose appends fail from the nth on.
type failing struct {
	graph.Checkpointer
	mu    sync.Mutex
	after int
}

var errDisk = fmt.Errorf("disk full")

func (f *failing) Append(ctx context.Context, fence int64, records ...graph.Record) error {
	f.mu.Lock()
	f.after--
	broken := f.after < 0
	f.mu.Unlock()
	if broken {
		return errDisk
	}
	return f.Checkpointer.Append(ctx, fence, records...)
}
