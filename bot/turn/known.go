package turn

import (
	"encoding/json"
	"slices"
	"strings"

	"maru/agent"
	"maru/bot"
	"maru/memory/longterm"
	"maru/phrase"
	"maru/phrase/fit"
)

// shownKnown limits the memories listed on a card.
const shownKnown = 3

// withMemories adds to a card the memories that the run used, with a button that disables them.
func withMemories(card bot.Card, c conclusion) bot.Card {
	used := agent.KnownIn(c.trace.Events)
	if len(used) == 0 || c.err != nil {
		return card
	}
	var texts []string
	for _, k := range used[:min(len(used), shownKnown)] {
		texts = append(texts, fit.Clip(longterm.Worded(k.Text, c.lang), 60))
	}
	more := ""
	if n := len(used) - len(texts); n > 0 {
		more = phrase.Say(c.lang, "bot.known.more", n)
	}
	card.Footer = fit.Dots(card.Footer, phrase.Say(c.lang, "bot.known.used")+strings.Join(texts, "; ")+more)
	card.Buttons = append(card.Buttons, bot.Button{ID: c.p.Run, Verb: bot.VerbDont, Label: phrase.Say(c.lang, "bot.known.dont_use")})
	return card
}

// withoutMemories returns events without the text of memories. A trace keeps only their IDs and the reason
// for their use, so that deleting a memory removes its text everywhere.
func withoutMemories(events []agent.Event) []agent.Event {
	out := slices.Clone(events)
	for i, e := range out {
		if e.Kind != agent.EventMemory {
			continue
		}
		list := agent.KnownIn([]agent.Event{e})
		for j := range list {
			list[j].Text = ""
		}
		out[i].Data, _ = json.Marshal(list) // strings always encode
	}
	return out
}
