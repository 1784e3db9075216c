package host

import (
	"maru/agent/llm"
	"maru/agent/workflow"
)

// Why says in words why the model did nothing.
func Why(x *workflow.Exec, class llm.Class) string {
	switch class {
	case llm.RateLimited, llm.Overloaded:
		return x.Phrase("orchestrator.model.busy")
	case llm.Network:
		return x.Phrase("orchestrator.model.away")
	case llm.Cut:
		return x.Phrase("orchestrator.model.cut")
	case llm.Garbage, llm.WebPage:
		return x.Phrase("orchestrator.model.garbled")
	case llm.Timeout:
		return x.Phrase("orchestrator.model.late")
	case llm.Auth, llm.NotFound:
		return x.Phrase("orchestrator.model.refused_us")
	case llm.Quota:
		return x.Phrase("orchestrator.model.quota")
	case llm.ContextLength:
		return x.Phrase("orchestrator.model.too_long")
	case llm.Length:
		return x.Phrase("orchestrator.model.no_room")
	case llm.OverBudget:
		return x.Phrase("orchestrator.model.spent")
	case llm.BadRequest:
		return x.Phrase("orchestrator.model.unfit")
	case llm.ContentFilter, llm.Refused, llm.Invalid:
	}
	return x.Phrase("orchestrator.model.no_answer")
}
