package turn

import (
	"maru/bot"
	"maru/phrase"
)

// withRating adds 👍 and 👎 buttons to an answer if the channel's settings ask for them.
func withRating(card bot.Card, c conclusion) bot.Card {
	if !c.set.Decisions.Feedback || card.Text == "" {
		return card
	}
	card.Kind = bot.CardFeedback
	card.Buttons = append(card.Buttons,
		bot.Button{ID: c.p.Run, Verb: bot.VerbUp, Label: "👍", Spoken: phrase.Say(c.lang, "bot.rating.good")},
		bot.Button{ID: c.p.Run, Verb: bot.VerbDown, Label: "👎", Spoken: phrase.Say(c.lang, "bot.rating.bad")})
	return card
}
