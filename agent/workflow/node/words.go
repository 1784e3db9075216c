package node

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

	"maru/agent"
	"maru/agent/flow"
	"maru/agent/graph"
	"maru/agent/tool"
	"maru/agent/workflow"
	"maru/memory"
)

// words is the channel that keeps what a turn was given and what its models wrote: a card marks values that only a model gave.
const words = "words"

// Bounds of what is kept, in bytes.
const (
	maxGave  = 64 << 10 // of a result
	maxWrote = 16 << 10 // of a model's text
)

// Words is a text of a turn: the result of a call or a request, or what a model wrote.
type Words struct {
	Gave

	ID    string `json:"id"`              // digest, by which the same text is kept once
	Model bool   `json:"model,omitempty"` // a model wrote it
	Err   string `json:"err,omitempty"`   // for a failed call, the same for people
}

// noted adds a text to the turn's words.
func noted(schema *graph.Schema, writes []graph.Write, more ...Words) ([]graph.Write, error) {
	if len(more) == 0 {
		return writes, nil
	}
	for i, w := range more {
		most := maxGave
		if w.Model {
			most = maxWrote
		}
		more[i].Text = tool.Bound(w.Text, most)
		more[i].ID = more[i].digest()
	}
	w, err := schema.Add(words, more)
	return append(writes, w), err
}

// digest tells texts of a turn apart. Compared as they are, 400 results of 60 kB took seconds at each replay.
func (w Words) digest() string {
	by := w.Tool
	if w.Model {
		by = "model"
	}
	sum := sha256.Sum256([]byte(by + "\n" + w.Text))
	return hex.EncodeToString(sum[:16])
}

// marks tells people which values of a call a model of the workflow made up: it wrote them, and neither a person, nor the author of
// the node, nor anything that the turn has read gave them. What an expression computes is no model's word.
func marks(ctx context.Context, s graph.State, x *workflow.Exec, spec tool.Spec, arguments json.RawMessage, written any) []string {
	messages := stateValue[[]memory.Message](s, "messages")
	raw, _ := json.Marshal(written) // it was decoded from JSON
	read := flow.Context{Said: append(SaidBy(x.Request, messages), string(raw))}
	for _, m := range messages {
		read.Read = append(read.Read, m.Author, m.Text)
	}
	for _, p := range stateValue[[]agent.Source](s, "passages") {
		read.Read = append(read.Read, p.Title, p.Quote)
	}
	for name, member := range stateValue[map[string]json.RawMessage](s, "metadata") {
		var v Verdict
		if strings.HasPrefix(name, approvalMember) && json.Unmarshal(member, &v) == nil {
			read.Said = append(read.Said, v.Comment)
		}
	}
	var wrote []string
	for _, w := range stateValue[[]Words](s, words) {
		if !w.Model {
			read.Read = append(read.Read, w.Shown(ctx, x))
			continue
		}
		wrote = append(wrote, w.Text)
		if json.Valid([]byte(w.Text)) { // a structured reply: a value may be one of it, within other words
			for _, v := range flow.Values(json.RawMessage(w.Text)) {
				wrote = append(wrote, v.Text)
			}
		}
	}
	values := slices.DeleteFunc(flow.Values(arguments), func(v flow.Value) bool {
		return !slices.ContainsFunc(wrote, func(text string) bool {
			return v.Text == text || flow.Stands(text, v.Text) || flow.Stands(v.Text, text)
		})
	})
	return MadeUp(x, spec, values, read)
}

// ForPeople puts words for people in the place of the failures of calls that a turn's answer holds as models read them.
func ForPeople(s graph.State, answer string) string {
	for _, w := range stateValue[[]Words](s, words) {
		if w.Err != "" {
			answer = strings.ReplaceAll(answer, w.Text, w.Err)
		}
	}
	return answer
}
