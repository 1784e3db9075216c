// Package extractive is the built-in model, without network and weights: it routes, calls the
// calculator and the clock, quotes the sentences of passages that cover a question, with their
// numbers, and repeats what was said in the conversation, in Korean and English. For everything
// else it names the remedy: a language model.
//
// Every fact in a reply is in a passage, a tool's result or an earlier message. It knows
// nothing of agents, documents or tools beyond what a [llm.Request] says.
package extractive

import (
	"context"

	"maru/agent/llm"
	"maru/phrase/chart"
)

// Name is the name of the model.
const Name = llm.BuiltIn

// Model is the built-in model. It holds no state; the zero value is ready.
type Model struct{}

// New returns the built-in model.
func New() *Model { return &Model{} }

var _ llm.Model = (*Model)(nil)

// Name implements [llm.Model].
func (m *Model) Name() string { return Name }

// Generate implements [llm.Model]. It spends no tokens and reports none.
func (m *Model) Generate(ctx context.Context, req llm.Request, onDelta func(string)) (llm.Response, error) {
	if err := ctx.Err(); err != nil {
		return llm.Response{}, err
	}
	out, err := reply(read(req))
	if err != nil {
		return llm.Response{}, err
	}
	if onDelta != nil && out.text != "" {
		onDelta(out.text)
	}
	finish := "stop"
	if len(out.calls) > 0 {
		finish = "tool_calls"
	}
	return llm.Response{
		Message: llm.Message{Role: llm.Assistant, Content: out.text, ToolCalls: out.calls},
		Model:   Name, Finish: finish,
	}, nil
}

// output is what a skill has to say: words or tool calls.
type output struct {
	text  string
	calls []llm.ToolCall
}

func say(text string) output { return output{text: text} }

// reply picks the skill that the request is for.
func reply(a *ask) (output, error) {
	if a.req.Schema != nil {
		return structured(a)
	}
	switch a.req.Purpose {
	case llm.ForDigest:
		return say(digest(a)), nil
	case llm.ForSummary:
		return say(summarise(a)), nil
	case llm.ForTitle:
		return say(title(a)), nil
	case llm.ForRewrite:
		return say(a.question), nil // a question is its own best query here
	default:
		return converse(a)
	}
}

// converse answers a person: with what tools found, then with a tool, then with
// passages, then out of the conversation. A question for documents that asks for a sum as
// well is answered from both.
func converse(a *ask) (output, error) {
	if sum, rest := embedded(a.question); sum != "" && a.wish().kind == wantsDocuments {
		if len(a.results) > 0 {
			a.question = rest
			return say(quote(a) + "\n\n" + tellResults(a)), nil
		}
		if call, ok := a.toolFor(wish{kind: wantsArithmetic, arg: sum}); ok {
			return output{calls: []llm.ToolCall{call}}, nil
		}
	}
	if len(a.results) > 0 {
		return say(tellResults(a)), nil
	}
	w := a.wish()
	if call, ok := a.toolFor(w); ok {
		return output{calls: []llm.ToolCall{call}}, nil
	}
	if c := a.req.ToolChoice; c != "" && c != "auto" && c != "none" {
		return output{}, unable("to choose a tool's arguments for this question")
	}
	if _, ok := chart.Asked(a.words); ok {
		return say(drawn(a)), nil
	}
	if len(a.req.Passages) > 0 && (!w.kind.aside() || a.pointsAtPaper()) {
		if w.kind == wantsChoice {
			return say(talk(a, w) + "\n\n" + quote(a)), nil
		}
		return say(quote(a)), nil
	}
	return say(talk(a, w)), nil
}

// unable is the error for what only a real model can do.
func unable(what string) error {
	return &llm.Error{
		Class: llm.BadRequest, Model: Name,
		Detail: "a real model is needed " + what + ": set OPENAI_API_KEY, or OPENAI_BASE_URL of a local server",
	}
}
