package bot

import (
	"cmp"
	"context"
	"strings"
	"time"
)

// RunWait is a question on which a run waits.
type RunWait struct {
	Node   string    `json:"node"`             // that asks
	Asker  string    `json:"asker,omitempty"`  // who asked for the run, by name or id
	Others []string  `json:"others,omitempty"` // who else may decide, as the place's approvers are set now
	Until  time.Time `json:"until"`
}

// Whom names in a language who may decide.
func (w RunWait) Whom(lang string) string {
	first := say(lang, "bot.whoever_asked")
	if w.Asker != "" {
		first = say(lang, "bot.the_asker", w.Asker)
	}
	return strings.Join(append([]string{first}, w.Others...), ", ")
}

// waits returns the questions on which a run waits. What cannot be read is left
// out: a trace explains less then.
func (b *Bot) waits(ctx context.Context, r Run) []RunWait {
	if r.Status != RunWaiting {
		return nil
	}
	rows, err := b.cfg.Record.RunApprovals(ctx, r.Thread, r.ID, maxAsked)
	if err != nil {
		b.log.WarnContext(ctx, "read what a run waits for", "run", r.ID, "err", err)
	}
	var out []RunWait
	for _, row := range rows {
		a, err := readAsked(row)
		if err != nil || row.State != ApprovalPending || row.Kind == approvalFiles {
			continue
		}
		w := RunWait{Node: a.w.Interrupt.Node, Until: row.Expires}
		if u := a.w.Message.User; len(row.Allowed) > 0 {
			w.Asker = visible(cmp.Or(u.Name, row.Allowed[0]))
		}
		if set, err := b.settingsNow(ctx, a.w.Message.Thread, a.w.Message.User); err == nil {
			w.Others = set.Decisions.Approvers
		}
		out = append(out, w)
	}
	return out
}
