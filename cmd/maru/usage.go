package main

import (
	"context"
	"encoding/csv"
	"strconv"
	"time"

	"maru/bot"
)

// usage is `maru usage`: what was used, as CSV.
func usage(ctx context.Context, inv invocation) error {
	f := flags("usage")
	days := f.Int("days", 30, "")
	if args, err := parse(f, inv.args); err != nil {
		return err
	} else if len(args) > 0 || *days < 1 {
		return usageError{"usage takes --days N alone, from 1"}
	}
	a := &app{cfg: inv.cfg, log: inv.log}
	record, err := a.openRecord(ctx)
	if err != nil {
		return whileServing(err, "ask it in the chat with `/maru usage`, or stop it first")
	}
	defer func() { _ = a.close() }() // nothing was written
	from := time.Now().In(inv.cfg.Place.Location()).AddDate(0, 0, 1-*days).Format(time.DateOnly)
	rows, err := record.Usage(ctx, bot.UsageQuery{From: from})
	if err != nil {
		return err
	}
	w := csv.NewWriter(inv.stdout)
	_ = w.Write([]string{"day", "team", "channel", "user", "agent", "runs", "failed", "seconds", "calls", "input_tokens", "output_tokens", "cached_tokens", "cost"}) // Flush reports
	for _, r := range rows {
		_ = w.Write([]string{
			r.Day, cell(r.Team), cell(r.Channel), cell(r.User), cell(r.Agent), strconv.Itoa(r.Runs), strconv.Itoa(r.Failed),
			strconv.FormatFloat(r.Took.Seconds(), 'f', 1, 64), strconv.Itoa(r.Calls), strconv.Itoa(r.Input), strconv.Itoa(r.Output),
			strconv.Itoa(r.Cached), strconv.FormatFloat(r.Cost, 'f', 6, 64),
		})
	}
	w.Flush()
	return w.Error()
}

// cell keeps a spreadsheet from taking a name for a formula.
func cell(s string) string {
	if s != "" && (s[0] == '=' || s[0] == '+' || s[0] == '-' || s[0] == '@') {
		return "'" + s
	}
	return s
}
