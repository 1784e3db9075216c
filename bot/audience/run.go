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

// runKey returns the key of the note with a run's restricted scopes. It is deleted with the workspace.
func runKey(t bot.Thread, run string) string { return "granted/" + t.TeamKey() + "/" + run }

// short abbreviates a scope in that note: there may be thousands.
func short(scope string) string {
	sum := sha256.Sum256([]byte(scope))
	return base64.RawURLEncoding.EncodeToString(sum[:9])
}

// Hold stores the restricted scopes of a run of u in t. Its earlier parts, or runs before it, may have read
// documents that its audience may no longer read, because people joined or rights changed; it then returns an
// error for people. If that cannot be looked up, the error makes the run be retried.
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
			return fmt.Errorf("read a run's scopes: %w", err)
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
		return fmt.Errorf("store a run's scopes: %w", err)
	}
	return nil
}

// without returns the scopes that are not among others.
func without(scopes, others []string) []string {
	return slices.DeleteFunc(scopes, func(s string) bool { return slices.Contains(others, s) })
}

// refuse looks up scopes again that a run had and has lost, and returns the error for people only if the look-up
// succeeds.
func (a *Audience) refuse(ctx context.Context, t bot.Thread, u bot.User, missing, within []string, lang string) error {
	now, err := a.lookUp(ctx, t, u, within)
	for i, s := range now {
		now[i] = short(s)
	}
	if err == nil && len(without(missing, now)) == 0 {
		err = errAgain
	}
	if err != nil {
		return &bot.Error{Code: bot.CodeStoreBusy, Err: fmt.Errorf("look up a run's scopes: %w", err)}
	}
	return &bot.Error{Code: bot.CodeMayNot, Say: phrase.Say(lang, "source.rights_changed")}
}

// errAgain reports that scopes can be looked up again after a failure.
var errAgain = errors.New("audience: readers available again")
