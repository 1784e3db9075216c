package graphtest

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"maru/agent/graph"
)

// BenchCheckpointer benchmarks the engine on a checkpointer: a loop of 100 super-steps, a line of 3 nodes, a fan-out
// of 10 with a join, a question and its answer, and one more turn on threads of 0, 200 and 800 messages with the
// bytes written. If open returns nil, the engine has no log and the cases that need one are skipped.
func BenchCheckpointer(b *testing.B, open func(tb testing.TB) graph.Checkpointer) {
	b.Helper()
	cp := open(b)
	rt := graph.NewRuntime(graph.Config{Checkpointer: cp})
	b.Run("loop100", func(b *testing.B) { benchTurns(b, rt, Loop(100), 100) })
	b.Run("line3", func(b *testing.B) { benchTurns(b, rt, Line(3), 0) })
	b.Run("fan10", func(b *testing.B) { benchTurns(b, rt, Fan(10), 0) })
	if cp == nil {
		return
	}
	b.Run("ask", func(b *testing.B) { benchAsk(b, rt) })
	for _, n := range []int{0, 200, 800} {
		b.Run("turn"+strconv.Itoa(n), func(b *testing.B) { benchChat(b, cp, n) })
	}
}

var benchThreads atomic.Int64

func benchThread() string { return fmt.Sprintf("bench/T0123/C0123/%d", benchThreads.Add(1)) }

// benchTurns runs each turn on a thread of its own; steps, if given, adds the
// time of one super-step.
func benchTurns(b *testing.B, rt *graph.Runtime, p *graph.Plan, steps int) {
	b.Helper()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := rt.Run(b.Context(), p, graph.Call{Thread: benchThread(), Turn: "run-0123456789"}); err != nil {
			b.Fatal(err)
		}
	}
	if steps > 0 {
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(steps), "ns/step")
	}
}

func benchAsk(b *testing.B, rt *graph.Runtime) {
	b.Helper()
	p := Asker()
	b.ReportAllocs()
	for b.Loop() {
		call := graph.Call{Thread: benchThread(), Turn: "run-0123456789"}
		res, err := rt.Run(b.Context(), p, call)
		must(b, err)
		call.Answers = []graph.Answer{{ID: res.Interrupts[0].ID, By: "U1", Value: []byte("true")}}
		if res, err = rt.Run(b.Context(), p, call); err != nil || !res.Done {
			b.Fatal(err)
		}
	}
}

// benchChat measures turns on a thread of n messages. Every 50 turns the
// thread begins again, so that it stays about that long.
func benchChat(b *testing.B, cp graph.Checkpointer, n int) {
	b.Helper()
	count := &Counter{Checkpointer: cp}
	rt := graph.NewRuntime(graph.Config{Checkpointer: count})
	chat := NewChat()
	b.ReportAllocs()
	i, thread, records, snapshots := 0, "", int64(0), int64(0)
	for b.Loop() {
		if i%50 == 0 {
			b.StopTimer()
			thread = benchThread()
			must(b, chat.Fill(b.Context(), rt, thread, n))
			records -= count.Records.Load()
			snapshots -= count.Snapshots.Load()
			b.StartTimer()
		}
		i++
		must(b, chat.Turn(b.Context(), rt, thread, i))
		if i%50 == 0 {
			records += count.Records.Load()
			snapshots += count.Snapshots.Load()
		}
	}
	if i%50 != 0 {
		records += count.Records.Load()
		snapshots += count.Snapshots.Load()
	}
	b.ReportMetric(float64(records)/float64(i), "B-records/turn")
	b.ReportMetric(float64(snapshots)/float64(i), "B-snapshots/turn")
}

// Counter counts the records appended to a checkpointer: bodies and the fields
// beside them.
type Counter struct {
	graph.Checkpointer
	Appends   atomic.Int64
	Records   atomic.Int64 // bytes of records other than snapshots
	Snapshots atomic.Int64 // bytes of snapshots
}

// Append implements [graph.Checkpointer].
func (c *Counter) Append(ctx context.Context, fence int64, records ...graph.Record) error {
	c.Appends.Add(1)
	for _, r := range records {
		n := len(r.Thread) + len(r.NS) + len(r.Kind) + len(r.Turn) + len(r.Plan) + len(r.Body) + 3*8
		if r.Kind == graph.RecordSnapshot {
			c.Snapshots.Add(int64(n))
		} else {
			c.Records.Add(int64(n))
		}
	}
	return c.Checkpointer.Append(ctx, fence, records...)
}

// Message is a message of a [Chat].
type Message struct {
	ID   string `json:"id"`
	Role string `json:"role"`
	Text string `json:"text"`
}

// Chat is a graph of two nodes on a list of messages that is never shortened.
type Chat struct {
	Plan     *graph.Plan
	Messages graph.List[Message]
	route    graph.Chan[string]
}

// NewChat compiles the graph.
func NewChat() *Chat {
	s := graph.NewSchema()
	c := &Chat{}
	c.Messages = graph.NewList(s, "messages", graph.PerThread, graph.JSON[Message]("msg", 1), func(m Message) string { return m.ID })
	c.route = graph.NewLast(s, "route", graph.PerTurn, graph.String())
	b := graph.New("chat", s)
	b.Node("router", func(context.Context, graph.State) ([]graph.Write, error) {
		return []graph.Write{c.route.Set("agent")}, nil
	}, graph.Policy{})
	b.Node("agent", func(_ context.Context, s graph.State) ([]graph.Write, error) {
		last := c.Messages.Get(s)
		return []graph.Write{c.Messages.Add(message(last[len(last)-1].ID+"r", "assistant"))}, nil
	}, graph.Policy{})
	b.Edge(graph.Start, "router")
	b.Edge("router", "agent")
	b.Edge("agent", graph.End)
	c.Plan = compile(b)
	return c
}

var sentence = strings.Repeat("마루 is a hall. ", 6)

func message(id, role string) Message { return Message{id, role, sentence} }

// Fill begins a thread with n messages and compacts it.
func (c *Chat) Fill(ctx context.Context, rt *graph.Runtime, thread string, n int) error {
	list := make([]Message, n)
	for i := range list {
		list[i] = message("old"+strconv.Itoa(i), "user")
	}
	if _, err := rt.Update(ctx, c.Plan, thread, 0, c.Messages.Add(list...)); err != nil {
		return err
	}
	return rt.Compact(ctx, c.Plan, thread, 0)
}

// Turn runs one turn: a message comes and is answered.
func (c *Chat) Turn(ctx context.Context, rt *graph.Runtime, thread string, i int) error {
	_, err := rt.Run(ctx, c.Plan, graph.Call{
		Thread: thread, Turn: "run-" + strconv.Itoa(1_000_000+i),
		Input: []graph.Write{c.Messages.Add(message("m"+strconv.Itoa(i), "user"))},
	})
	return err
}

func compile(b *graph.Builder) *graph.Plan { return compileWith(b, graph.Options{MaxSteps: 1000}) }

func compileWith(b *graph.Builder, o graph.Options) *graph.Plan {
	p, err := b.Compile(o)
	if err != nil {
		panic(err) // the graphs of the benchmarks are fixed
	}
	return p
}

// Loop returns a graph of one node that runs n times.
func Loop(n int) *graph.Plan {
	s := graph.NewSchema()
	count := graph.NewLast(s, "n", graph.PerTurn, graph.Int())
	b := graph.New("loop", s)
	b.Node("step", func(_ context.Context, s graph.State) ([]graph.Write, error) {
		return []graph.Write{count.Set(count.Get(s) + 1)}, nil
	}, graph.Policy{})
	b.Edge(graph.Start, "step")
	b.Switch("step", func(s graph.State) string {
		if count.Get(s) >= n {
			return graph.End
		}
		return "step"
	}, "step", graph.End)
	return compile(b)
}

// Line returns a graph of n nodes in a line.
func Line(n int) *graph.Plan {
	s := graph.NewSchema()
	count := graph.NewLast(s, "n", graph.PerTurn, graph.Int())
	b := graph.New("line", s)
	last := graph.Start
	for i := range n {
		name := "n" + strconv.Itoa(i)
		b.Node(name, func(_ context.Context, s graph.State) ([]graph.Write, error) {
			return []graph.Write{count.Set(count.Get(s) + 1)}, nil
		}, graph.Policy{})
		b.Edge(last, name)
		last = name
	}
	b.Edge(last, graph.End)
	return compile(b)
}

// Fan returns a graph in which n nodes run side by side and are joined.
func Fan(n int) *graph.Plan {
	s := graph.NewSchema()
	sum := graph.NewFold(s, "sum", graph.PerTurn, graph.Int(), func(a, b int) int { return a + b })
	b := graph.New("fan", s)
	b.Node("join", func(context.Context, graph.State) ([]graph.Write, error) { return nil, nil }, graph.Policy{})
	for i := range n {
		name := "n" + strconv.Itoa(i)
		b.Node(name, func(context.Context, graph.State) ([]graph.Write, error) {
			return []graph.Write{sum.Add(i)}, nil
		}, graph.Policy{})
		b.Edge(graph.Start, name)
		b.Edge(name, "join")
	}
	b.Edge("join", graph.End)
	return compile(b)
}

// Asker returns a graph whose second node asks.
func Asker() *graph.Plan {
	s := graph.NewSchema()
	ok := graph.NewLast(s, "ok", graph.PerTurn, graph.Bool())
	b := graph.New("asker", s)
	b.Node("first", func(context.Context, graph.State) ([]graph.Write, error) { return nil, nil }, graph.Policy{})
	b.Node("ask", func(ctx context.Context, _ graph.State) ([]graph.Write, error) {
		a, err := graph.Ask(ctx, graph.Question{Kind: "plan"})
		if err != nil {
			return nil, err
		}
		return []graph.Write{ok.Set(string(a.Value) == "true")}, nil
	}, graph.Policy{})
	b.Edge(graph.Start, "first")
	b.Edge("first", "ask")
	b.Edge("ask", graph.End)
	return compile(b)
}
