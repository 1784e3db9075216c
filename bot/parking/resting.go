package parking

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"maru/bot/shared"
)

// Rested records that an item is about to be parked whose run keeps its steps in the log of its thread. It must
// precede parking.
func (d *Deaths) Rested(ctx context.Context, thread, item string) error {
	if err := d.Notes.SetNote(ctx, noteSomeRest, item); err != nil {
		return fmt.Errorf("note a resting item: %w", err)
	}
	err := shared.Amend(ctx, d.Notes, noteResting+thread, func(was string) (string, error) {
		items := strings.Fields(was)
		if !slices.Contains(items, item) {
			items = append(items, item)
		}
		return strings.Join(items, " "), nil
	})
	if err != nil {
		return fmt.Errorf("note a resting item: %w", err)
	}
	d.rested.Store(true)
	return nil
}

// lookForResting checks whether any item was ever parked, so that messages cost no look-up otherwise. Another
// replica may notice the first one a look later.
func (d *Deaths) lookForResting(ctx context.Context) error {
	some, err := d.Notes.Note(ctx, noteSomeRest)
	d.noneRest.Store(err == nil && some == "")
	return err
}

// Resting returns the items of a thread that were parked while their runs keep their steps in the thread's log, until
// they are processed to their end. A new run must then use another log, or those runs could not continue: a
// retried item may still wait for a turn that has already begun.
func (d *Deaths) Resting(ctx context.Context, thread string) (rest []string, err error) {
	if d.noneRest.Load() && !d.rested.Load() {
		return nil, nil
	}
	err = shared.Amend(ctx, d.Notes, noteResting+thread, func(noted string) (string, error) {
		rest = nil
		for item := range strings.FieldsSeq(noted) {
			if open, err := d.Store.Unfinished(ctx, item); err != nil {
				return "", err
			} else if open {
				rest = append(rest, item)
			}
		}
		return strings.Join(rest, " "), nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the resting items: %w", err)
	}
	return rest, nil
}
