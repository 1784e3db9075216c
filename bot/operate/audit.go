package operate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"maru/bot/audit"
	"maru/bot/command"
)

// Audit is `maru audit`: verify checks every chain of the audit log, list writes the requested entries, oldest
// first, check verifies a receipt of the approval desk, and new-key renews the key of receipts.
func (d Desk) Audit(ctx context.Context, args []string, out io.Writer) error {
	f := Flags("audit")
	team := f.String("team", "", "")
	var want command.AuditFilter
	f.StringVar(&want.Who, "who", "", "")
	f.StringVar(&want.What, "what", "", "")
	since := f.String("since", "", "")
	format := f.String("format", "json", "")
	args, err := Parse(f, args)
	if err != nil {
		return err
	}
	switch {
	case len(args) > 0 && args[0] == "check":
		return d.check(ctx, args[1:], out)
	case len(args) == 1 && args[0] == "new-key":
		return d.newKey(ctx, out)
	case len(args) != 1 || args[0] != "verify" && args[0] != "list":
		return Misuse{"it wants verify or list, check RECEIPT or new-key"}
	}
	if args[0] == "verify" && (want != command.AuditFilter{} || *since != "") {
		return Misuse{"verify checks whole chains: it takes --team alone"}
	}
	if *since != "" {
		if want.Since, err = command.ReadSince(*since, time.Now().In(d.Zone)); err != nil {
			return Misuse{"--since: " + err.Error()}
		}
	}
	write, flush, err := auditWriter(out, *format)
	if err != nil {
		return err
	}
	record, done, err := d.Open(ctx)
	if err != nil {
		return err
	}
	defer done()
	teams := []string{*team}
	if *team == "" {
		if teams, err = record.AuditTeams(ctx); err != nil {
			return err
		}
	}
	if args[0] == "verify" {
		return verifyAudit(ctx, out, record, teams)
	}
	return errors.Join(listAudit(ctx, record, teams, want, write), flush())
}

// auditWriter returns the entry writer of a format, and a function that ends the output.
func auditWriter(out io.Writer, format string) (write func(audit.Entry) error, flush func() error, err error) {
	switch format {
	case "json":
		lines := json.NewEncoder(out)
		return func(e audit.Entry) error { return lines.Encode(e) }, func() error { return nil }, nil
	case "csv":
		table := command.NewAuditTable(out)
		return table.Add, table.Flush, nil
	}
	return nil, nil, Misuse{fmt.Sprintf("--format %q: json or csv", format)}
}

func verifyAudit(ctx context.Context, out io.Writer, r audit.Log, teams []string) error {
	if len(teams) == 0 {
		_, err := fmt.Fprintln(out, "the audit log is empty: nothing to verify")
		return err
	}
	var broken error
	for _, team := range teams {
		proof, err := command.ProveAudit(ctx, r, team)
		if err != nil {
			return err
		}
		state := "whole"
		switch {
		case proof.Lost:
			state = fmt.Sprintf("BROKEN: what stood before entry %d is gone, and no prune says so", proof.Broken)
		case proof.Broken != 0:
			state = fmt.Sprintf("BROKEN at entry %d", proof.Broken)
		}
		if proof.Broken != 0 {
			broken = errBroken
		}
		if p := proof.Pruned; p.Total > 0 {
			state += fmt.Sprintf("; %d older ones pruned, from before %s", p.Total, p.Before.Format(time.DateOnly))
		}
		if _, err := fmt.Fprintf(out, "%-30s %7d entries  %s\n", quoteTeam(team), proof.Entries, state); err != nil {
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

// listAudit writes the entries that are asked for.
func listAudit(ctx context.Context, r audit.Log, teams []string, want command.AuditFilter, write func(audit.Entry) error) error {
	for _, team := range teams {
		err := command.EachAudit(ctx, r, team, func(page []audit.Entry) error {
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
