package parking

import (
	"context"
	"fmt"
	"log/slog"
	"slices"

	"maru/bot"
)

// noteRetry names the note of an item whose notice was clicked before the item was parked.
const noteRetry = "retry/"

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

// Parked retries an item that has just been parked if somebody clicked its notice before.
func (d *Deaths) Parked(ctx context.Context, it bot.Item) error {
	if by, err := d.Notes.Note(ctx, noteRetry+it.ID); err != nil || by == "" {
		return err
	}
	_, err := retryItem(ctx, d.Store, d.Notes, d.Log, it.ID)
	return err
}
