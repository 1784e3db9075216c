package console

import (
	"context"
	"fmt"

	"maru/bot/definition"
)

// Saved returns the texts of the workflows that are saved in a record, by id.
func Saved(store definition.Store) func(context.Context) (map[string][]byte, error) {
	return func(ctx context.Context) (map[string][]byte, error) {
		list, err := store.Definitions(ctx)
		if err != nil {
			return nil, fmt.Errorf("list workflows: %w", err)
		}
		out := make(map[string][]byte, len(list))
		for _, v := range list {
			if !v.Removed() {
				out[v.ID] = []byte(v.Text)
			}
		}
		return out, nil
	}
}
