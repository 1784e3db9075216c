package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/schema"
)

// peer returns the work as eino 0.9 does it. It saves a checkpoint only when
// it is interrupted, so a checkpoint after each step is an interrupt after each
// step and a call that goes on.
func peer() engine {
	schema.RegisterName[*talk]("bench_talk")
	schema.RegisterName[message]("bench_message")
	e := engine{}
	plain := func(r compose.Runnable[int, int]) func() work {
		return func() work {
			return work{run: func(ctx context.Context) error { _, err := r.Invoke(ctx, 0); return err }}
		}
	}
	e["line"], e["loop"] = plain(einoLine()), plain(einoLoop())
	fan := einoFan()
	e["fan"] = func() work {
		return work{run: func(ctx context.Context) error { _, err := fan.Invoke(ctx, 0); return err }}
	}
	e["loop-saved"] = func() work {
		s := &store{m: map[string][]byte{}}
		return einoSaved(einoLoop(compose.WithCheckPointStore(s), compose.WithInterruptAfterNodes([]string{"step"})), s, 1)
	}
	e["threads"] = func() work {
		s := &store{m: map[string][]byte{}}
		return einoSaved(einoLine(compose.WithCheckPointStore(s), compose.WithInterruptAfterNodes([]string{"n0", "n1", "n2"})), s, 1000)
	}
	e["ask"] = einoAsk
	for _, n := range histories {
		e["turn"+strconv.Itoa(n)] = func() work { return einoTurn(n) }
	}
	return e
}

// store keeps the newest checkpoint of each id and counts bytes.
type store struct {
	m map[string][]byte
	n int64
}

func (s *store) Get(_ context.Context, id string) ([]byte, bool, error) {
	v, ok := s.m[id]
	return v, ok, nil
}

func (s *store) Set(_ context.Context, id string, v []byte) error {
	s.m[id] = v
	s.n += int64(len(v))
	return nil
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err) // the graphs of the benchmarks are fixed
	}
	return v
}

func check(errs ...error) {
	if err := errors.Join(errs...); err != nil {
		panic(err)
	}
}

func next(_ context.Context, n int) (int, error) { return n + 1, nil }

func einoLine(o ...compose.GraphCompileOption) compose.Runnable[int, int] {
	g := compose.NewGraph[int, int]()
	last := compose.START
	for i := range 3 {
		name := "n" + strconv.Itoa(i)
		check(g.AddLambdaNode(name, compose.InvokableLambda(next)), g.AddEdge(last, name))
		last = name
	}
	check(g.AddEdge(last, compose.END))
	return must(g.Compile(context.Background(), o...))
}

func einoLoop(o ...compose.GraphCompileOption) compose.Runnable[int, int] {
	g := compose.NewGraph[int, int]()
	check(
		g.AddLambdaNode("step", compose.InvokableLambda(next)),
		g.AddEdge(compose.START, "step"),
		g.AddBranch("step", compose.NewGraphBranch(func(_ context.Context, n int) (string, error) {
			if n >= 100 {
				return compose.END, nil
			}
			return "step", nil
		}, map[string]bool{"step": true, compose.END: true})),
	)
	return must(g.Compile(context.Background(), append(o, compose.WithMaxRunSteps(1000))...))
}

func einoFan() compose.Runnable[int, map[string]any] {
	g := compose.NewGraph[int, map[string]any]()
	check(g.AddLambdaNode("join", compose.InvokableLambda(func(_ context.Context, m map[string]any) (map[string]any, error) {
		return m, nil
	})))
	for i := range 10 {
		name := "n" + strconv.Itoa(i)
		check(g.AddLambdaNode(name, compose.InvokableLambda(func(context.Context, int) (int, error) { return i, nil }),
			compose.WithOutputKey(name)), g.AddEdge(compose.START, name), g.AddEdge(name, "join"))
	}
	check(g.AddEdge("join", compose.END))
	return must(g.Compile(context.Background()))
}

// einoSaved goes on after each interrupt until the graph is over, n times.
func einoSaved(r compose.Runnable[int, int], s *store, n int) work {
	return work{
		run: func(ctx context.Context) error {
			for i := range n {
				id := "t" + strconv.Itoa(i)
				for {
					_, err := r.Invoke(ctx, 0, compose.WithCheckPointID(id))
					if err == nil {
						break
					}
					if _, ok := compose.ExtractInterruptInfo(err); !ok {
						return err
					}
				}
				delete(s.m, id)
			}
			return nil
		},
		wrote: func() int64 { return s.n },
	}
}

func einoAsk() work {
	s := &store{m: map[string][]byte{}}
	g := compose.NewGraph[int, bool]()
	check(
		g.AddLambdaNode("first", compose.InvokableLambda(next)),
		g.AddLambdaNode("ask", compose.InvokableLambda(func(ctx context.Context, _ int) (bool, error) {
			if resumed, has, yes := compose.GetResumeContext[bool](ctx); resumed && has {
				return yes, nil
			}
			return false, compose.Interrupt(ctx, "plan")
		})),
		g.AddEdge(compose.START, "first"), g.AddEdge("first", "ask"), g.AddEdge("ask", compose.END),
	)
	r := must(g.Compile(context.Background(), compose.WithCheckPointStore(s)))
	return work{
		run: func(ctx context.Context) error {
			_, err := r.Invoke(ctx, 0, compose.WithCheckPointID("t"))
			info, ok := compose.ExtractInterruptInfo(err)
			if !ok {
				return fmt.Errorf("no question: %w", err)
			}
			yes, err := r.Invoke(compose.ResumeWithData(ctx, info.InterruptContexts[0].ID, true), 0, compose.WithCheckPointID("t"))
			if err == nil && !yes {
				err = errors.New("the answer is lost")
			}
			delete(s.m, "t")
			return err
		},
		wrote: func() int64 { return s.n },
	}
}

// message and talk are the state of a thread.
type message struct {
	ID   string `json:"id"`
	Role string `json:"role"`
	Text string `json:"text"`
}

type talk struct {
	Messages []message `json:"messages"`
}

var sentence = strings.Repeat("마루 is a hall. ", 6)

// einoTurn returns a loop that is interrupted after each turn: one more turn is a
// call that adds the message to the loaded state and goes on. It saves once a
// turn, not once a step.
func einoTurn(n int) work {
	s := &store{m: map[string][]byte{}}
	g := compose.NewGraph[int, int](compose.WithGenLocalState(func(context.Context) *talk {
		t := &talk{}
		for i := range n {
			t.Messages = append(t.Messages, message{"old" + strconv.Itoa(i), "user", sentence})
		}
		return t
	}))
	check(
		g.AddLambdaNode("router", compose.InvokableLambda(next)),
		g.AddLambdaNode("agent", compose.InvokableLambda(func(ctx context.Context, i int) (int, error) {
			return i, compose.ProcessState(ctx, func(_ context.Context, t *talk) error {
				t.Messages = append(t.Messages, message{"m" + strconv.Itoa(i) + "r", "assistant", sentence})
				return nil
			})
		})),
		g.AddEdge(compose.START, "router"), g.AddEdge("router", "agent"),
		g.AddBranch("agent", compose.NewGraphBranch(func(context.Context, int) (string, error) { return "router", nil },
			map[string]bool{"router": true, compose.END: true})),
	)
	r := must(g.Compile(context.Background(), compose.WithCheckPointStore(s),
		compose.WithInterruptAfterNodes([]string{"agent"}), compose.WithMaxRunSteps(1000)))
	i := 0
	call := func(ctx context.Context) error {
		i++
		add := compose.WithStateModifier(func(_ context.Context, _ compose.NodePath, state any) error {
			t, ok := state.(*talk)
			if !ok {
				return fmt.Errorf("state is a %T", state)
			}
			t.Messages = append(t.Messages, message{"m" + strconv.Itoa(i), "user", sentence})
			return nil
		})
		_, err := r.Invoke(ctx, 0, compose.WithCheckPointID("t"), add)
		if _, ok := compose.ExtractInterruptInfo(err); !ok {
			return fmt.Errorf("the turn did not end by its interrupt: %w", err)
		}
		return nil
	}
	return work{
		again:   10,
		prepare: func(ctx context.Context) error { i = 0; delete(s.m, "t"); return call(ctx) },
		run:     call,
		wrote:   func() int64 { return s.n },
	}
}
