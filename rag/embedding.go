package rag

import "context"

// Embed turns texts into vectors of one length, in order. scopes are those of
// the passages that the texts stand in, one a text, so that their cost can be
// charged to their channels; nil for a question.
type Embed func(ctx context.Context, texts, scopes []string) ([][]float32, error)
