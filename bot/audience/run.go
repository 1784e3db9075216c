package audience

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"

	"maru/bot"
	"maru/phrase"
	"maru/rag/source"
)

// runKey is that of the note with the restricted scopes that a run in a workspace was given. It goes with the workspace.
func runKey(t bot.Thread, run string) string { return "granted/" + t.TeamKey() + "/" + run }

// short stands for a scope in that note: there may be thousands.
func short(scope string) string {
	sum := sha256.Sum256([]byte(scope))
	return base64.RawURLEncoding.EncodeToString(sum[:9])
}

// Hold keeps which restricted scopes a run of u in t is given. What it goes on from, itself or runs before it, may have read
// documents that its audience may not read any more, because others joined or rights were changed: then the error says so to
// people. If that could not be looked up, the error is one after which the run is tried again.
func (a *Audience) Hold(ctx context.Context, t bot.Thread, u bot.User, run string, from, scopes []string, lang string) error {
	var given []string
	for _, s := range scopes {
		if _, ok := source.RestrictionOf(s); ok {
			given = append(given, short(s))
		}
	}
	stored := ""
	for _, earlier := range from {
		text, err := a.cfg.Record.Note(ctx, runKey(t, earlier))
		if err != nil {
			return fmt.Errorf("read what a run was given: %w", err)
		}
		if missing := without(strings.Fields(text), given); len(missing) > 0 {
			return a.refuse(ctx, t, u, missing, scopes, lang)
		}
		if earlier == run {
			stored = text
		}
	}
	slices.Sort(given)
	text := strings.Join(given, " ")
	if text == stored {
		return nil
	}
	if err := a.cfg.Record.SetNote(ctx, runKey(t, run), text); err != nil {
		return fmt.Errorf("keep what a run is given: %w", err)
	}
	return nil
}

// without returns the scopes that are not among others.
func without(scopes, others []string) []string {
	return slices.DeleteFunc(scopes, func(s string) bool { return slices.Contains(others, s) })
}

// refuse looks scopes up once more that a run was given and is not any more: only if they can be looked up is it refused.
func (a *Audience) refuse(ctx context.Context, t bot.Thread, u bot.User, missing, within []string, lang string) error {
	now, err := a.lookUp(ctx, t, u, within)
	for i, s := range now {
		now[i] = short(s)
	}
	if err == nil && len(without(missing, now)) == 0 {
		err = errAgain
	}
	if err != nil {
		return &bot.Error{Code: bot.CodeStoreBusy, Err: fmt.Errorf("look up what a run may still read: %w", err)}
	}
	return &bot.Error{Code: bot.CodeMayNot, Say: phrase.Say(lang, "source.rights_changed")}
}

// errAgain says that scopes could not be looked up a moment ago and can be now.
var errAgain = errors.New("audience: readers are known again")
