// Package shared changes notes of the record that several processes change.
//
// It must not know what a note means.
package shared

import (
	"context"

	"maru/bot"
)

// Amend writes what change makes of a note, if that is another text. If another process changes the note in between, it begins again; each
// such attempt is another change's success.
func Amend(ctx context.Context, n bot.Notes, key string, change func(was string) (string, error)) error {
	for {
		was, err := n.Note(ctx, key)
		if err != nil {
			return err
		}
		value, err := change(was)
		if err != nil || value == was {
			return err
		}
		if done, err := n.SwapNote(ctx, key, was, value); done || err != nil {
			return err
		}
	}
}
