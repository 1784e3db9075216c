package command

import (
	"cmp"
	"context"
	"log/slog"
	"strings"

	"maru/bot"
	"maru/bot/place"
	"maru/config"
)

// offeredMost limits the options shown while a person types.
const offeredMost = 25

// Completion offers values for the arguments of commands. It implements [bot.Completer].
type Completion struct {
	rules    *place.Rules
	log      *slog.Logger
	agents   Agents
	toolbox  Toolbox
	library  bot.Library
	settings *Settings
}

// Complete implements [bot.Completer] for documents, agents, tools and values of settings.
func (cp *Completion) Complete(ctx context.Context, c bot.Invocation, arg string) []bot.Option {
	switch {
	case c.Name == "docs" && arg == "name":
		return cp.completeDocument(ctx, c)
	case c.Name == "agent" && arg == "name":
		return matchingNames(cp.agents.Names(), c.Options[arg])
	case c.Name == "tools" && arg == "name":
		var names []string
		for _, srv := range cp.toolbox.Servers() {
			for _, ch := range srv.Changes {
				names = append(names, ch.Tool)
			}
		}
		return matchingNames(names, c.Options[arg])
	case c.Name == "settings" && arg == "value":
		if k, _, ok := config.KeyNamed(c.Options["key"]); ok {
			return matchingValues(k, append(k.Choices(cp.settings.offers()), k.Several(cp.settings.offers())...), c.Options[arg])
		}
	}
	return nil
}

// matchingNames returns the values that contain the typed text.
func matchingNames(values []string, typed string) []bot.Option {
	typed = strings.ToLower(strings.TrimSpace(typed))
	var out []bot.Option
	for _, v := range values {
		if len(out) < offeredMost && strings.Contains(strings.ToLower(v), typed) {
			out = append(out, bot.Option{Value: v, Label: v})
		}
	}
	return out
}

// matchingValues returns the values of a setting whose name in any language matches the typed text.
func matchingValues(k config.Key, values []string, typed string) []bot.Option {
	var out []bot.Option
	for _, v := range values {
		if len(out) < offeredMost && k.IsCalled(v, typed) {
			out = append(out, bot.Option{Value: v, Label: v})
		}
	}
	return out
}

// completeDocument offers the documents that can be read here or, for the action remove,
// those of this channel.
func (cp *Completion) completeDocument(ctx context.Context, c bot.Invocation) []bot.Option {
	scopes, err := cp.rules.ScopesNow(ctx, c.Thread, c.User)
	if c.Options["action"] == "remove" {
		scopes = []string{c.Thread.ChannelScope()}
	}
	if err != nil {
		cp.log.WarnContext(ctx, "offer documents", "err", err)
		return nil
	}
	docs, err := cp.library.Documents(ctx, scopes)
	if err != nil {
		cp.log.WarnContext(ctx, "offer documents", "err", err)
		return nil
	}
	typed := strings.ToLower(strings.TrimSpace(c.Options["name"]))
	var out []bot.Option
	for _, d := range docs {
		name := cmp.Or(d.Source, d.Title)
		if len(out) < offeredMost && (strings.Contains(strings.ToLower(d.Title), typed) || strings.Contains(strings.ToLower(name), typed)) {
			out = append(out, bot.Option{Value: name, Label: d.Title})
		}
	}
	return out
}
