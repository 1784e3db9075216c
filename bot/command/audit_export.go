package command

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"maru/bot"
	"maru/bot/audit"
	"maru/bot/tally"
	"maru/config"
	"maru/phrase"
	"maru/phrase/pattern"
)

// auditPage is the page size for reading the audit log.
const auditPage = 1000

// AuditLog reads the audit log, oldest first.
type AuditLog interface {
	AuditLog(ctx context.Context, team string, after int64, limit int) ([]audit.Entry, error)
}

// EachAudit calls fn with the pages of a workspace's audit log, oldest first, until it
// returns an error.
func EachAudit(ctx context.Context, r AuditLog, team string, fn func([]audit.Entry) error) error {
	for after := int64(0); ; {
		page, err := r.AuditLog(ctx, team, after, auditPage)
		if err != nil {
			return fmt.Errorf("read audit log: %w", err)
		}
		if len(page) == 0 {
			return nil
		}
		if err := fn(page); err != nil {
			return err
		}
		after = page[len(page)-1].Seq
	}
}

// AuditProof is the result of verifying a workspace's audit log.
type AuditProof struct {
	audit.Check

	Broken int64 // Seq of the entry that was changed or does not follow the one before it; 0: none
	Lost   bool  // the entries before Broken are missing without a pruning entry
}

// ProveAudit verifies a workspace's whole audit log.
func ProveAudit(ctx context.Context, r AuditLog, team string) (AuditProof, error) {
	var p AuditProof
	found := errors.New("found")
	err := EachAudit(ctx, r, team, func(page []audit.Entry) error {
		if seq, ok := p.Add(page); !ok {
			p.Broken = seq
			return found
		}
		return nil
	})
	if err != nil && !errors.Is(err, found) {
		return p, err
	}
	if seq, ok := p.Done(); p.Broken == 0 && !ok {
		p.Broken, p.Lost = seq, true
	}
	return p, nil
}

// AuditTable writes entries of the audit log as CSV.
type AuditTable struct{ w *csv.Writer }

// NewAuditTable writes the head of a table.
func NewAuditTable(to io.Writer) AuditTable {
	t := AuditTable{csv.NewWriter(to)}
	_ = t.w.Write([]string{"seq", "at", "team", "who", "what", "detail", "prev", "hash"}) // Flush reports
	return t
}

// Add writes an entry, with its text escaped against spreadsheet formulas.
func (t AuditTable) Add(e audit.Entry) error {
	return t.w.Write([]string{
		strconv.FormatInt(e.Seq, 10), e.At.Format(time.RFC3339Nano), tally.Cell(e.Team), tally.Cell(e.Who), tally.Cell(e.What), tally.Cell(string(e.Detail)), e.Prev, e.Hash,
	})
}

// Flush writes the rest of the table.
func (t AuditTable) Flush() error { t.w.Flush(); return t.w.Error() }

// auditName matches the file names of audit exports: the day of the export and the
// filter in base64, if there is one.
var auditName = pattern.New(`^audit-\d{4}-\d{2}-\d{2}(?:-([A-Za-z0-9_-]{1,220}))?\.csv$`)

// auditFileName names the export for a filter; false if the filter is too long for a name.
func auditFileName(day time.Time, filter string) (string, bool) {
	name := "audit-" + day.Format(time.DateOnly)
	if filter != "" {
		name += "-" + base64.RawURLEncoding.EncodeToString([]byte(filter))
	}
	name += ".csv"
	return name, auditName.MatchString(name)
}

// export makes the file with this name, for admins only, and records it in the log. It
// returns how many entries the file has.
func (au *Audit) export(ctx context.Context, t bot.Thread, u bot.User, name string) (f bot.Artifact, entries int, err error) {
	m := auditName.FindStringSubmatch(name)
	if m == nil || !au.rules.May(t, u, config.Admin) {
		return f, 0, &bot.Error{Code: bot.CodeNotFound}
	}
	words, err := base64.RawURLEncoding.DecodeString(m[1])
	if err != nil {
		return f, 0, &bot.Error{Code: bot.CodeNotFound}
	}
	want, err := readAuditFilter(string(words), au.today(u))
	if err != nil {
		return f, 0, &bot.Error{Code: bot.CodeNotFound}
	}
	var data bytes.Buffer
	table := NewAuditTable(&data)
	err = EachAudit(ctx, au.record, t.TeamKey(), func(page []audit.Entry) error {
		for _, e := range page {
			if !want.Fits(e) {
				continue
			}
			entries++
			if err := table.Add(e); err != nil {
				return fmt.Errorf("write audit log: %w", err)
			}
		}
		if data.Len() > exportMost {
			return &bot.Error{Code: bot.CodeTooLong, Say: phrase.Say(au.rules.Language(ctx, t, u, ""), "bot.audit.export_too_large")}
		}
		return nil
	})
	if err != nil {
		return f, 0, err
	}
	if err := table.Flush(); err != nil {
		return f, 0, fmt.Errorf("write audit log: %w", err)
	}
	au.rules.Audit(ctx, t, u, "audit.export", map[string]any{"filter": string(words), "entries": entries})
	return bot.Artifact{Thread: t.Key(), Name: name, MIME: exportKind, Size: int64(data.Len()), Data: data.Bytes()}, entries, nil
}
