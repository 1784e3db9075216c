package orchestrator

import (
	"maru/agent/llm"
	"maru/agent/tool"
	"maru/agent/workflow"
)

// maxOffered bounds the tools that one prompt describes.
const maxOffered = 12

// offered describes tools to the model.
func offered(x *workflow.Exec, specs []tool.Spec) []llm.Tool {
	if x.Tools == nil || len(specs) == 0 {
		return nil
	}
	names := make(map[string]bool, len(specs))
	for _, s := range specs {
		names[s.Name] = true
	}
	return x.Tools.OfferIf(func(s tool.Spec) bool { return names[s.Name] })
}
