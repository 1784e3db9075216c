package audience

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"maru/bot"
	"maru/phrase"
	"maru/rag/source"
)

// runKey is that of the restricted scopes that a run was given.
func runKey(run string) string { return "granted/" + run }

// Hold keeps which restricted scopes a run is given. What it goes on from, itself or runs before it, may have read documents
// that its audience may not read any more, because others joined or rights were taken: then the error says so to people.
func (a *Audience) Hold(ctx context.Context, run string, from, scopes []string, lang string) error {
	var given []string
	for _, s := range scopes {
		if _, ok := source.RestrictionOf(s); ok {
			given = append(given, s)
		}
	}
	stored := ""
	for _, earlier := range from {
		text, err := a.cfg.Record.Note(ctx, runKey(earlier))
		if err != nil {
			return fmt.Errorf("read what a run was given: %w", err)
		}
		for _, s := range strings.Fields(text) {
			if !slices.Contains(given, s) {
				return &bot.Error{Code: bot.CodeMayNot, Say: phrase.Say(lang, "source.rights_narrowed")}
			}
		}
		if earlier == run {
			stored = text
		}
	}
	text := strings.Join(given, " ")
	if text == stored {
		return nil
	}
	if err := a.cfg.Record.SetNote(ctx, runKey(run), text); err != nil {
		return fmt.Errorf("keep what a run is given: %w", err)
	}
	return nil
}
