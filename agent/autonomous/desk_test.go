package autonomous_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"maru/agent"
	"maru/agent/autonomous"
	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/llm/llmtest"
	"maru/agent/workflow/host"
)

// desk is an agent with its parts at hand.
type desk struct {
	t     *testing.T
	log   *graph.Memory
	cfg   autonomous.Config
	agent *autonomous.Agent
	turn  int

	mu     sync.Mutex
	events []agent.Event
}

func newDesk(t *testing.T, models ...llm.Model) *desk {
	t.Helper()
	d := &desk{t: t, log: graph.NewMemory(), cfg: autonomous.Config{Models: host.Models{Backoff: time.Nanosecond, Random: func() float64 { return 0 }}}}
	d.use(models...)
	return d
}

// use makes a new agent on the same log, as after the process died.
func (d *desk) use(models ...llm.Model) {
	d.t.Helper()
	d.cfg.Runtime = graph.NewRuntime(graph.Config{Checkpointer: d.log, DetectMutation: true})
	d.cfg.Model, d.cfg.Fallbacks = llm.Metered(models[0], time.Now), nil
	for _, m := range models[1:] {
		d.cfg.Fallbacks = append(d.cfg.Fallbacks, llm.Metered(m, time.Now))
	}
	var err error
	if d.agent, err = autonomous.New(d.cfg); err != nil {
		d.t.Fatal(err)
	}
}

func (d *desk) request(text, language string) agent.Request {
	d.turn++
	return agent.Request{
		Run: fmt.Sprintf("run%d", d.turn), Message: fmt.Sprintf("m%d", d.turn), Thread: "thread", Text: text, Language: language,
		User: agent.User{ID: "u1", Name: "지수"}, Now: time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC), Scopes: []string{"public"}, Home: "public",
	}
}

func (d *desk) sink(e agent.Event) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.events = append(d.events, e)
}

func (d *desk) ask(text string) (agent.Result, error) {
	d.t.Helper()
	return d.agent.Run(d.t.Context(), d.request(text, "ko"), d.sink)
}

func (d *desk) must(text string) agent.Result {
	d.t.Helper()
	res, err := d.ask(text)
	if err != nil {
		d.t.Fatal(err)
	}
	return res
}

// streamed returns what a person saw grow last.
func (d *desk) streamed() string {
	var s string
	for _, e := range d.events {
		switch e.Kind {
		case agent.EventToken:
			s += e.Text
		case agent.EventReset:
			s = ""
		}
	}
	return s
}

// visited counts how often a node ran.
func (d *desk) visited(node string) int {
	n := 0
	for _, e := range d.events {
		if e.Kind == agent.EventNodeStart && e.Node == node {
			n++
		}
	}
	return n
}

func classified(as, reply string) llmtest.Reply {
	return llmtest.JSON(map[string]string{"difficulty": as, "reason": "test", "reply": reply})
}

func verdict(v, feedback string) llmtest.Reply {
	return llmtest.JSON(map[string]string{"verdict": v, "feedback": feedback})
}

func todos(titles ...string) llmtest.Reply {
	list := []map[string]string{}
	for _, t := range titles {
		list = append(list, map[string]string{"title": t, "detail": "do " + t})
	}
	return llmtest.JSON(map[string]any{"todos": list})
}
