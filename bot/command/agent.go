package command

import (
	"context"
	"slices"
	"strings"

	"maru/bot"
	"maru/phrase"
)

// agent lists the agents, or sets the one for the place.
func (st *Settings) agent(ctx context.Context, c bot.Invocation, lang string) (*bot.Card, error) {
	name := strings.TrimSpace(c.Options["name"])
	if name == "" {
		name = strings.TrimSpace(c.Args)
	}
	if name = unquote(name); name != "" {
		return st.change(ctx, c, settingsRequest{action: "set", key: "agent", value: name}, lang)
	}
	set, err := st.rules.Settings(ctx, c.Thread, c.User)
	if err != nil {
		return nil, err
	}
	key, err := findKey("agent", lang)
	if err != nil {
		return nil, err
	}
	var text strings.Builder
	for _, n := range st.agents.Names() {
		line := "- `" + n + "`"
		if means := key.Label(n, lang); means != n { // "chat: answers from the documents"
			line += " — " + strings.TrimSpace(strings.TrimPrefix(means, n+":"))
		}
		if slices.Contains(st.models.Weak, n) {
			line += phrase.Say(lang, "bot.agents.weak")
		}
		if n == set.Agent {
			line += phrase.Say(lang, "bot.agents.current")
		}
		text.WriteString(line + "\n")
	}
	if len(st.models.Weak) > 0 {
		text.WriteString("\n" + phrase.Say(lang, "bot.agents.need_model"))
	}
	return &bot.Card{
		Kind: bot.CardNotice, Title: phrase.Say(lang, "bot.agents.title"), Text: text.String(), Language: lang, Final: true,
		Footer: phrase.Say(lang, "bot.agents.how"),
	}, nil
}
