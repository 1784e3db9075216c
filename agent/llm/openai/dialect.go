package openai

import (
	"slices"
	"strings"

	"maru/agent/llm"
	"maru/phrase/pattern"
)

// refusesRoles reads a refusal of the conversation's form: the templates of some
// models (Gemma, Mistral) know no system message, or want people and model to take
// turns, and vLLM and llama.cpp say so in the template's words. Gemini calls it an instruction of the developer.
func refusesRoles(says string) bool {
	return hasAny(says, "roles must alternate", "unexpected role") || noSystem.MatchString(says)
}

var noSystem = pattern.New(`\b(?:system|developer)['"\x60]? ?(?:role|message|instruction|prompt)s?['"\x60]? (?:is |are |was )?not (?:supported|enabled|allowed|permitted|accepted)|` +
	`(?:does not|doesn't|do not|don't) support (?:an? |the )?['"\x60]?(?:system|developer)\b|only user[^.]{0,40} roles are supported`)

// ofTemplate reports whether an error within the server is its refusal of the
// request: llama.cpp answers some with 500.
func ofTemplate(said string) bool {
	says := strings.ToLower(said)
	return refusesRoles(says) || refusesTools(says) || refusesPictures(says) || hasAny(says, "failed to parse grammar")
}

// turns returns a conversation for a model whose template knows only people and the model,
// by turns: what the system says is before the first words of a person, and what
// one of them says several times in a row is said at once.
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
