package host

import (
	"errors"

	"maru/agent/llm"
	"maru/agent/workflow"
)

// WhyOf says in words why a call of the model gave nothing.
func WhyOf(x *workflow.Exec, err error) string {
	if errors.Is(err, llm.ErrOnlyThoughts) {
		return x.Phrase("agent.model_thoughts")
	}
	return Why(x, llm.ClassOf(err))
}

// Why says in words why the model did nothing.
func Why(x *workflow.Exec, class llm.Class) string {
	switch class {
	case llm.RateLimited, llm.Overloaded, llm.Busy:
		return x.Phrase("agent.model_busy")
	case llm.Network:
		return x.Phrase("agent.model_away")
	case llm.Cut:
		return x.Phrase("agent.model_cut")
	case llm.Garbage, llm.WebPage:
		return x.Phrase("agent.model_garbled")
	case llm.Timeout:
		return x.Phrase("agent.model_late")
	case llm.Auth, llm.NotFound:
		return x.Phrase("agent.model_denied")
	case llm.Quota:
		return x.Phrase("agent.model_quota")
	case llm.ContextLength:
		return x.Phrase("agent.model_too_long")
	case llm.Length:
		return x.Phrase("agent.model_no_room")
	case llm.OverBudget:
		return x.Phrase("agent.model_spent")
	case llm.BadRequest:
		return x.Phrase("agent.model_unfit")
	case llm.ContentFilter, llm.Refused, llm.Invalid:
	}
	return x.Phrase("agent.model_no_answer")
}
