package rag

import "context"

type scopesKey struct{}

// WithScopes tells the embedder of an index whose passages it is given: the scope
// of each text, in order. Only to whom their cost is counted depends on them.
func WithScopes(ctx context.Context, scopes []string) context.Context {
	return context.WithValue(ctx, scopesKey{}, scopes)
}

// ScopesOf returns the scopes of the texts that are embedded with a context, nil
// where nobody said.
func ScopesOf(ctx context.Context) []string {
	scopes, _ := ctx.Value(scopesKey{}).([]string)
	return scopes
}
