package bot

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"time"

	"maru/config"
)

// Exports makes the files that commands hand out, for surfaces that link to them.
//
// Export makes the file with this name as it is now, of what a person may see from
// where they are; a name that no command gave is a *[Error] with CodeNotFound. What
// it holds follows from the name and the person alone: any replica makes it, and
// nothing is kept.
type Exports interface {
	Export(ctx context.Context, from Thread, by User, name string) (Artifact, error)
}

var _ Exports = (*Bot)(nil)

// exportKind is what an exported table is, exportMost how many bytes it may have:
// what every platform takes.
const (
	exportKind = "text/csv"
	exportMost = 8 << 20
)

// usageName is the form of the names of usage's files: their first and last day.
var usageName = regexp.MustCompile(`^usage-(\d{4}-\d{2}-\d{2})-(\d{4}-\d{2}-\d{2})\.csv$`)

// Export implements Exports.
func (b *Bot) Export(ctx context.Context, from Thread, by User, name string) (Artifact, error) {
	if auditName.MatchString(name) {
		f, _, err := b.exportAudit(ctx, from, by, name)
		return f, err
	}
	if name == memoryName {
		f, _, err := b.exportMemory(ctx, from, by)
		return f, err
	}
	days := usageName.FindStringSubmatch(name)
	if days == nil {
		return Artifact{}, &Error{Code: CodeNotFound}
	}
	q := UsageQuery{Team: from.TeamKey(), From: days[1], To: days[2]}
	if n, ok := q.days(); !ok || n > usageMost {
		return Artifact{}, &Error{Code: CodeNotFound}
	}
	return b.exportUsage(ctx, from, by, q)
}

// days is how many days the query spans; false if they are none.
func (q UsageQuery) days() (int, bool) {
	from, err1 := time.Parse(dayForm, q.From)
	to, err2 := time.Parse(dayForm, q.To)
	if err1 != nil || err2 != nil || to.Before(from) {
		return 0, false
	}
	return int(to.Sub(from).Hours()/24) + 1, true
}

// exportUsage makes the file of what was used, of everybody for admins alone. That
// one of them took it is in the audit log.
func (b *Bot) exportUsage(ctx context.Context, t Thread, u User, q UsageQuery) (Artifact, error) {
	all := b.may(t, u, config.Admin)
	if !all {
		q.User = u.ID
	}
	rows, err := ReadUsage(ctx, b.cfg.Record, q, b.cfg.Zone)
	if err != nil {
		return Artifact{}, err
	}
	var data bytes.Buffer
	if err := WriteUsage(&data, rows); err != nil {
		return Artifact{}, fmt.Errorf("write usage: %w", err)
	}
	if data.Len() > exportMost {
		return Artifact{}, &Error{Code: CodeTooLong, Say: say(b.language(ctx, t, u, ""), "bot.export_is_too_large")}
	}
	if all {
		b.audit(ctx, t, u, "usage.export", map[string]any{"from": q.From, "to": q.To, "rows": len(rows)})
	}
	return Artifact{
		Thread: t.Key(), Name: fmt.Sprintf("usage-%s-%s.csv", q.From, q.To), MIME: exportKind, Size: int64(data.Len()), Data: data.Bytes(),
	}, nil
}
