package bot

import (
	"context"
	"strings"
)

// Greeter is an [Intake] that greets people who open the bot's own place on a
// platform, before they have written anything.
type Greeter interface {
	// Greet returns what u is shown in t. viewing is the channel that they look
	// at, whose settings then hold; its Channel is "" if that is unknown.
	Greet(ctx context.Context, t, viewing Thread, u User) (Greeting, error)
}

// Greeting is a first word, and prompts to begin with.
type Greeting struct {
	Card    Card
	Title   string // over the prompts
	Prompts []Prompt
}

// Prompt is a suggestion: Title is what its button says, Message what is then
// written in the person's name.
type Prompt struct{ Title, Message string }

// maxPrompts is how many prompts a greeting has at most, which is what platforms
// show.
const maxPrompts = 4

var _ Greeter = (*Bot)(nil)

// Greet implements Greeter.
func (b *Bot) Greet(ctx context.Context, t, viewing Thread, u User) (Greeting, error) {
	place := t
	if viewing.Channel != "" {
		place = viewing
	}
	set, err := b.settings(ctx, place, u)
	if err != nil {
		return Greeting{}, err
	}
	lang := languageOf(set.Language, "", u.Locale)
	g := Greeting{
		Title: say(lang, "bot.try_one_of_these"), Prompts: parsePrompts(set.Prompts),
		Card: Card{Kind: CardNotice, Language: lang, Final: true, Text: say(lang,
			"bot.hello_i_am_maru_i")},
	}
	if len(g.Prompts) == 0 {
		g.Prompts = []Prompt{
			{say(lang, "bot.what_can_you_do"), say(lang, "bot.what_can_you_help_me")},
			{say(lang, "bot.search_the_documents"), say(lang, "bot.what_is_in_our_teams")},
			{say(lang, "bot.sum_up_a_discussion"), say(lang, "bot.how_do_i_have_a")},
		}
	}
	return g, nil
}

// parsePrompts reads the setting "prompts": a prompt a line, "title | message",
// or one text that is both.
func parsePrompts(text string) []Prompt {
	var out []Prompt
	for line := range strings.Lines(text) {
		title, message, two := strings.Cut(strings.TrimSpace(line), "|")
		title, message = strings.TrimSpace(title), strings.TrimSpace(message)
		if !two {
			message = title
		}
		if title != "" && message != "" && len(out) < maxPrompts {
			out = append(out, Prompt{title, message})
		}
	}
	return out
}
