package command

import (
	"context"
	"strings"

	"maru/bot"
	"maru/phrase"
)

// maxPrompts limits the prompts shown with a greeting.
const maxPrompts = 4

// Greet implements [bot.Greeter].
func (pg *Pages) Greet(ctx context.Context, t, viewing bot.Thread, u bot.User) (bot.Greeting, error) {
	place := t
	if viewing.Channel != "" {
		place = viewing
	}
	set, err := pg.rules.Settings(ctx, place, u)
	if err != nil {
		return bot.Greeting{}, err
	}
	lang := phrase.LanguageOf(set.Language, "", u.Locale)
	g := bot.Greeting{
		Title: phrase.Say(lang, "bot.greeting.try"), Prompts: parsePrompts(set.Prompts),
		Card: bot.Card{Kind: bot.CardNotice, Language: lang, Final: true, Text: phrase.Say(lang,
			"bot.greeting.hello")},
	}
	if len(g.Prompts) == 0 {
		g.Prompts = []bot.Prompt{
			{Title: phrase.Say(lang, "bot.greeting.abilities_title"), Message: phrase.Say(lang, "bot.greeting.abilities")},
			{Title: phrase.Say(lang, "bot.greeting.documents_title"), Message: phrase.Say(lang, "bot.greeting.documents")},
			{Title: phrase.Say(lang, "bot.greeting.summary_title"), Message: phrase.Say(lang, "bot.greeting.summary")},
		}
	}
	return g, nil
}

// parsePrompts parses the setting "prompts": one prompt per line, as "title | message" or
// as a text that is both.
func parsePrompts(text string) []bot.Prompt {
	var out []bot.Prompt
	for line := range strings.Lines(text) {
		title, message, two := strings.Cut(strings.TrimSpace(line), "|")
		title, message = strings.TrimSpace(title), strings.TrimSpace(message)
		if !two {
			message = title
		}
		if title != "" && message != "" && len(out) < maxPrompts {
			out = append(out, bot.Prompt{Title: title, Message: message})
		}
	}
	return out
}
