package openai

import (
	"slices"
	"strings"

	"maru/agent/llm"
)

// otherPeople is told to a model whose conversation has several people in it.
const otherPeople = "Several people take part in this conversation. A message that begins with a name and a colon was written by that person; " +
	"one without was written by the person whom you answer now. Begin no answer of yours with a name and a colon."

// attributed says who wrote what: the names of the other people before their messages, as the
// protocol's own field for names takes no Korean and is refused by some servers. Between
// one person and the bot nothing changes.
func attributed(in []llm.Message) []llm.Message {
	asker := ""
	for _, m := range slices.Backward(in) {
		if m.Role == llm.User && m.Author != "" {
			asker = m.Author
			break
		}
	}
	other := func(m llm.Message) bool { return m.Role == llm.User && m.Author != "" && m.Author != asker }
	if !slices.ContainsFunc(in, other) {
		return in
	}
	out := slices.Clone(in)
	for i, m := range out {
		if other(m) {
			out[i].Content = strings.Join(strings.Fields(m.Author), " ") + ": " + m.Content
		}
	}
	if i := slices.IndexFunc(out, func(m llm.Message) bool { return m.Role == llm.System }); i >= 0 {
		out[i].Content += "\n\n" + otherPeople
		return out
	}
	return append([]llm.Message{{Role: llm.System, Content: otherPeople}}, out...)
}
