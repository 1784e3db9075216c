package operate

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"time"

	"maru/bot/parking"
)

// Parked is `maru parked`: it lists the messages and jobs parked after repeated crashes and, with "retry", retries
// them.
func (d Desk) Parked(ctx context.Context, args []string, out io.Writer) error {
	again := ""
	switch {
	case len(args) == 2 && args[0] == "retry":
		again = args[1]
	case len(args) > 1 || len(args) == 1 && args[0] != "list":
		return Misuse{"it takes nothing, or retry and an ID or all"}
	}
	record, done, err := d.Open(ctx)
	if err != nil {
		return err
	}
	defer done()
	items, err := record.ParkedItems(ctx, "", 0)
	if err != nil {
		return err
	}
	jobs, err := record.ParkedJobs(ctx, 0)
	if err != nil {
		return err
	}
	r := parkedRows{out: out, again: again, p: parking.New(parking.Config{Store: record, Notes: record, Log: slog.New(slog.DiscardHandler)})}
	for _, it := range items {
		line := fmt.Sprintf("%s  %s  %s  in %s", it.Parked.In(d.Zone).Format(time.DateTime), it.Kind, it.ID, it.Thread)
		if err := r.row(it.ID, line, func() (bool, error) { return r.p.Retry(ctx, it) }); err != nil {
			return err
		}
	}
	for _, j := range jobs {
		line := fmt.Sprintf("%s  job  %s", j.At.In(d.Zone).Format(time.DateTime), j.ID)
		if err := r.row(j.ID, line, func() (bool, error) { return r.p.RetryJob(ctx, j.ID) }); err != nil {
			return err
		}
	}
	return r.end(len(items) + len(jobs))
}

// parkedRows are the rows of [Desk.Parked].
type parkedRows struct {
	out   io.Writer
	p     *parking.Parked
	again string // the ID to retry, "all", or "" to list
	n     int    // retried
}

// row shows a row, or retries it if it is meant.
func (r *parkedRows) row(id, line string, retry func() (bool, error)) error {
	if r.again == "" {
		_, err := fmt.Fprintln(r.out, OneLine(line))
		return err
	}
	if r.again != id && r.again != "all" {
		return nil
	}
	ok, err := retry()
	if ok {
		r.n++
	}
	return err
}

// end reports the number of retried rows, or that nothing is parked.
func (r *parkedRows) end(all int) (err error) {
	switch {
	case r.again == "" && all == 0:
		_, err = fmt.Fprintln(r.out, "nothing is parked")
	case r.again != "" && r.n == 0 && r.again != "all":
		return fmt.Errorf("nothing that is parked has the ID %q; `maru parked` lists it", r.again)
	case r.again != "":
		_, err = fmt.Fprintf(r.out, "%d tried again\n", r.n)
	}
	return err
}
