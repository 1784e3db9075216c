package operate

import (
	"context"
	"io"
	"time"

	"maru/bot"
	"maru/bot/command"
)

// Usage is `maru usage`: it writes usage as CSV.
func (d Desk) Usage(ctx context.Context, args []string, out io.Writer) error {
	f := Flags("usage")
	days := f.Int("days", 30, "")
	if args, err := Parse(f, args); err != nil {
		return err
	} else if len(args) > 0 || *days < 1 {
		return Misuse{"it takes --days N alone, from 1"}
	}
	record, done, err := d.Open(ctx)
	if err != nil {
		return err
	}
	defer done()
	from := time.Now().In(d.Zone).AddDate(0, 0, 1-*days).Format(time.DateOnly)
	rows, err := command.ReadUsage(ctx, record, bot.UsageQuery{From: from}, d.Zone)
	if err != nil {
		return err
	}
	return command.WriteUsage(out, rows)
}
