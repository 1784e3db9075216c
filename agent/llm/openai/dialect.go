package openai

import (
	"slices"
	"strings"

	"maru/agent/llm"
	"maru/phrase/pattern"
)

// refusesRoles reports whether an error says that the model's chat template supports no system message, or requires user
// and assistant messages to alternate (Gemma, Mistral). vLLM and llama.cpp pass the template's words on; Gemini calls a
// system message a developer instruction.
func refusesRoles(says string) bool {
	return hasAny(says, "roles must alternate", "unexpected role") || noSystem.MatchString(says)
}

var noSystem = pattern.New(`\b(?:system|developer)['"\x60]? ?(?:role|message|instruction|prompt)s?['"\x60]? (?:is |are |was )?not (?:supported|enabled|allowed|permitted|accepted)|` +
	`(?:does not|doesn't|do not|don't) support (?:an? |the )?['"\x60]?(?:system|developer)\b|only user[^.]{0,40} roles are supported`)

// ofTemplate reports whether a server error is really a refused request: llama.cpp answers some of those with 500.
func ofTemplate(said string) bool {
	says := strings.ToLower(said)
	return refusesRoles(says) || refusesTools(says) || refusesPictures(says) || hasAny(says, "failed to parse grammar")
}

// turns rewrites a conversation for a template with alternating user and assistant messages only: system messages become
// the beginning of the first user message, and consecutive messages of one role are joined.
func turns(in []llm.Message) []llm.Message {
	var system []string
	var out []llm.Message
	for _, m := range in {
		last := len(out) - 1
		switch {
		case m.Role == llm.System:
			system = append(system, m.Content)
		case last >= 0 && m.Role != llm.ToolRole && out[last].Role == m.Role && len(m.ToolCalls)+len(out[last].ToolCalls) == 0:
			out[last].Content += "\n\n" + m.Content
			out[last].Pictures = slices.Concat(out[last].Pictures, m.Pictures)
		default:
			out = append(out, m)
		}
	}
	if len(system) == 0 {
		return out
	}
	told := llm.Message{Role: llm.User, Content: strings.Join(system, "\n\n")}
	if len(out) == 0 || out[0].Role != llm.User {
		return append([]llm.Message{told}, out...)
	}
	out[0].Content = told.Content + "\n\n" + out[0].Content
	return out
}
