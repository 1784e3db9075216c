package parking

import (
	"context"
	"fmt"
	"slices"
)

// Rested records that an item is about to be parked whose run keeps its steps in the log of its thread. It must
// precede parking.
func (d *Deaths) Rested(ctx context.Context, thread, item string) error {
	for _, note := range []string{noteSomeRest, noteResting + thread} {
		if err := d.Notes.SetNote(ctx, note, item); err != nil {
			return fmt.Errorf("note a resting item: %w", err)
		}
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

// Resting returns the parked item of a thread whose run keeps its steps in the thread's log, "" if there is none.
// A new run must then use another log, or the parked item could not continue.
func (d *Deaths) Resting(ctx context.Context, thread string) (string, error) {
	if d.noneRest.Load() && !d.rested.Load() {
		return "", nil
	}
	item, err := d.Notes.Note(ctx, noteResting+thread)
	if err != nil {
		return "", fmt.Errorf("read the resting item: %w", err)
	}
	if item == "" {
		return "", nil
	}
	parked, err := d.Store.ParkedItems(ctx, thread, 0)
	if err != nil {
		return "", err
	}
	if slices.ContainsFunc(parked, func(it Item) bool { return it.ID == item }) {
		return item, nil
	}
	if err := d.Notes.SetNote(ctx, noteResting+thread, ""); err != nil { // it was retried, or its message is gone
		return "", fmt.Errorf("forget a resting item: %w", err)
	}
	return "", nil
}
