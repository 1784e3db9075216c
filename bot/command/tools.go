package command

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"maru/bot"
	"maru/bot/place"
	"maru/phrase"
	"maru/phrase/fit"
)

// toolActions returns the actions of "/maru tools"; the first is the default.
func toolActions() []string { return []string{"list", "accept"} }

// allActions are these and those of the packages that see a command first.
func (tl *Tools) allActions() []string {
	all := toolActions()
	if tl.servers {
		all = append(all, "add", "test", "class", "limit", "token", "client", "remove")
	}
	return append(all, "allowed", "disallow")
}

// shownTools limits the tools on a card, shortHash the characters of a hash.
const (
	shownTools = 40
	shortHash  = 12
)

// Tools shows a channel's tools and the health of the program's parts.
type Tools struct {
	rules   *place.Rules
	log     *slog.Logger
	toolbox Toolbox
	servers bool // admins add servers
	ready   func(ctx context.Context) map[string]error
	examine func(ctx context.Context) []bot.Finding
}

// tools lists the tools that a run here may call and the MCP servers, or accepts a changed
// tool, for operators.
func (tl *Tools) tools(ctx context.Context, c bot.Invocation, lang string) (*bot.Card, error) {
	words := strings.Fields(c.Args)
	if v := c.Options["action"]; v != "" {
		words = []string{v, c.Options["name"], c.Options["hash"]}
	}
	if len(words) > 0 {
		words[0] = choiceFor(words[0], toolActions())
	}
	switch {
	case len(words) == 0 || words[0] == "list":
		return tl.list(ctx, c, lang)
	case words[0] == "accept" && len(words) == 3:
		return tl.accept(ctx, c, strings.Trim(words[1], "`"), strings.ToLower(strings.Trim(words[2], "`")), lang)
	}
	if words[0] != "accept" {
		return nil, unknownChoice("tools", words[0], tl.allActions(), lang)
	}
	return nil, &bot.Error{Code: bot.CodeBadCommand, Say: phrase.Say(lang, "bot.tools.accept_how")}
}

func (tl *Tools) list(ctx context.Context, c bot.Invocation, lang string) (*bot.Card, error) {
	set, err := tl.rules.Settings(ctx, c.Thread, c.User)
	if err != nil {
		return nil, err
	}
	var s strings.Builder
	tools := tl.toolbox.Tools(place.RunScopes(c.Thread, c.User, set))
	for _, t := range tools[:min(len(tools), shownTools)] {
		fmt.Fprintf(&s, "- %s\n", toolLine(t, lang))
	}
	if n := len(tools) - shownTools; n > 0 {
		s.WriteString(phrase.Say(lang, "bot.list.more", n))
	}
	if len(tools) == 0 {
		s.WriteString(phrase.Say(lang, "bot.tools.none"))
	}
	changes := 0
	for i, srv := range tl.toolbox.Servers() {
		if i == 0 {
			s.WriteString("\n**" + phrase.Say(lang, "bot.tools.servers") + "**\n")
		}
		s.WriteString(serverLines(srv, lang))
		changes += len(srv.Changes)
	}
	card := bot.Card{Kind: bot.CardNotice, Title: phrase.Say(lang, "bot.tools.title"), Text: s.String(), Language: lang, Final: true}
	if changes > 0 {
		card.Footer = phrase.Say(lang, "bot.tools.changed_unused")
	}
	return &card, nil
}

// toolLine renders a tool: name, title, effect and whether it needs an approval.
func toolLine(t ToolInfo, lang string) string {
	line := "`" + fit.Quoted(t.Name, 64) + "`"
	if title := fit.Quoted(t.Title.In(lang), 80); title != "" {
		line += " " + fit.Literal(title)
	}
	line += " — " + t.Effect.Said().In(lang)
	if t.Asks {
		line += phrase.Say(lang, "bot.tools.asks_first")
	}
	return line
}

// serverLines render a server's state and its changed tools.
func serverLines(srv ToolServer, lang string) string {
	state := phrase.Say(lang, "bot.tools.not_connected")
	if srv.Up {
		state = phrase.Say(lang, "bot.tools.connected", srv.Tools)
	}
	var s strings.Builder
	fmt.Fprintf(&s, "- `%s` — %s\n", fit.Quoted(srv.Name, 64), state)
	for _, ch := range srv.Changes[:min(len(srv.Changes), shownTools)] {
		what := phrase.Say(lang, "bot.tools.parameters_changed")
		if ch.Before != ch.After {
			what = "“" + fit.Literal(fit.Quoted(ch.Before, 100)) + "” → “" + fit.Literal(fit.Quoted(ch.After, 100)) + "”"
		}
		fmt.Fprintf(&s, "  - ⚠️ `%s` `%s` %s\n", fit.Quoted(ch.Tool, 64), ch.Hash[:min(len(ch.Hash), shortHash)], what)
	}
	return s.String()
}

// accept allows a changed tool, identified by its current hash. The servers of the configuration file serve all
// workspaces, so the admins of one do not decide about their tools: operators do.
func (tl *Tools) accept(ctx context.Context, c bot.Invocation, name, hash, lang string) (*bot.Card, error) {
	if !tl.rules.Operates(c.Thread, c.User) {
		tl.rules.Audit(ctx, c.Thread, c.User, "command.refused", map[string]any{"command": "tools accept", "tool": name})
		return nil, &bot.Error{Code: bot.CodeMayNot, Detail: phrase.Say(lang, "bot.tools.operators_accept"), Noted: true}
	}
	gone := &bot.Error{Code: bot.CodeNotFound, Say: phrase.Say(lang, "bot.tools.no_such_change")}
	full, ok := tl.findChange(name, hash)
	if !ok {
		return nil, gone
	}
	err := tl.toolbox.Accept(ctx, name, full)
	if errors.Is(err, bot.ErrNotFound) {
		return nil, gone
	}
	if err != nil {
		return nil, fmt.Errorf("accept tool %s: %w", name, err)
	}
	tl.rules.Audit(ctx, c.Thread, c.User, "tool.accept", map[string]any{"tool": name, "hash": full})
	return bot.NewNotice(phrase.Say(lang, "bot.tools.accepted", fit.Quoted(name, 64)), lang), nil
}

// findChange finds a pending change by the tool's name and the hash or its shown beginning.
func (tl *Tools) findChange(name, hash string) (full string, ok bool) {
	if len(hash) < shortHash {
		return "", false
	}
	for _, srv := range tl.toolbox.Servers() {
		for _, ch := range srv.Changes {
			if ch.Tool == name && strings.HasPrefix(strings.ToLower(ch.Hash), hash) {
				return ch.Hash, true
			}
		}
	}
	return "", false
}
