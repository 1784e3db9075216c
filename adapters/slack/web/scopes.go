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

// scopeQuiet is the interval between two warnings about the same missing scope.
const scopeQuiet = time.Hour

// warnScopes warns the operator at start about scopes of the manifest that the token lacks,
// from Slack's header of granted ones. Their features would fail, often silently.
func (w *Client) warnScopes(ctx context.Context, granted string) {
	if granted == "" || w.Scopes == "" {
		return
	}
	have := strings.FieldsFunc(granted, func(r rune) bool { return r == ',' || r == ' ' })
	all := strings.Join(have, ",")
	w.granted.Store(&all)
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

// warnScope warns the operator about the scope that a method was refused for.
func (w *Client) warnScope(ctx context.Context, method string, err error) {
	var answer slack.SlackErrorResponse
	if !errors.As(err, &answer) || answer.Err != "missing_scope" || w.IsQuiet("scope "+method) {
		return
	}
	w.QuietFor("scope "+method, scopeQuiet)
	w.Log.WarnContext(ctx, "slack refused a call: the app lacks a scope: add it under OAuth & Permissions and install the app again",
		"method", method, "scope", cmp.Or(answer.Needed, "see the method's page"))
}
