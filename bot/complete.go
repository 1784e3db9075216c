package bot

import (
	"context"
	"strings"
)

var _ Completer = (*Bot)(nil)

// offeredMost bounds what is offered while somebody types.
const offeredMost = 25

// Complete implements Completer: the documents that "docs" can mean.
func (b *Bot) Complete(ctx context.Context, c Invocation, arg string) []Option {
	if c.Name != "docs" || arg != "name" {
		return nil
	}
	scopes := scopesFor(c.Thread, c.User)
	if c.Options["action"] == "remove" {
		scopes = []string{channelScope(c.Thread)} // what can be removed here
	}
	docs, err := b.cfg.Library.Documents(ctx, scopes)
	if err != nil {
		b.log.WarnContext(ctx, "offer documents", "err", err)
		return nil
	}
	typed := strings.ToLower(strings.TrimSpace(c.Options[arg]))
	var out []Option
	for _, d := range docs {
		name := d.Source
		if name == "" {
			name = d.Title
		}
		if len(out) < offeredMost && (strings.Contains(strings.ToLower(d.Title), typed) || strings.Contains(strings.ToLower(name), typed)) {
			out = append(out, Option{Value: name, Label: d.Title})
		}
	}
	return out
}
