package parking

import (
	"context"
	"fmt"
	"slices"
)

// Rested notes that an item is about to rest whose run keeps its steps in the log of its thread. It must
// come before the item is parked.
func (d *Deaths) Rested(ctx context.Context, thread, item string) error {
	for _, note := range []string{noteSomeRest, noteResting + thread} {
		if err := d.Notes.SetNote(ctx, note, item); err != nil {
			return fmt.Errorf("note a resting item: %w", err)
		}
	}
	d.rested.Store(true)
	return nil
}

// lookForResting finds out whether anything ever rested: where nothing did, no message costs a look. Another replica may
// learn of the first one a look later.
func (d *Deaths) lookForResting(ctx context.Context) error {
	some, err := d.Notes.Note(ctx, noteSomeRest)
	d.noneRest.Store(err == nil && some == "")
	return err
}

// Resting returns the parked item of a thread whose run keeps its steps in the thread's log, "" if there is
// none: a run that is asked for meanwhile must keep its own elsewhere, or the item could not continue.
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
