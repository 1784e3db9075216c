package parking

import (
	"context"
	"fmt"
	"log/slog"
	"slices"

	"maru/bot"
)

// Names of notes.
const (
	noteRetry   = "retry/"  // and an item whose notice was clicked before the item was parked
	noteRetries = "retries" // the items that may have such a note
)

const keepRetries = 50 // items in noteRetries

// retryItem makes an item pending again, with a reset count; false if it is not parked.
func retryItem(ctx context.Context, s Store, notes bot.Notes, log *slog.Logger, item string) (bool, error) {
	if err := explain(ctx, notes, item); err != nil {
		return false, err
	}
	// A stop request made while it was parked does not apply to the next attempt.
	for _, note := range []string{noteItem + item, "tries/" + item, "halt/" + bot.RunID(item), noteRetry + item} {
		if err := notes.SetNote(ctx, note, ""); err != nil {
			return false, fmt.Errorf("reset the attempts of an item: %w", err)
		}
	}
	ok, err := s.RetryItem(ctx, item)
	if ok {
		log.InfoContext(ctx, "retry parked item", "item", item)
	}
	return ok, err
}

// retrySoon retries the item of a notice that is shown already while the item is about to be parked, and returns how many
// that are. [Deaths.Parked] does it, or this does if the item has been parked meanwhile.
func (p *Parked) retrySoon(ctx context.Context, a bot.Action) (int, error) {
	held, err := p.Store.InHand(ctx)
	if err != nil {
		return 0, err
	}
	for _, h := range held {
		if h.Thread != a.Thread.Key() || Control+bot.RunID(h.Item) != a.ID {
			continue
		}
		own, err := list[death](ctx, p.Notes, noteItem+h.Item)
		if err != nil || len(own) < need { // it is being retried: the second click on the same notice
			return 0, err
		}
		if err := p.Notes.SetNote(ctx, noteRetry+h.Item, a.User.ID); err != nil {
			return 0, fmt.Errorf("note a retry: %w", err)
		}
		if err := noteClick(ctx, p.Notes, h.Item); err != nil {
			return 0, err
		}
		p.Rules.Audit(ctx, a.Thread, a.User, "item.retry", map[string]any{"item": h.Item, "thread": h.Thread})
		items, err := p.Store.ParkedItems(ctx, h.Thread, 0)
		if err != nil || !slices.ContainsFunc(items, func(it Item) bool { return it.ID == h.Item }) {
			return 1, err
		}
		_, err = p.Retry(ctx, Item{ID: h.Item, Thread: h.Thread})
		return 1, err
	}
	return 0, nil
}

// noteClick adds an item to those with clicked notices.
func noteClick(ctx context.Context, notes bot.Notes, item string) error {
	return amend(ctx, notes, noteRetries, func(all []string) []string {
		if slices.Contains(all, item) {
			return all
		}
		all = append(all, item)
		return all[max(0, len(all)-keepRetries):]
	})
}

// lateClicks retries the items whose notice was clicked before they were parked, by a process that died before it could
// do so itself. It forgets those that are neither parked nor held, which must have been read before.
func (d *Deaths) lateClicks(ctx context.Context, held []Held) error {
	all, err := list[string](ctx, d.Notes, noteRetries)
	if err != nil || len(all) == 0 {
		return err
	}
	parked, err := d.Store.ParkedItems(ctx, "", 0)
	if err != nil {
		return err
	}
	done := map[string]bool{}
	for _, item := range all {
		if !slices.ContainsFunc(parked, func(it Item) bool { return it.ID == item }) {
			done[item] = !slices.ContainsFunc(held, func(h Held) bool { return h.Item == item })
			continue
		}
		if err := d.Parked(ctx, bot.Item{ID: item}); err != nil {
			return err
		}
		done[item] = true
	}
	return without(ctx, d.Notes, noteRetries, func(item string) bool { return done[item] })
}

// Parked retries an item that has just been parked if somebody clicked its notice before.
func (d *Deaths) Parked(ctx context.Context, it bot.Item) error {
	if by, err := d.Notes.Note(ctx, noteRetry+it.ID); err != nil || by == "" {
		return err
	}
	_, err := retryItem(ctx, d.Store, d.Notes, d.Log, it.ID)
	return err
}
