package web

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/slack-go/slack"
)

// scopeQuiet is how often an operator is told of the same missing scope.
const scopeQuiet = time.Hour

// lackScopes tells an operator at start which scopes of the manifest the token was
// not given, from the header in which Slack lists those it has. What they are for
// fails, often without a word to anybody.
func (w *Client) lackScopes(ctx context.Context, granted string) {
	if granted == "" || w.Scopes == "" {
		return
	}
	have := strings.FieldsFunc(granted, func(r rune) bool { return r == ',' || r == ' ' })
	var lacking []string
	for scope := range strings.SplitSeq(w.Scopes, ",") {
		if !slices.Contains(have, scope) {
			lacking = append(lacking, scope)
		}
	}
	if len(lacking) > 0 {
		list := strings.Join(lacking, ", ")
		w.lacking.Store(&list)
		w.Log.WarnContext(ctx, "slack app lacks scopes of its manifest: add them under OAuth & Permissions and install the app again", "scopes", list)
	}
}

// lackScope tells an operator which scope a method was refused for.
func (w *Client) lackScope(ctx context.Context, method string, err error) {
	var answer slack.SlackErrorResponse
	if !errors.As(err, &answer) || answer.Err != "missing_scope" || w.IsQuiet("scope "+method) {
		return
	}
	w.QuietFor("scope "+method, scopeQuiet)
	w.Log.WarnContext(ctx, "slack refuses a call because the app lacks a scope: add it under OAuth & Permissions and install the app again",
		"method", method, "scope", cmp.Or(answer.Needed, "see the method's page"))
}
