package main

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"maru/bot"
)

// auditPage is how many entries are read at once.
const auditPage = 1000

// audit is `maru audit`: verify checks every chain of the audit log, list writes
// the entries that are asked for, oldest first.
func audit(ctx context.Context, inv invocation) error {
	f := flags("audit")
	team := f.String("team", "", "")
	var want bot.AuditFilter
	f.StringVar(&want.Who, "who", "", "")
	f.StringVar(&want.What, "what", "", "")
	since := f.String("since", "", "")
	format := f.String("format", "json", "")
	args, err := parse(f, inv.args)
	if err != nil {
		return err
	}
	if len(args) != 1 || args[0] != "verify" && args[0] != "list" {
		return usageError{"it wants verify or list"}
	}
	if args[0] == "verify" && (want != bot.AuditFilter{} || *since != "") {
		return usageError{"verify checks whole chains: it takes --team alone"}
	}
	if *since != "" {
		if want.Since, err = bot.ReadSince(*since, time.Now().In(inv.cfg.Place.Location())); err != nil {
			return usageError{"--since: " + err.Error()}
		}
	}
	write, flush, err := auditWriter(inv.stdout, *format)
	if err != nil {
		return err
	}
	a := &app{cfg: inv.cfg, log: inv.log}
	if a.record, err = a.openRecord(ctx); err != nil {
		return whileServing(err, "ask it in the chat with `/maru audit`, or stop it first")
	}
	defer func() { _ = a.close() }() // nothing was written
	teams := []string{*team}
	if *team == "" {
		if teams, err = a.record.AuditTeams(ctx); err != nil {
			return err
		}
	}
	if args[0] == "verify" {
		return verifyAudit(ctx, inv, a.record, teams)
	}
	return errors.Join(listAudit(ctx, a.record, teams, want, write), flush())
}

// auditWriter returns what writes an entry in a format, and what ends the output.
func auditWriter(out io.Writer, format string) (write func(bot.AuditEntry) error, flush func() error, err error) {
	switch format {
	case "json":
		lines := json.NewEncoder(out)
		return func(e bot.AuditEntry) error { return lines.Encode(e) }, func() error { return nil }, nil
	case "csv":
		w := csv.NewWriter(out)
		_ = w.Write([]string{"seq", "at", "team", "who", "what", "detail", "prev", "hash"}) // flush reports
		write = func(e bot.AuditEntry) error {
			return w.Write([]string{
				strconv.FormatInt(e.Seq, 10), e.At.Format(time.RFC3339Nano), bot.Cell(e.Team), bot.Cell(e.Who), bot.Cell(e.What), bot.Cell(string(e.Detail)), e.Prev, e.Hash,
			})
		}
		return write, func() error { w.Flush(); return w.Error() }, nil
	}
	return nil, nil, usageError{fmt.Sprintf("--format %q: json or csv", format)}
}

func verifyAudit(ctx context.Context, inv invocation, r bot.Audits, teams []string) error {
	if len(teams) == 0 {
		_, err := fmt.Fprintln(inv.stdout, "the audit log is empty: nothing to verify")
		return err
	}
	var broken error
	for _, team := range teams {
		check, state, err := verifyTeam(ctx, r, team)
		if errors.Is(err, errBroken) {
			broken = errBroken
		} else if err != nil {
			return err
		}
		if p := check.Pruned; p.Total > 0 {
			state += fmt.Sprintf("; %d older ones pruned, from before %s", p.Total, p.Before.Format(time.DateOnly))
		}
		if _, err := fmt.Fprintf(inv.stdout, "%-30s %7d entries  %s\n", quoteTeam(team), check.Entries, state); err != nil {
			return err
		}
	}
	return broken
}

// verifyTeam checks one chain, and says how it is.
func verifyTeam(ctx context.Context, r bot.Audits, team string) (check bot.AuditCheck, state string, err error) {
	err = eachPage(ctx, r, team, func(page []bot.AuditEntry) error {
		if seq, ok := check.Add(page); !ok {
			state = fmt.Sprintf("BROKEN at entry %d", seq)
			return errBroken
		}
		return nil
	})
	if err != nil {
		return check, state, err
	}
	if seq, ok := check.Done(); !ok {
		return check, fmt.Sprintf("BROKEN: what stood before entry %d is gone, and no prune says so", seq), errBroken
	}
	return check, "whole", nil
}

var errBroken = errors.New("the audit log was changed: an entry does not fit the one before it")

func quoteTeam(team string) string {
	if team == "" {
		return "(no team)"
	}
	return team
}

// eachPage hands on a team's entries, oldest first.
func eachPage(ctx context.Context, r bot.Audits, team string, fn func([]bot.AuditEntry) error) error {
	for after := int64(0); ; {
		page, err := r.AuditLog(ctx, team, after, auditPage)
		if err != nil || len(page) == 0 {
			return err
		}
		if err := fn(page); err != nil {
			return err
		}
		after = page[len(page)-1].Seq
	}
}

// listAudit writes the entries that are asked for.
func listAudit(ctx context.Context, r bot.Audits, teams []string, want bot.AuditFilter, write func(bot.AuditEntry) error) error {
	for _, team := range teams {
		err := eachPage(ctx, r, team, func(page []bot.AuditEntry) error {
			for _, e := range page {
				if !want.Fits(e) {
					continue
				}
				if err := write(e); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
