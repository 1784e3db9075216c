package command

import (
	"bytes"
	"context"
	"fmt"

	"maru/bot"
	"maru/bot/tally"
	"maru/config"
	"maru/phrase"
	"maru/phrase/pattern"
)

// exportKind is the type of exported tables, exportMost their largest size in bytes,
// which every platform accepts.
const (
	exportKind = "text/csv"
	exportMost = 8 << 20
)

// usageName matches the file names of usage exports: their first and last day.
var usageName = pattern.New(`^usage-(\d{4}-\d{2}-\d{2})-(\d{4}-\d{2}-\d{2})\.csv$`)

// Exports hands out files by their names. It implements [bot.Exports].
type Exports struct {
	audit    *Audit
	usage    *Usage
	memories *Memory
}

// Export implements [bot.Exports].
func (ex *Exports) Export(ctx context.Context, from bot.Thread, by bot.User, name string) (bot.Artifact, error) {
	if auditName.MatchString(name) {
		f, _, err := ex.audit.export(ctx, from, by, name)
		return f, err
	}
	if name == memoryName {
		f, _, err := ex.memories.export(ctx, from, by)
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
	return ex.usage.export(ctx, from, by, q)
}

// export generates the usage file: everybody's for admins, which is audited, and the caller's own for others.
func (us *Usage) export(ctx context.Context, t bot.Thread, u bot.User, q bot.UsageQuery) (bot.Artifact, error) {
	all := us.rules.May(t, u, config.Admin)
	if !all {
		q.User = u.ID
	}
	rows, err := tally.Read(ctx, us.record, q, us.zone)
	if err != nil {
		return bot.Artifact{}, err
	}
	var data bytes.Buffer
	if err := tally.Write(&data, rows); err != nil {
		return bot.Artifact{}, fmt.Errorf("write usage: %w", err)
	}
	if data.Len() > exportMost {
		return bot.Artifact{}, &bot.Error{Code: bot.CodeTooLong, Say: phrase.Say(us.rules.Language(ctx, t, u, ""), "bot.export.too_large")}
	}
	if all {
		us.rules.Audit(ctx, t, u, "usage.export", map[string]any{"from": q.From, "to": q.To, "rows": len(rows)})
	}
	return bot.Artifact{
		Thread: t.Key(), Name: fmt.Sprintf("usage-%s-%s.csv", q.From, q.To), MIME: exportKind, Size: int64(data.Len()), Data: data.Bytes(),
	}, nil
}
