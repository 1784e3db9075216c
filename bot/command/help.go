package command

import (
	"context"
	"fmt"
	"strings"

	"maru/bot"
	"maru/phrase"
)

// didYouMean names the command that was probably meant, by the name that was
// nearly written: its own before those of a language. Where none is near, several
// words may have been a question.
func didYouMean(name, args, lang string) string {
	var own, also []string
	for _, row := range Commands() {
		own, also = append(own, row.Name), append(also, namesIn(row.Also, " ")...)
	}
	meant := probably(name, own)
	if meant == "" {
		meant = probably(name, also)
	}
	switch {
	case meant != "":
		return phrase.Say(lang, "bot.did_you_mean", "/maru "+meant)
	case args != "":
		return phrase.Say(lang, "bot.or_ask_it")
	}
	return ""
}

// typed is how a command is given on a platform.
func typed(on bot.Facts, c bot.Command) string {
	if root := on.AdminCommand; root != "" && c.Admin {
		return root + " " + c.Name
	}
	return "/maru " + c.Name
}

// Help says what the commands are.
type Help struct{ platforms bot.Platforms }

// help says what the bot is and lists the commands.
func (hp *Help) help(_ context.Context, c bot.Invocation, lang string) (*bot.Card, error) {
	var text strings.Builder
	text.WriteString(phrase.Say(lang,
		"bot.i_am_maru_mention_me"))
	for _, row := range Commands() {
		usage := row.Usage()
		if usage != "" {
			usage = " `" + usage + "`"
		}
		fmt.Fprintf(&text, "- `%s`%s — %s", typed(hp.platforms.Facts(c.Thread.Platform), row), usage, row.Summary[lang])
		if row.Admin {
			text.WriteString(phrase.Say(lang, "bot.for_admins"))
		}
		text.WriteString("\n")
	}
	return &bot.Card{Kind: bot.CardNotice, Title: phrase.Say(lang, "bot.help"), Text: text.String(), Language: lang, Final: true}, nil
}
