package guide

import (
	"context"
	"encoding/json"
	"strings"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/workflow"
	"maru/memory/longterm"
	"maru/phrase/fit"
)

// Memory is what lasts about a person beyond a thread; [longterm.Memory] is one.
// What is learned travels as lessons with the result.
type Memory interface {
	Recall(ctx context.Context, o longterm.Owner, query string, budget int) (longterm.Recollection, error)
}

func ownerOf(r agent.Request) longterm.Owner {
	return longterm.Owner{Person: r.User.ID, Scopes: r.Scopes, Home: r.Home, Message: r.Message, Off: r.NoMemory}
}

// remembers reports whether anything may last beyond the thread here.
func (k kit) remembers(x *workflow.Exec) bool { return k.memory != nil && !x.Request.NoMemory }

// recall brings in what the person has said about themselves, once in this
// visit of the node. A memory that cannot be reached is no fault of the run.
func (k kit) recall(ctx context.Context, x *workflow.Exec, query string) ([]string, error) {
	if !k.remembers(x) || k.tokens < 0 {
		return nil, nil
	}
	return graph.Repeatable(ctx, "recall", func(ctx context.Context, _ string) ([]string, error) {
		got, err := k.memory.Recall(ctx, ownerOf(x.Request), query, k.tokens)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			k.log.WarnContext(ctx, "memory cannot be reached", "run", x.Request.Run, "err", err)
			return []string{}, nil
		}
		known := make([]agent.Known, len(got.Mementos))
		for i, m := range got.Mementos {
			known[i] = agent.Known{ID: m.ID, Kind: string(m.Kind), Text: m.Text, Why: m.Why().In(x.Request.Language)}
		}
		x.Knew("", known)
		out := []string{}
		for _, m := range got.Mementos {
			if !m.Manner {
				out = append(out, m.Text)
			}
		}
		if manner := got.Manner(); manner != "" {
			out = append(out, manner)
		}
		return out, nil
	})
}

// said are the person's own words in this turn: only they become memory.
func (k kit) said(s graph.State) []string {
	return append([]string{k.st.question.Get(s)}, k.st.feedback.Get(s)...)
}

// noted is what somebody said about themselves, as a model reads it out.
type noted struct {
	Type    longterm.PreferenceType `json:"type"`
	Subject string                  `json:"subject"`
	Value   string                  `json:"value"`
	Quote   string                  `json:"quote"`
}

// lesson makes a lesson of a note, if its quote stands in the person's own
// words. ok is false for everything else, such as what a document said.
func lesson(n noted, words []string) (agent.Lesson, bool) {
	quote := fit.OneLine(n.Quote)
	if len([]rune(quote)) < 2 || strings.TrimSpace(n.Subject) == "" || strings.TrimSpace(n.Value) == "" {
		return agent.Lesson{}, false
	}
	own := false
	for _, w := range words {
		own = own || strings.Contains(fit.OneLine(w), quote)
	}
	if !own || longterm.Sensitive(n.Value) || longterm.Sensitive(quote) {
		return agent.Lesson{}, false
	}
	data, err := json.Marshal(longterm.PreferenceLesson{Type: n.Type, Subject: fit.Cut(strings.TrimSpace(n.Subject), 80), Value: fit.Cut(strings.TrimSpace(n.Value), 200), Quote: fit.Cut(quote, 300)})
	if err != nil { // plain texts: never
		return agent.Lesson{}, false
	}
	return agent.Lesson{Kind: string(longterm.KindPreference), Data: data}, true
}
