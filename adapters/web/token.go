package web

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"maru/bot"
)

// Token lets its bearer use the HTTP API under their own name. They are web/local/NAME to
// approvers and the audit log.
type Token struct {
	Name  string
	Token Secret
	// As is the person of another platform as whom they decide and follow runs,
	// "platform/team/person"; "" for themselves.
	As       string
	Operator bool // has all rights of the owner; others only decide and follow runs
}

var (
	tokenName = regexp.MustCompile(`^[a-z][a-z0-9_]{0,23}$`)
	personKey = regexp.MustCompile(`^[a-z]+/[^/\s]+/[^/\s]+$`)
)

// minToken is the minimum length of a token.
const minToken = 20

// validTokens reports all faults of the tokens.
func validTokens(list []Token) error {
	var errs []error
	names, values := map[string]bool{}, map[Secret]bool{}
	for _, t := range list {
		switch {
		case !tokenName.MatchString(t.Name) || t.Name == ownerID || names[t.Name]:
			errs = append(errs, fmt.Errorf("web: token name %.40q: want a small letter and up to 23 more of a-z, 0-9 and _, once, and not %q", t.Name, ownerID))
		case len(t.Token) < minToken || values[t.Token]:
			errs = append(errs, fmt.Errorf("web: token %s: want at least %d characters, and others than any other token", t.Name, minToken))
		case t.As != "" && (!personKey.MatchString(t.As) || t.Operator):
			errs = append(errs, fmt.Errorf("web: token %s: want platform/team/person as the person it decides as, and no operator beside it", t.Name))
		}
		names[t.Name], values[t.Token] = true, true
	}
	return errors.Join(errs...)
}

// bearer returns the token that a request presents. It compares every token in constant time,
// against timing attacks.
func (a *Adapter) bearer(pass string) *Token {
	got := sha256.Sum256([]byte(pass))
	var found *Token
	for i := range a.cfg.Tokens {
		want := sha256.Sum256([]byte(a.cfg.Tokens[i].Token))
		if subtle.ConstantTimeCompare(want[:], got[:]) == 1 {
			found = &a.cfg.Tokens[i]
		}
	}
	return found
}

// user returns the person and place of a token.
func (t *Token) user(lang string) (bot.User, bot.Thread) {
	here := bot.Thread{Platform: platform, Team: team}
	if t.As == "" {
		return bot.User{ID: t.Name, Name: t.Name, Locale: lang, Admin: t.Operator, Operator: t.Operator}, here
	}
	p := strings.SplitN(t.As, "/", 3)
	return bot.User{ID: p[2], Name: t.Name, Locale: lang}, bot.Thread{Platform: p[0], Team: p[1]}
}

// Member implements bot.Members: a person's conversations have no other reader, and the console's own are its owner's and its tokens'.
func (a *Adapter) Member(_ context.Context, t bot.Thread, user, group string) (bool, error) {
	switch {
	case group != "":
		return false, nil
	case t.Team != team:
		return t.Channel == user, nil
	}
	return user == ownerID || slices.ContainsFunc(a.cfg.Tokens, func(k Token) bool { return k.Name == user }), nil
}

// reaches reports whether the token may access a path: every token may decide and follow
// runs.
func (t *Token) reaches(r *http.Request) bool {
	if t.Operator {
		return true
	}
	run, ok := strings.CutPrefix(r.URL.Path, "/api/runs/")
	_, what, _ := strings.Cut(run, "/")
	return ok && (what == "approve" || what == "events")
}
