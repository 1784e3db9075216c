package tryout

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"maru/adapters/web/site"
	"maru/bot"
	"maru/bot/overview"
	"maru/bot/rehearsal"
)

// ListRehearsals implements site.Rehearsals.
func (m *Room) ListRehearsals(ctx context.Context, by bot.User) ([]site.Rehearsal, error) {
	if err := allowed(by); err != nil {
		return nil, err
	}
	rows, err := m.notes.list(ctx)
	if err != nil {
		return nil, err
	}
	var out []site.Rehearsal
	for _, r := range rows {
		if r.State == leaving {
			continue
		}
		one, err := m.headOf(ctx, r)
		if err != nil {
			return nil, err
		}
		out = append(out, one)
	}
	return out, nil
}

// headOf returns a rehearsal without its change and report.
func (m *Room) headOf(ctx context.Context, r row) (site.Rehearsal, error) {
	var p pulse
	_, err := m.notes.read(ctx, partKey(r.ID, "pulse"), &p)
	return site.Rehearsal{
		ID: r.ID, Kind: r.Kind, Name: r.Name, By: r.By, State: r.State, Why: r.Why, Made: r.At, Bounds: r.Bounds, Done: p.Done, All: len(r.Runs), Spent: p.Spent, Took: p.Took,
		Priced: m.priced(), Undoes: r.Kind != site.RehearsesDocuments,
	}, err
}

// Rehearsal implements site.Rehearsals.
func (m *Room) Rehearsal(ctx context.Context, by bot.User, id string) (site.Rehearsal, error) {
	if err := allowed(by); err != nil {
		return site.Rehearsal{}, err
	}
	r, c, err := m.notes.one(ctx, id)
	if err != nil {
		return site.Rehearsal{}, err
	}
	out, err := m.headOf(ctx, r)
	if err != nil {
		return out, err
	}
	out.Changes = c.Values
	out.Undoes = out.Undoes || c.Kept
	if r.Kind == site.RehearsesWorkflow {
		out.Diff = site.Compared(c.Before, c.Text)
	}
	switch r.State {
	case site.RehearsalRuns:
		return out, nil
	case site.RehearsalDraft:
		out.Channels, out.Mean, err = m.channels(ctx)
		return out, err
	}
	if !r.Chosen {
		return out, nil
	}
	report, err := m.report(ctx, r)
	if err != nil {
		return out, err
	}
	out.Left = report.Left
	shown := report.In(by.Locale)
	out.Facts = shown.Facts
	for _, row := range shown.Rows {
		out.Rows = append(out.Rows, rowOf(row))
	}
	return out, nil
}

func rowOf(row rehearsal.ShownRow) site.RehearsedRow {
	out := site.RehearsedRow{
		N: row.N, Run: row.Question.Run, Text: row.Text, Author: row.Author, At: row.At, Label: row.Label, Grave: row.Grave, Same: row.Same, Remarks: row.Remarks,
	}
	for _, s := range row.Sides {
		out.Sides = append(out.Sides, site.RehearsedSide{Title: s.Title, Route: s.Route, Sources: s.Sources, Grade: s.Grade, Text: s.Text})
	}
	return out
}

// report compares the outcome of a rehearsal with the record. What was deleted since is forgotten here, too.
func (m *Room) report(ctx context.Context, r row) (rehearsal.Report, error) {
	j, err := m.notes.journal(ctx, r)
	if err != nil {
		return rehearsal.Report{}, err
	}
	plan := rehearsal.Plan{Record: m.cfg.Record, Runs: r.Runs, Journal: j, Now: m.cfg.Now}
	if r.Bounds.Baseline {
		plan.Base = &rehearsal.Stage{} // it only says that there was one
	}
	out, err := plan.Report(ctx, r.Name, nil)
	if err != nil || out.Gone == 0 {
		return out, err
	}
	return out, m.notes.prune(ctx, r)
}

// How many runs the channels to choose from, and the cost of an answer, are read from.
const (
	listed  = 100
	listing = 5 // times
)

// channels lists the channels with the last answers, and the mean cost of one.
func (m *Room) channels(ctx context.Context) (out []string, mean float64, err error) {
	q := overview.RunQuery{Status: bot.RunDone, Limit: listed}
	n, cost := 0, 0.0
	for range listing {
		page, err := m.cfg.Record.ListRuns(ctx, q)
		if err != nil {
			return nil, 0, fmt.Errorf("list channels: %w", err)
		}
		for _, r := range page {
			n++
			cost += r.Usage.Cost
			if at := r.Thread.TeamKey() + "/" + bot.Esc(r.Thread.Channel); !slices.Contains(out, at) {
				out = append(out, at)
			}
		}
		if len(page) < listed {
			break
		}
		q.Before = overview.Cursor{Started: page[len(page)-1].Started, ID: page[len(page)-1].ID}
	}
	slices.Sort(out)
	return out, cost / float64(max(n, 1)), nil
}

// RehearsalQuestions implements site.Rehearsals.
func (m *Room) RehearsalQuestions(ctx context.Context, by bot.User, id string, numbers []int) ([]byte, error) {
	if err := allowed(by); err != nil {
		return nil, err
	}
	r, _, err := m.notes.one(ctx, id)
	if err != nil {
		return nil, err
	}
	report, err := m.report(ctx, r)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	_, err = report.SaveCases(&b, numbers, nil)
	return b.Bytes(), err
}
