package command

import (
	"context"
	"strings"

	"maru/bot"
	"maru/phrase"
)

// maxPrompts is how many prompts a platform shows with a greeting.
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
		Title: phrase.Say(lang, "bot.try_one_of_these"), Prompts: parsePrompts(set.Prompts),
		Card: bot.Card{Kind: bot.CardNotice, Language: lang, Final: true, Text: phrase.Say(lang,
			"bot.hello_i_am_maru_i")},
	}
	if len(g.Prompts) == 0 {
		g.Prompts = []bot.Prompt{
			{Title: phrase.Say(lang, "bot.what_can_you_do"), Message: phrase.Say(lang, "bot.what_can_you_help_me")},
			{Title: phrase.Say(lang, "bot.search_the_documents"), Message: phrase.Say(lang, "bot.what_is_in_our_teams")},
			{Title: phrase.Say(lang, "bot.sum_up_a_discussion"), Message: phrase.Say(lang, "bot.how_do_i_have_a")},
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
