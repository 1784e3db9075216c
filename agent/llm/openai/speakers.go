package openai

import (
	"cmp"
	"slices"
	"strings"

	"maru/agent/llm"
)

// What a model is told about marks before messages.
const (
	aboutNames = "Several people take part in this conversation. A message that begins with a name and a colon was written by that person; " +
		"one without was written by the person whom you answer now."
	aboutDays  = "A message that begins with a day in square brackets was written on that day: its \"tomorrow\" is the day after that one."
	noneOfThem = "Begin no answer of yours like that."
)

// attributed says who wrote what, and when: the names of other people and the days that
// are past before their messages, as the protocol's own field for names takes no Korean and
// is refused by some servers, and there is none for time. Between one person and the bot, on
// one day, nothing changes.
func attributed(in []llm.Message) []llm.Message {
	asker, today := "", ""
	for _, m := range slices.Backward(in) {
		if m.Role == llm.User {
			asker, today = cmp.Or(asker, m.Author), cmp.Or(today, m.Day)
		}
	}
	other := func(m llm.Message) bool { return m.Role == llm.User && m.Author != "" && m.Author != asker }
	earlier := func(m llm.Message) bool { return m.Role == llm.User && m.Day != "" && m.Day != today }
	names, days := slices.ContainsFunc(in, other), slices.ContainsFunc(in, earlier)
	if !names && !days {
		return in
	}
	out := slices.Clone(in)
	for i, m := range in {
		if other(m) {
			out[i].Content = strings.Join(strings.Fields(m.Author), " ") + ": " + out[i].Content
		}
		if earlier(m) {
			out[i].Content = "[" + m.Day + "] " + out[i].Content
		}
	}
	var told []string
	if names {
		told = append(told, aboutNames)
	}
	if days {
		told = append(told, aboutDays)
	}
	about := strings.Join(append(told, noneOfThem), " ")
	if i := slices.IndexFunc(out, func(m llm.Message) bool { return m.Role == llm.System }); i >= 0 {
		out[i].Content += "\n\n" + about
		return out
	}
	return append([]llm.Message{{Role: llm.System, Content: about}}, out...)
}
