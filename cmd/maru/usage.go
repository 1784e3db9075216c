package main

import (
	"context"
	"time"

	"maru/bot"
	"maru/bot/command"
)

// usage is `maru usage`: it prints usage as CSV.
func usage(ctx context.Context, inv invocation) error {
	f := flags("usage")
	days := f.Int("days", 30, "")
	if args, err := parse(f, inv.args); err != nil {
		return err
	} else if len(args) > 0 || *days < 1 {
		return usageError{"it takes --days N alone, from 1"}
	}
	b := newBase(inv.cfg, inv.log)
	record, _, err := openRecord(ctx, b)
	if err != nil {
		return whileServing(err, "ask it in the chat with `/maru usage`, or stop it first")
	}
	defer func() { _ = b.opened.Close() }() // nothing was written
	from := time.Now().In(inv.cfg.Place.Location()).AddDate(0, 0, 1-*days).Format(time.DateOnly)
	rows, err := command.ReadUsage(ctx, record, bot.UsageQuery{From: from}, inv.cfg.Place.Location())
	if err != nil {
		return err
	}
	return command.WriteUsage(inv.stdout, rows)
}
