package main

import (
	"context"
	"strconv"

	"maru/agent/graph"
	"maru/agent/graph/graphtest"
)

// ours returns the work as agent/graph does it.
func ours() engine {
	e := engine{}
	bare := graph.NewRuntime(graph.Config{})
	line, loop, fan := graphtest.Line(3), graphtest.Loop(100), graphtest.Fan(10)
	plain := func(p *graph.Plan) func() work {
		return func() work {
			return work{run: func(ctx context.Context) error {
				_, err := bare.Run(ctx, p, graph.Call{Thread: "t", Turn: "1"})
				return err
			}}
		}
	}
	e["line"], e["loop"], e["fan"] = plain(line), plain(loop), plain(fan)
	hub := graph.NewHub[graph.Event](1024) // with ten readers that are stuck
	for range 10 {
		hub.Reader()
	}
	e["loop-heard"] = func() work {
		return work{run: func(ctx context.Context) error {
			_, err := bare.Run(ctx, loop, graph.Call{Thread: "t", Turn: "1", Sink: hub.Send})
			return err
		}}
	}
	e["loop-saved"] = func() work { return saved(loop, 1, nil) }
	e["loop-saved-heard"] = func() work { return saved(loop, 1, hub.Send) }
	e["fan-saved"] = func() work { return saved(fan, 1, nil) }
	e["threads"] = func() work { return saved(line, 1000, nil) }
	e["ask"] = ask
	for _, n := range histories {
		e["turn"+strconv.Itoa(n)] = func() work { return turn(n) }
	}
	return e
}

// saved runs a plan on new threads with a record of each step, n times.
func saved(p *graph.Plan, n int, sink graph.Sink) work {
	log := &graphtest.Counter{Checkpointer: graph.NewMemory()}
	rt := graph.NewRuntime(graph.Config{Checkpointer: log})
	return work{
		run: func(ctx context.Context) error {
			for i := range n {
				thread := "t" + strconv.Itoa(i)
				if _, err := rt.Run(ctx, p, graph.Call{Thread: thread, Turn: "1", Sink: sink}); err != nil {
					return err
				}
				if err := rt.Delete(ctx, thread); err != nil {
					return err
				}
			}
			return nil
		},
		wrote: func() int64 { return log.Records.Load() + log.Snapshots.Load() },
	}
}

func ask() work {
	log := &graphtest.Counter{Checkpointer: graph.NewMemory()}
	rt, p := graph.NewRuntime(graph.Config{Checkpointer: log}), graphtest.Asker()
	return work{
		run: func(ctx context.Context) error {
			res, err := rt.Run(ctx, p, graph.Call{Thread: "t", Turn: "1"})
			if err != nil {
				return err
			}
			_, err = rt.Resume(ctx, p, graph.Call{Thread: "t", Answers: []graph.Answer{{ID: res.Interrupts[0].ID, Value: []byte("true")}}})
			if err != nil {
				return err
			}
			return rt.Delete(ctx, "t")
		},
		wrote: func() int64 { return log.Records.Load() + log.Snapshots.Load() },
	}
}

// turn returns one more turn on a thread of n messages, which begins again every ten
// turns so that it stays that long.
func turn(n int) work {
	log := &graphtest.Counter{Checkpointer: graph.NewMemory()}
	rt, chat, i := graph.NewRuntime(graph.Config{Checkpointer: log}), graphtest.NewChat(), 0
	thread := ""
	return work{
		again: 10,
		prepare: func(ctx context.Context) error {
			i = 0
			if thread != "" {
				if err := rt.Delete(ctx, thread); err != nil {
					return err
				}
			}
			thread = "bench/T0123/C0123/1"
			return chat.Fill(ctx, rt, thread, n)
		},
		run: func(ctx context.Context) error {
			i++
			return chat.Turn(ctx, rt, thread, i)
		},
		wrote: log.Records.Load, // snapshots are shown by themselves
	}
}
