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

// Memory stores facts about a person across threads, as [longterm.Memory] does. New facts are
// returned as lessons with the result.
type Memory interface {
	Recall(ctx context.Context, o longterm.Owner, query string, budget int) (longterm.Recollection, error)
}

func ownerOf(r agent.Request) longterm.Owner {
	return longterm.Owner{Person: r.User.ID, Scopes: r.Scopes, Home: r.Home, Message: r.Message, Off: r.NoMemory}
}

// remembers reports whether memory is available and allowed here.
func (k kit) remembers(x *workflow.Exec) bool { return k.memory != nil && !x.Request.NoMemory }

// recall returns the person's earlier statements about themselves, once per visit of the node. A
// memory failure does not fail the run.
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
			k.log.WarnContext(ctx, "recall failed, answering without memory", "run", x.Request.Run, "err", err)
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

// said returns the person's own words of this turn. Only they become memory.
func (k kit) said(s graph.State) []string {
	return append([]string{k.st.question.Get(s)}, k.st.feedback.Get(s)...)
}

// noted is a statement of a person, extracted by a model.
type noted struct {
	Type    longterm.PreferenceType `json:"type"`
	Subject string                  `json:"subject"`
	Value   string                  `json:"value"`
	Quote   string                  `json:"quote"`
}

// lesson turns a note into a lesson if the person's own words contain its quote. Otherwise ok is
// false, as for words of a document.
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
	if err != nil { // cannot fail for strings
		return agent.Lesson{}, false
	}
	return agent.Lesson{Kind: string(longterm.KindPreference), Data: data}, true
}
