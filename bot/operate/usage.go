package operate

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"maru/bot"
	"maru/bot/tally"
)

// Usage is `maru usage`: it writes usage as CSV.
func (d Desk) Usage(ctx context.Context, args []string, out io.Writer) error {
	f := Flags("usage")
	days := f.Int("days", 30, "")
	by := f.String("by", "", "")
	if args, err := Parse(f, args); err != nil {
		return err
	} else if len(args) > 0 || *days < 1 || !slices.Contains([]string{"", "person", "model"}, *by) {
		return Misuse{"it takes --days N, from 1, and --by person or --by model alone"}
	}
	record, done, err := d.Open(ctx)
	if err != nil {
		return err
	}
	defer done()
	from := time.Now().In(d.Zone).AddDate(0, 0, 1-*days).Format(time.DateOnly)
	if *by == "model" {
		rows, err := record.Usage(ctx, bot.UsageQuery{From: from, Models: true})
		if err != nil {
			return fmt.Errorf("read usage: %w", err)
		}
		return tally.WriteModelsCSV(out, rows)
	}
	rows, err := tally.Read(ctx, record, bot.UsageQuery{From: from}, d.Zone)
	if err != nil {
		return err
	}
	if *by == "person" {
		return tally.WriteCSV(out, tally.By(rows, tally.Person))
	}
	return tally.Write(out, rows)
}
