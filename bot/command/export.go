package command

import (
	"bytes"
	"context"
	"fmt"
	"regexp"

	"maru/bot"
	"maru/config"
	"maru/phrase"
)

// exportKind is what an exported table is, exportMost how many bytes it may have:
// what every platform takes.
const (
	exportKind = "text/csv"
	exportMost = 8 << 20
)

// usageName is the form of the names of usage's files: their first and last day.
var usageName = regexp.MustCompile(`^usage-(\d{4}-\d{2}-\d{2})-(\d{4}-\d{2}-\d{2})\.csv$`)

// Exports hands out files by their names. It implements [bot.Exports].
type Exports struct {
	audit    *Audit
	usage    *Usage
	memories *Memory
}

// Export implements Exports.
func (ex *Exports) Export(ctx context.Context, from bot.Thread, by bot.User, name string) (bot.Artifact, error) {
	if auditName.MatchString(name) {
		f, _, err := ex.audit.exportAudit(ctx, from, by, name)
		return f, err
	}
	if name == memoryName {
		f, _, err := ex.memories.exportMemory(ctx, from, by)
		return f, err
	}
	days := usageName.FindStringSubmatch(name)
	if days == nil {
		return bot.Artifact{}, &bot.Error{Code: bot.CodeNotFound}
	}
	q := bot.UsageQuery{Team: from.TeamKey(), From: days[1], To: days[2]}
	if n, ok := q.Days(); !ok || n > usageMost {
		return bot.Artifact{}, &bot.Error{Code: bot.CodeNotFound}
	}
	return ex.usage.exportUsage(ctx, from, by, q)
}

// exportUsage makes the file of what was used, of everybody for admins alone. That
// one of them took it is in the audit log.
func (us *Usage) exportUsage(ctx context.Context, t bot.Thread, u bot.User, q bot.UsageQuery) (bot.Artifact, error) {
	all := us.rules.May(t, u, config.Admin)
	if !all {
		q.User = u.ID
	}
	rows, err := ReadUsage(ctx, us.record, q, us.zone)
	if err != nil {
		return bot.Artifact{}, err
	}
	var data bytes.Buffer
	if err := WriteUsage(&data, rows); err != nil {
		return bot.Artifact{}, fmt.Errorf("write usage: %w", err)
	}
	if data.Len() > exportMost {
		return bot.Artifact{}, &bot.Error{Code: bot.CodeTooLong, Say: phrase.Say(us.rules.Language(ctx, t, u, ""), "bot.export_is_too_large")}
	}
	if all {
		us.rules.Audit(ctx, t, u, "usage.export", map[string]any{"from": q.From, "to": q.To, "rows": len(rows)})
	}
	return bot.Artifact{
		Thread: t.Key(), Name: fmt.Sprintf("usage-%s-%s.csv", q.From, q.To), MIME: exportKind, Size: int64(data.Len()), Data: data.Bytes(),
	}, nil
}
