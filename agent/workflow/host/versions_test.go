package host_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/workflow"
	"maru/agent/workflow/host"
)

// asks waits for a person in "ask", and then goes by what they said to "left" or
// "right".
const asks = `{"id":"echo","name":"e","version":"1","nodes":[{"id":"start","node_type":"start"},{"id":"ask","node_type":"ask"},
	{"id":"left","node_type":"left"},{"id":"right","node_type":"right"},{"id":"end","node_type":"end"}],
	"edges":[{"source":"start","target":"ask"},{"source":"ask","source_port":"yes","target":"left"},{"source":"ask","source_port":"no","target":"right"},
	{"source":"left","target":"end"},{"source":"right","target":"end"}]}`

// swapped is the same graph with the two ways exchanged: the same nodes, and the
// same targets of the same node.
var swapped = strings.NewReplacer(`"yes","target":"left"`, `"yes","target":"right"`, `"no","target":"right"`, `"no","target":"left"`).Replace(asks)

// upgrade is one version of a program.
type upgrade struct {
	*host.Host

	st  state
	ran []string
}

func version(t *testing.T, definition string, log graph.Checkpointer, more bool, types ...string) *upgrade {
	t.Helper()
	st := newState(more)
	u := &upgrade{st: st}
	var all []workflow.Type
	for _, name := range types {
		typ := workflow.Type{Name: name, Summary: name, Writes: []string{"messages"}}
		typ.Bind = func(json.RawMessage) (workflow.Bound, error) {
			b := workflow.Bound{Run: func(ctx context.Context, _ graph.State) ([]graph.Write, error) {
				if name == "ask" {
					if _, err := graph.Ask(ctx, graph.Question{Key: "q"}); err != nil {
						return nil, err
					}
				}
				u.ran = append(u.ran, name)
				return nil, nil
			}}
			if name == "ask" {
				b.Route = func(context.Context, graph.State) string { return "yes" }
			}
			return b, nil
		}
		if name == "ask" {
			typ.Ports = []string{"yes", "no"}
		}
		all = append(all, typ)
	}
	u.Host = newHost(t, definition, st, log, all...)
	return u
}

func (u *upgrade) turn(t *testing.T, run string, decisions ...agent.Decision) (graph.Result, error) {
	t.Helper()
	x := u.Exec(agent.Request{Run: run, Message: "m" + run, Thread: "t", Text: "go", Now: time.Unix(1, 0), Decisions: decisions}, nil)
	res, _, err := u.Run(t.Context(), x)
	return res, err
}

// TestTurnKeepsItsDefinition upgrades the program while a turn waits for a person.
func TestTurnKeepsItsDefinition(t *testing.T) {
	t.Parallel()
	nodes := []string{"ask", "left", "right"}
	for name, c := range map[string]struct {
		definition string
		more       bool
		types      []string
		ran        string // after the answer; "" if the turn is refused
	}{
		"same_program":                 {asks, false, nodes, "ask left"},
		"ways_were_exchanged":          {swapped, false, nodes, "ask left"},
		"another_graph":                {once, false, append([]string{"say"}, nodes...), "ask left"},
		"a_channel_was_added":          {asks, true, nodes, "ask left"},
		"channel_and_graph":            {swapped, true, nodes, "ask left"},
		"a_node_type_of_it_has_gone":   {once, false, []string{"say", "ask", "left"}, ""},
		"all_node_types_of_it_gone":    {once, false, []string{"say"}, ""},
		"gone_and_a_channel_was_added": {once, true, []string{"say"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			log := graph.NewMemory()
			old := version(t, asks, log, false, nodes...)
			res, err := old.turn(t, "r1")
			if err != nil || len(res.Interrupts) != 1 {
				t.Fatalf("%+v, %v", res, err)
			}
			yes := agent.Decision{Interrupt: res.Interrupts[0].ID, By: "u", At: time.Unix(2, 0), Value: json.RawMessage(`{}`)}
			now := version(t, c.definition, log, c.more, c.types...)
			if err := now.Retain(t.Context(), "t"); err != nil { // what waits survives the upkeep of the new program
				t.Fatal(err)
			}
			res, err = now.turn(t, "r1", yes)
			if c.ran == "" {
				var f *agent.Failure
				if !errors.As(err, &f) || f.Code != "upgraded" || len(now.ran) != 0 {
					t.Errorf("refused with %v after %v", err, now.ran)
				}
			} else if err != nil || !res.Done || strings.Join(now.ran, " ") != c.ran {
				t.Errorf("ran %v, %v", now.ran, err)
			}
			// The next turn is the new program's, whatever became of this one.
			now.ran = nil
			want := "ask right"
			switch c.definition {
			case once:
				want = "say"
			case asks:
				want = "ask left"
			}
			res, err = now.turn(t, "r2")
			if err == nil && len(res.Interrupts) > 0 {
				_, err = now.turn(t, "r2", agent.Decision{Interrupt: res.Interrupts[0].ID, By: "u", At: time.Unix(3, 0), Value: json.RawMessage(`{}`)})
			}
			if err != nil || strings.Join(now.ran, " ") != want {
				t.Errorf("next turn ran %v, %v; want %s", now.ran, err, want)
			}
		})
	}
}

// TestTurnsOfBeforeThePinAreRefused has a thread that does not say which
// definition its turn runs.
func TestTurnsOfBeforeThePinAreRefused(t *testing.T) {
	t.Parallel()
	log := graph.NewMemory()
	old := version(t, asks, log, false, "ask", "left", "right")
	res, err := old.turn(t, "r1")
	if err != nil {
		t.Fatal(err)
	}
	err = old.Rewrite(t.Context(), "t", false, func(graph.State) []graph.Write { return []graph.Write{old.st.definition.Set("")} })
	if err != nil {
		t.Fatal(err)
	}
	now := version(t, swapped, log, false, "ask", "left", "right")
	_, err = now.turn(t, "r1", agent.Decision{Interrupt: res.Interrupts[0].ID, By: "u", At: time.Unix(2, 0), Value: json.RawMessage(`{}`)})
	if !errors.Is(err, graph.ErrPlanChanged) || len(now.ran) != 0 {
		t.Errorf("%v, ran %v", err, now.ran)
	}
}
