package rag

import "context"

// Embed returns one vector per text, all of one length, in order. scopes holds the scope of each text's passage, so
// that its cost can be charged to the channel; nil says that the texts are questions, which many models embed in
// another way than passages.
type Embed func(ctx context.Context, texts, scopes []string) ([][]float32, error)
