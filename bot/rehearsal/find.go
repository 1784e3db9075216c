package rehearsal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"maru/agent"
	"maru/bot"
	"maru/bot/approval"
	"maru/bot/overview"
	"maru/phrase/fit"
)

const (
	maxEntries = 1000 // newest entries of a thread searched for a question
	maxEarlier = 30   // earlier entries given to a replay
	pageSize   = 100  // runs that are listed at once
	maxListed  = 5000 // maximum number of runs searched
)

// Record is the part of the record that a rehearsal reads.
type Record interface {
	ListRuns(ctx context.Context, q overview.RunQuery) ([]overview.Run, error)
	RunByID(ctx context.Context, id string) (bot.Run, error)
	Reply(ctx context.Context, run string) (bot.Reply, error)
	Transcript(ctx context.Context, thread string, limit int) ([]bot.Entry, error)
	Note(ctx context.Context, key string) (string, error)
	RunApprovals(ctx context.Context, thread, run string, limit int) ([]bot.Approval, error)
	SettingsOf(ctx context.Context, places []string) ([]bot.Setting, error)
	Private(ctx context.Context, thread string) (bool, error)
}

// decision is a person's decision on a run's question.
type decision struct {
	kind    string
	value   json.RawMessage
	expired bool
}

// Last lists the runs of the last questions of a channel, or of all channels, the oldest first. Direct conversations are
// never among them. team is a Thread.TeamKey, channel the platform's ID; both may be "".
func Last(ctx context.Context, r Record, team, channel string, n int) ([]string, error) {
	var out []string
	q := overview.RunQuery{Team: team, Channel: channel, Status: bot.RunDone, Limit: pageSize}
	for looked := 0; len(out) < n && looked < maxListed; looked += pageSize {
		page, err := r.ListRuns(ctx, q)
		if err != nil {
			return nil, fmt.Errorf("list questions: %w", err)
		}
		for _, run := range page {
			_, ok, err := Load(ctx, r, run.ID)
			if err != nil {
				return nil, err
			}
			if ok && len(out) < n {
				out = append(out, run.ID)
			}
		}
		if len(page) < pageSize {
			break
		}
		q.Before = overview.Cursor{Started: page[len(page)-1].Started, ID: page[len(page)-1].ID}
	}
	slices.Reverse(out)
	return out, nil
}

// Load reads a question; ok is false for questions that were deleted or withdrawn, are from a direct conversation,
// or were not answered by an agent.
func Load(ctx context.Context, r Record, run string) (q Question, ok bool, err error) {
	row, err := r.RunByID(ctx, run)
	if errors.Is(err, bot.ErrNotFound) {
		return q, false, nil
	}
	if err != nil {
		return q, false, fmt.Errorf("read run: %w", err)
	}
	q = Question{Run: run}
	if json.Unmarshal(row.Trace, &q.trace) != nil || len(q.trace) == 0 || agent.Ruled(q.trace) || row.Status != bot.RunDone {
		return q, false, nil
	}
	if q.Thread, err = bot.ParseThread(row.Thread); err != nil {
		return q, false, nil //nolint:nilerr // no thread of a platform
	}
	if private, err := r.Private(ctx, row.Thread); err != nil || private {
		return q, false, wrap("look up thread", err)
	}
	entries, err := r.Transcript(ctx, row.Thread, maxEntries)
	if err != nil {
		return q, false, fmt.Errorf("read thread: %w", err)
	}
	if ok, err = q.place(ctx, r, entries); !ok || err != nil {
		return q, false, err
	}
	q.Was.Agent, q.Was.Route, q.Was.Took = row.Agent, routeOf(q.trace), row.Worked
	if len(row.Usage) > 0 && json.Unmarshal(row.Usage, &q.Was.Usage) != nil {
		q.Was.Usage = agent.Usage{}
	}
	if q.decisions, err = decisionsOf(ctx, r, row); err != nil {
		return q, false, err
	}
	q.settings, err = r.SettingsOf(ctx, q.Thread.Places(bot.User{ID: q.User}))
	return q, err == nil, wrap("read settings", err)
}

// place finds the question, its answer and the earlier messages among a thread's entries.
func (q *Question) place(ctx context.Context, r Record, entries []bot.Entry) (bool, error) {
	item := ""
	switch reply, err := r.Reply(ctx, q.Run); {
	case err == nil:
		item = reply.Item
	case !errors.Is(err, bot.ErrNotFound):
		return false, fmt.Errorf("read reply: %w", err)
	}
	asked := slices.IndexFunc(entries, func(e bot.Entry) bool { return !e.Own && (bot.RunID(e.ID) == q.Run || e.ID == item) })
	answered := slices.IndexFunc(entries, func(e bot.Entry) bool { return e.Own && e.ID == q.Run })
	if asked < 0 || answered < 0 {
		return false, nil
	}
	e, a := entries[asked], entries[answered]
	said, err := stands(ctx, r, e)
	if !said || err != nil || a.Deleted || fit.Blank(a.Text) {
		return false, err
	}
	q.Text, q.Files = withoutFiles(e.Text)
	q.Author, q.User, q.At, q.Was.Text = e.Author, e.User, e.At, a.Text
	if len(a.Sources) > 0 && json.Unmarshal(a.Sources, &q.Was.Sources) != nil {
		q.Was.Sources = nil
	}
	for _, e := range entries[max(0, asked-maxEarlier):asked] {
		said, err := stands(ctx, r, e)
		if err != nil {
			return false, err
		}
		if said {
			q.Earlier = append(q.Earlier, agent.Turn{ID: e.ID, Author: e.Author, Own: e.Own, Text: e.Text, At: e.At})
		}
	}
	return q.Text != "", nil
}

// stands reports whether an entry may be quoted: it was neither deleted nor taken back.
func stands(ctx context.Context, r Record, e bot.Entry) (bool, error) {
	if e.Deleted || fit.Blank(e.Text) {
		return false, nil
	}
	if e.Own {
		return true, nil
	}
	unsaid, err := r.Note(ctx, bot.NoteUnsaid+e.ID)
	return unsaid == "", wrap("read note", err)
}

// withoutFiles returns a message without the lines that name its files; see bot.Message.EntryText.
func withoutFiles(text string) (string, bool) {
	var kept []string
	files := false
	for line := range strings.SplitSeq(text, "\n") {
		if strings.HasPrefix(line, "📎 ") {
			files = true
			continue
		}
		kept = append(kept, line)
	}
	return strings.TrimSpace(strings.Join(kept, "\n")), files
}

// maxDecisions limits the decisions of one run.
const maxDecisions = 100

// decisionsOf returns people's decisions while a run waited.
func decisionsOf(ctx context.Context, r Record, run bot.Run) ([]decision, error) {
	rows, err := r.RunApprovals(ctx, run.Thread, run.ID, maxDecisions)
	if err != nil {
		return nil, fmt.Errorf("read decisions: %w", err)
	}
	var out []decision
	for _, row := range rows {
		d := decision{kind: row.Kind, expired: row.State == bot.ApprovalExpired}
		if row.State == bot.ApprovalDecided {
			made, err := approval.ReadDecision(row.Decision)
			if err != nil {
				continue // from an older program: the replay uses the default decision
			}
			d.value = made.Value
		}
		if d.expired || len(d.value) > 0 {
			out = append(out, d)
		}
	}
	return out, nil
}

// routeOf returns the route that an agent chose for a message, "" for none.
func routeOf(events []agent.Event) string {
	route := ""
	for _, e := range events {
		if e.Kind == agent.EventCustom && e.Name == "router" {
			route = e.Text
		}
	}
	return route
}

// wrap adds what was being done to an error, if there is one.
func wrap(doing string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", doing, err)
}
