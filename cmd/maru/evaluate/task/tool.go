package task

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"maru/agent"
	"maru/agent/tool"
	"maru/phrase"
)

// Fake is a tool of a file: it does nothing but answer as the file says.
type Fake struct {
	Name        string          `json:"name"`
	Title       string          `json:"title"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
	Effect      agent.Effect    `json:"effect"` // reads, sends or writes
	Replies     []Answer        `json:"replies"`
}

// Answer is a tool's answer to arguments. The first that matches counts.
type Answer struct {
	When map[string]Words `json:"when"` // none: to all
	Text string           `json:"text"`
}

// ReadTools reads a file of tools, a JSON list.
func ReadTools(path string) ([]tool.Tool, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("tools: %w", err)
	}
	var fakes []Fake
	if err := strict(data, &fakes); err != nil {
		return nil, fmt.Errorf("%s: %w; it is a list of tools with name, title, description, parameters, effect and replies", filepath.Base(path), err)
	}
	out := make([]tool.Tool, len(fakes))
	for i, f := range fakes {
		if f.Effect != agent.EffectReads && f.Effect != agent.EffectSends && f.Effect != agent.EffectWrites {
			return nil, fmt.Errorf("%s: the tool %q has the effect %q; it is reads, sends or writes", filepath.Base(path), f.Name, f.Effect)
		}
		out[i] = f
	}
	return out, nil
}

// Spec implements [tool.Tool].
func (f Fake) Spec() tool.Spec {
	reads := f.Effect == agent.EffectReads
	return tool.Spec{
		Name: f.Name, Title: phrase.Raw(f.Title), Description: f.Description, Parameters: f.Parameters,
		Policy: tool.Policy{ReadOnly: f.Effect != agent.EffectWrites, Idempotent: reads, Egress: f.Effect == agent.EffectSends, Approval: !reads},
	}
}

// Call implements [tool.Tool].
func (f Fake) Call(_ context.Context, c tool.Call) (tool.Result, error) {
	for _, r := range f.Replies {
		if fits(r.When, c.Arguments) {
			return tool.Result{Text: r.Text}, nil
		}
	}
	return tool.Result{Text: "Done."}, nil
}

// fits reports whether the arguments have one of the words of each name.
func fits(want map[string]Words, arguments json.RawMessage) bool {
	var got map[string]any
	if json.Unmarshal(arguments, &got) != nil {
		return len(want) == 0
	}
	for name, words := range want {
		value, ok := got[name]
		if !ok || !words.in(fmt.Sprint(value)) {
			return false
		}
	}
	return true
}

// made is a call that was made.
type made struct {
	tool      string
	arguments json.RawMessage
	result    string
	effect    agent.Effect
}

// journal records the calls of tools that ran.
type journal struct {
	mu    sync.Mutex
	calls []made
}

// take returns the calls since it was last asked.
func (j *journal) take() []made {
	j.mu.Lock()
	defer j.mu.Unlock()
	calls := j.calls
	j.calls = nil
	return calls
}

// recorded is a tool whose calls are recorded.
type recorded struct {
	tool.Tool
	*journal
}

// Call implements [tool.Tool].
func (r recorded) Call(ctx context.Context, c tool.Call) (tool.Result, error) {
	res, err := r.Tool.Call(ctx, c)
	spec := r.Spec()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls = append(r.calls, made{spec.Name, c.Arguments, res.Text, spec.Policy.Effect()})
	return res, err
}

// in reports whether one of the words is in a text, without regard to case, spaces and marks in numbers.
func (w Words) in(text string) bool {
	text = plain(text)
	return slices.ContainsFunc(w, func(one string) bool { return strings.Contains(text, plain(one)) })
}
