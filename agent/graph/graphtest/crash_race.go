package graphtest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"maru/agent/graph"
	"maru/datatest"
)

// raceThread is the thread on which the processes meet.
const raceThread = "race"

// RunRaces lets two processes run turns on one thread, without a lease. In each
// round both begin a turn at once and try until it is in. The history must stay
// one line, every message must be in it once, and its answer too if the turn
// was acknowledged. 150 rounds; 1,000 with MARU_TEST_LONG set.
func (p Processes) RunRaces(t *testing.T) {
	t.Helper()
	rounds := 150
	if datatest.Short(t) {
		rounds = 30
	}
	if long() {
		rounds = 1000
	}
	racers := []*child{p.start(t, "race a"), p.start(t, "race b")}
	acked, conflicts := map[string]string{}, 0
	for range rounds {
		for _, c := range racers {
			_, err := fmt.Fprintln(c.in, "go")
			must(t, err)
		}
		for _, c := range racers { // none gets ahead by more turns than a thread remembers
			if !c.lines.Scan() {
				t.Fatal("a child is gone")
			}
			f := strings.Fields(c.lines.Text())
			if f[0] != "done" && f[0] != "passed" {
				t.Fatalf("child: %s", c.lines.Text())
			}
			acked[f[1]] = f[0]
			n, err := strconv.Atoi(f[2])
			must(t, err)
			conflicts += n
		}
	}
	for _, c := range racers {
		must(t, c.in.Close())
		must(t, c.cmd.Wait())
	}
	p.judge(t, acked, 2*rounds)
	t.Logf("%d races of two processes, %d conflicts, every message once in one history", rounds, conflicts)
	if conflicts == 0 {
		t.Errorf("no conflict in %d races: the processes did not meet", rounds)
	}
}

func (p Processes) judge(t *testing.T, acked map[string]string, turns int) {
	t.Helper()
	cp, done, err := p.Open(t.Context(), p.Place)
	must(t, err)
	defer func() { must(t, done()) }()
	plan, log := talkative()
	res, err := graph.NewRuntime(graph.Config{Checkpointer: cp}).Peek(t.Context(), plan, raceThread)
	must(t, err)
	records, err := cp.History(t.Context(), raceThread, "", 1, res.Seq, 0)
	must(t, err)
	for i, r := range records {
		if r.Seq != int64(i+1) {
			t.Fatalf("record %d is at place %d", r.Seq, i+1)
		}
	}
	seen := map[string]int{}
	for _, line := range log.Get(res.State) {
		seen[line]++
	}
	if len(acked) != turns {
		t.Errorf("%d turns came to an end, want %d", len(acked), turns)
	}
	for turn, how := range acked {
		if seen["in "+turn] != 1 || seen["re "+turn] > 1 || (how == "done" && seen["re "+turn] != 1) {
			var at []int64
			for _, r := range records {
				if r.Turn == turn {
					at = append(at, r.Seq)
				}
			}
			t.Errorf("turn %s (%s), records %d: its message is there %d times, its answer %d times",
				turn, how, at, seen["in "+turn], seen["re "+turn])
		}
	}
}

// talkative returns a graph that answers the newest message of a thread.
func talkative() (*graph.Plan, graph.List[string]) {
	s := graph.NewSchema()
	log := graph.NewList(s, "log", graph.PerThread, graph.String(), nil)
	turn := graph.NewLast(s, "turn", graph.PerTurn, graph.String())
	b := graph.New("talkative", s)
	b.Node("answer", func(_ context.Context, s graph.State) ([]graph.Write, error) {
		list := log.Get(s)
		return []graph.Write{log.Add("re " + strings.TrimPrefix(list[len(list)-1], "in ")), turn.Set("x")}, nil
	}, graph.Policy{})
	b.Node("after", func(context.Context, graph.State) ([]graph.Write, error) { return nil, nil }, graph.Policy{})
	b.Edge(graph.Start, "answer")
	b.Edge("answer", "after") // more appends, more room for the other process
	b.Edge("after", graph.End)
	return compile(b), log
}

// raceChild runs the turns of one process, one for each line that comes in.
func raceChild(ctx context.Context, cp graph.Checkpointer, name string, say func(...any)) error {
	plan, log := talkative()
	rt := graph.NewRuntime(graph.Config{Checkpointer: cp})
	starts := bufio.NewScanner(os.Stdin)
	for i := 0; starts.Scan(); i++ {
		turn := name + strconv.Itoa(i)
		how, conflicts, err := enter(ctx, rt, plan, graph.Call{
			Thread: raceThread, Turn: turn, Input: []graph.Write{log.Add("in " + turn)}, Abandon: true,
		})
		if err != nil {
			return err
		}
		say(how, turn, conflicts)
	}
	return starts.Err()
}

// enter tries one turn until it is in the log.
func enter(ctx context.Context, rt *graph.Runtime, p *graph.Plan, c graph.Call) (how string, conflicts int, err error) {
	for {
		_, err := rt.Run(ctx, p, c)
		switch {
		case err == nil:
			return "done", conflicts, nil
		case errors.Is(err, graph.ErrTurnPassed): // begun, then given up by the other process
			return "passed", conflicts, nil
		case errors.Is(err, graph.ErrConflict):
			conflicts++
		default:
			return "", conflicts, err
		}
	}
}
