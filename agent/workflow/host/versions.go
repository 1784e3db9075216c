package host

import (
	"encoding/json"
	"fmt"
	"sync"

	"maru/agent/graph"
	"maru/agent/workflow"
)

// versions are the plans of one agent: that of its definition, and those of
// earlier definitions under which turns still wait.
type versions struct {
	cfg    Config
	bundle string // the definition and all that it runs, as JSON
	now    *graph.Plan

	mu  sync.Mutex
	old map[string]*graph.Plan // by bundle and hash
}

// maxOld bounds the earlier plans that are kept compiled.
const maxOld = 16

func newVersions(c Config) (*versions, workflow.Problems, error) {
	v := &versions{cfg: c, old: map[string]*graph.Plan{}}
	var warnings workflow.Problems
	var err error
	if v.now, warnings, err = workflow.CompileWith(c.Definition, c.Types, c.Schema, c.Options, c.Find); err != nil {
		return nil, nil, err
	}
	text, err := json.Marshal(workflow.Closure(c.Definition, c.Find))
	if err != nil {
		return nil, nil, fmt.Errorf("write definition: %w", err)
	}
	v.bundle = string(text)
	return v, warnings, nil
}

// earlier compiles the bundle with which a turn began, whose records carry the hash was. If the hash differs although
// the text is the same, the program has gained channels since: the turn never wrote them, and continues. The engine
// refuses a channel that the turn wrote and that has gone or changed its type.
func (v *versions) earlier(text, was string) (*graph.Plan, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	key := was + " " + text
	if p := v.old[key]; p != nil {
		return p, nil
	}
	var all []workflow.Definition
	if err := json.Unmarshal([]byte(text), &all); err != nil || len(all) == 0 {
		return nil, fmt.Errorf("%w: which definition the run began with is not known", graph.ErrPlanChanged)
	}
	find := func(id string) (workflow.Definition, bool) {
		for _, d := range all[1:] {
			if d.ID == id {
				return d, true
			}
		}
		return workflow.Definition{}, false
	}
	options := v.cfg.Options
	options.Accept = []string{was}
	plan, _, err := workflow.CompileWith(all[0], v.cfg.Types, v.cfg.Schema, options, find)
	if err != nil {
		return nil, fmt.Errorf("%w: the definition that the run began with does not compile any more: %w", graph.ErrPlanChanged, err)
	}
	if len(v.old) >= maxOld {
		clear(v.old)
	}
	v.old[key] = plan
	return plan, nil
}
