package main

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"maru/bot"
)

// auditPage is how many entries are read at once.
const auditPage = 1000

// audit is `maru audit`: verify checks every chain of the audit log, list writes
// the entries as JSON lines, oldest first.
func audit(ctx context.Context, inv invocation) error {
	f := flags("audit")
	team := f.String("team", "", "")
	args, err := parse(f, inv.args)
	if err != nil {
		return err
	}
	if len(args) != 1 || args[0] != "verify" && args[0] != "list" {
		return usageError{"audit wants verify or list"}
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
	if args[0] == "list" {
		return listAudit(ctx, inv, a.record, teams)
	}
	return verifyAudit(ctx, inv, a.record, teams)
}

func verifyAudit(ctx context.Context, inv invocation, r bot.Audits, teams []string) error {
	if len(teams) == 0 {
		_, err := fmt.Fprintln(inv.stdout, "the audit log is empty: nothing to verify")
		return err
	}
	var broken error
	for _, team := range teams {
		n, prev, state := 0, "", "whole"
		err := eachPage(ctx, r, team, func(page []bot.AuditEntry) error {
			n += len(page)
			if seq, ok := bot.VerifyAudit(prev, page); !ok {
				state = fmt.Sprintf("BROKEN at entry %d", seq)
				return errBroken
			}
			prev = page[len(page)-1].Hash
			return nil
		})
		if errors.Is(err, errBroken) {
			broken = errBroken
		} else if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(inv.stdout, "%-30s %7d entries  %s\n", quoteTeam(team), n, state); err != nil {
			return err
		}
	}
	return broken
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

func listAudit(ctx context.Context, inv invocation, r bot.Audits, teams []string) error {
	out := json.NewEncoder(inv.stdout)
	for _, team := range teams {
		err := eachPage(ctx, r, team, func(page []bot.AuditEntry) error {
			for _, e := range page {
				if err := out.Encode(e); err != nil {
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
