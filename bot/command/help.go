package command

import (
	"context"
	"fmt"
	"strings"

	"maru/bot"
	"maru/phrase"
)

// didYouMean suggests the closest command for a mistyped name: by its own name first, then
// by its names in all languages. If none is close, several words may be a question.
func didYouMean(name, args, lang string) string {
	var own, also []string
	for _, row := range Commands() {
		own, also = append(own, row.Name), append(also, listedNames(row.Also, " ")...)
	}
	meant := closest(name, own)
	if meant == "" {
		meant = closest(name, also)
	}
	switch {
	case meant != "":
		return phrase.Say(lang, "bot.help.did_you_mean", "/maru "+meant)
	case args != "":
		return phrase.Say(lang, "bot.help.or_ask")
	}
	return ""
}

// commandText returns a command as written on a platform.
func commandText(on bot.Facts, c bot.Command) string {
	if root := on.AdminCommand; root != "" && c.Admin {
		return root + " " + c.Name
	}
	return "/maru " + c.Name
}

// Help lists the commands.
type Help struct{ platforms bot.Platforms }

// help introduces the bot and lists the commands.
func (hp *Help) help(_ context.Context, c bot.Invocation, lang string) (*bot.Card, error) {
	var text strings.Builder
	text.WriteString(phrase.Say(lang,
		"bot.help.intro"))
	for _, row := range Commands() {
		usage := row.Usage()
		if usage != "" {
			usage = " `" + usage + "`"
		}
		fmt.Fprintf(&text, "- `%s`%s — %s", commandText(hp.platforms.Facts(c.Thread.Platform), row), usage, row.Summary[lang])
		if row.Admin {
			text.WriteString(phrase.Say(lang, "bot.help.for_admins"))
		}
		text.WriteString("\n")
	}
	return &bot.Card{Kind: bot.CardNotice, Title: phrase.Say(lang, "bot.help.title"), Text: text.String(), Language: lang, Final: true}, nil
}
