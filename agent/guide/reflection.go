package guide

import (
	"context"
	"slices"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/workflow"
	"maru/agent/workflow/host"
	"maru/memory/longterm"
	"maru/phrase/fit"
)

type reflected struct {
	Preferences []noted  `json:"preferences"`
	Feedback    []remark `json:"feedback"`
	Missing     []wanted `json:"missing_tools"`
}

type remark struct {
	Subject string `json:"subject"`
	Value   string `json:"value"`
	Quote   string `json:"quote"`
}

type wanted struct {
	Name  string `json:"name"`
	Quote string `json:"quote"`
}

var reflectShape = llm.MustShape("guide_reflection", `{
  "type": "object",
  "properties": {
    "preferences": {"type": "array", "maxItems": 5, "items": {
      "type": "object",
      "properties": {"type": {"type": "string", "enum": ["fact", "like", "goal"]}, "subject": {"type": "string"}, "value": {"type": "string"}, "quote": {"type": "string"}},
      "required": ["type", "subject", "value", "quote"], "additionalProperties": false}},
    "feedback": {"type": "array", "maxItems": 3, "items": {
      "type": "object",
      "properties": {"subject": {"type": "string"}, "value": {"type": "string"}, "quote": {"type": "string"}},
      "required": ["subject", "value", "quote"], "additionalProperties": false}},
    "missing_tools": {"type": "array", "maxItems": 5, "items": {
      "type": "object",
      "properties": {"name": {"type": "string"}, "quote": {"type": "string"}},
      "required": ["name", "quote"], "additionalProperties": false}}
  },
  "required": ["preferences", "feedback", "missing_tools"],
  "additionalProperties": false
}`)

func (k kit) reflection() workflow.Type {
	return workflow.Define(workflow.Type{
		Name: "guide_reflection", Summary: "Notes preferences, feedback and services asked for that the knowledge lacks.",
		Doc:   "Only the person's own words become memory: every note needs a quote that stands in them. It runs also where the guide was put together without the model; a wish for free services is noted without one.",
		Reads: []string{"question", "user_feedback"}, Writes: []string{"lessons", "lacking", "messages"},
	}, k.reflect, nil)
}

func (k kit) reflect(ctx context.Context, s graph.State, x *workflow.Exec, _ none) ([]graph.Write, error) {
	writes := host.Said(x.Request, s, k.st.messages, k.st.guide.Get(s), keptMessages)
	if !k.remembers(x) {
		return writes, nil
	}
	words := k.said(s)
	plain := k.st.lessons.Add(frugalLessons(words)...)
	switch llm.Class(k.st.silent.Get(s)) {
	case "", llm.Invalid, llm.Garbage, llm.Length, llm.Cut, llm.ContextLength, llm.ContentFilter, llm.Refused: // it answers; its notes may be usable
	default: // the model cannot be reached in this turn: do not wait for it again
		return append(writes, plain), nil
	}
	system, err := k.prompt("reflect", s, x, map[string]any{"Words": words})
	if err != nil {
		return nil, err
	}
	got, err := workflow.Fill[reflected](ctx, x, "reflect", llm.Request{Purpose: llm.ForExtract, Messages: []llm.Message{
		{Role: llm.System, Content: system}, {Role: llm.User, Content: words[0]},
	}}, reflectShape)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		k.log.WarnContext(ctx, "reflection failed, no lessons stored", "run", x.Request.Run, "err", err)
		return append(writes, plain), nil // best effort: the guide does not depend on it
	}
	if got.Failed != "" {
		return append(writes, plain), nil
	}
	lessons, lacking := k.learned(x, got.Value, words)
	if len(lacking) > 0 {
		host.Custom(x, "knowledge_gap", lacking)
		k.log.InfoContext(ctx, "requested services missing in the catalogue", "run", x.Request.Run, "services", lacking)
	}
	return append(writes, k.st.lessons.Add(lessons...), k.st.lacking.Add(lacking...)), nil
}

// learned keeps the parts of a reflection that the person's own words support.
func (k kit) learned(x *workflow.Exec, r reflected, words []string) (lessons []agent.Lesson, lacking []string) {
	notes := r.Preferences
	for _, f := range r.Feedback {
		notes = append(notes, noted{longterm.Feedback, f.Subject, f.Value, f.Quote})
	}
	for _, w := range r.Missing {
		name := fit.Cut(fit.OneLine(w.Name), 60)
		if _, known := k.catalog.Named(name); known || !slices.ContainsFunc(words, func(said string) bool { return names(said, name, false) }) {
			continue
		}
		note := noted{longterm.Feedback, x.Phrase("guide.wanted"), name, w.Quote}
		if _, own := lesson(note, words); own {
			lacking = append(lacking, name)
			notes = append(notes, note)
		}
	}
	for _, n := range notes {
		if l, ok := lesson(n, words); ok {
			lessons = append(lessons, l)
		}
	}
	return lessons, lacking
}

// keptMessages is the number of messages stored per thread.
const keptMessages = 20
