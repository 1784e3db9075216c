package console

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"maru/adapters/web"
	"maru/agent"
	"maru/bot"
	"maru/bot/overview"
	"maru/bot/tally"
)

var _ web.Seer = (*Desk)(nil)

// theirs reports whether a person asked for a run: in their workspace, or in their own conversations on the console.
func theirs(by bot.User, from bot.Thread, run bot.RunView) bool {
	team := run.Thread.TeamKey()
	return by.ID != "" && run.User == by.ID && (team == from.TeamKey() || team == web.HomeOf(from, by.ID).TeamKey())
}

// See implements web.Seer. Operators see every run, but not the words of other people's private conversations. Others
// see all of their own runs, and of runs in a channel that they read, or that wait for them, what the channel shows:
// not what tools and models said.
func (d *Desk) See(ctx context.Context, by bot.User, from bot.Thread, run string) (bot.RunView, error) {
	v, err := seen(ctx, d, by, from, run)
	v.Usage.Model = tally.ModelName(v.Usage.Model, by.Locale)
	for i, e := range v.Events {
		if e.Kind == agent.EventModelCall {
			v.Events[i].Text = tally.ModelName(e.Text, by.Locale)
		}
	}
	return v, err
}

// seen is See with models as they are recorded.
func seen(ctx context.Context, d *Desk, by bot.User, from bot.Thread, run string) (bot.RunView, error) {
	v, err := d.Bot.Trace(ctx, by, run)
	if err != nil || theirs(by, from, v) || by.Operator && from.TeamKey() == own && owners(v.Thread.TeamKey()) {
		return v, err
	}
	private, err := d.cfg.Record.Private(ctx, v.Thread.Key())
	switch {
	case err != nil || by.Operator && !private:
		return v, err
	case by.Operator:
		return wordless(v), nil
	}
	if !private && v.Thread.TeamKey() == from.TeamKey() && d.cfg.Reads != nil {
		if reads, err := d.cfg.Reads(ctx, v.Thread, by.ID); err != nil || reads {
			return shownInChannel(v, by), err
		}
	}
	if d.MaySee(ctx, from, by, run) == nil { // they may decide it
		return wordless(v), nil
	}
	return bot.RunView{}, bot.ErrNotFound
}

// wordless returns a run without the words of people, tools and models.
func wordless(v bot.RunView) bot.RunView {
	v.Thread.Direct, v.Question = true, ""
	v.Events = stripped(v.Events, false)
	return v
}

// shownInChannel returns a run as readers of its channel know it. Guests may not read the documents that it found.
func shownInChannel(v bot.RunView, by bot.User) bot.RunView {
	v.Events = stripped(v.Events, !by.Stranger())
	return v
}

func stripped(events []bot.RunEvent, sources bool) []bot.RunEvent {
	out := make([]bot.RunEvent, len(events))
	for i, e := range events {
		out[i] = agent.Event{Kind: e.Kind, Run: e.Run, At: e.At, Node: e.Node, Name: e.Name, Usage: e.Usage, Took: e.Took, Waits: e.Waits}
		if sources {
			out[i].Sources = e.Sources
		}
	}
	return out
}

// ownRuns adds to a list the runs of a person themselves, those of their private conversations too.
func ownRuns(ctx context.Context, d *Desk, by bot.User, from bot.Thread, q overview.RunQuery, list []overview.Run) ([]overview.Run, error) {
	if q.User != "" && q.User != by.ID {
		return list, nil
	}
	teams := []string{from.TeamKey(), web.HomeOf(from, by.ID).TeamKey()}
	slices.Sort(teams)
	mine := q
	mine.User = by.ID
	return withRunsOf(ctx, d, mine, list, slices.Compact(teams)...)
}

// withRunsOf adds to a list the runs of some teams, those of their direct conversations too.
func withRunsOf(ctx context.Context, d *Desk, q overview.RunQuery, list []overview.Run, teams ...string) ([]overview.Run, error) {
	for _, team := range teams {
		if q.Team != "" && q.Team != team {
			continue
		}
		theirs := q
		theirs.Team, theirs.Own = team, team
		more, err := d.cfg.Record.ListRuns(ctx, theirs)
		if err != nil {
			return nil, err
		}
		list = append(list, more...)
	}
	slices.SortFunc(list, func(a, b overview.Run) int {
		return cmp.Or(b.Started.Compare(a.Started), cmp.Compare(b.ID, a.ID))
	})
	list = slices.CompactFunc(list, func(a, b overview.Run) bool { return a.ID == b.ID })
	if q.Limit > 0 {
		list = list[:min(len(list), q.Limit)]
	}
	return list, nil
}

// questionsFor lists the open questions that a person may decide from their workspace, and those of their own conversations.
func questionsFor(ctx context.Context, d *Desk, by bot.User, from bot.Thread) ([]overview.Question, error) {
	var out []overview.Question
	for _, t := range homes(from, by) {
		rows, err := d.WaitingFrom(ctx, t, by)
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			if row.State == bot.ApprovalPending {
				out = append(out, overview.Question{Approval: row})
			}
		}
	}
	return out, nil
}

// homes returns the places in which a person has rights: their workspace, and their own conversations.
func homes(from bot.Thread, by bot.User) []bot.Thread {
	home := web.HomeOf(from, by.ID)
	if home.TeamKey() == from.TeamKey() || from.TeamKey() == own {
		return []bot.Thread{from}
	}
	return []bot.Thread{from, home}
}

// Rule implements web.Runs: a person decides in their workspace and in their own conversations.
func (d *Desk) Rule(ctx context.Context, r bot.Ruling) (ruled bot.Ruled, err error) {
	r.Thread = placeOf(ctx, d, r.Thread, r.User, r.Run)
	return d.Bot.Rule(ctx, r)
}

// Follow implements web.Runs: a person may follow the runs that they may see or decide about.
func (d *Desk) Follow(ctx context.Context, from bot.Thread, by bot.User, run string, show func(bot.Feed) error) error {
	if len(homes(from, by)) > 1 || from.Channel == "" {
		if v, err := d.See(ctx, by, from, run); err == nil && !v.Thread.Direct {
			return d.Bot.Follow(ctx, v.Thread, by, run, show)
		}
		from = placeOf(ctx, d, from, by, run)
	}
	return d.Bot.Follow(ctx, from, by, run, show)
}

// File implements web.Files: a person is given the files of the runs whose words they may see.
func (d *Desk) File(ctx context.Context, from bot.Thread, by bot.User, run string, n int) (bot.Artifact, error) {
	v, err := d.See(ctx, by, from, run)
	switch {
	case err == nil && v.Thread.TeamKey() == terminal && from.TeamKey() == own:
	case from.TeamKey() == own:
		return d.Bot.File(ctx, from, by, run, n)
	case err != nil || v.Thread.Direct:
		return bot.Artifact{}, cmp.Or(err, bot.ErrNotFound)
	}
	return d.Bot.File(ctx, v.Thread, by, run, n)
}

// placeOf returns the one of a person's places in which a run is; that from which they come if it is in none.
func placeOf(ctx context.Context, d *Desk, from bot.Thread, by bot.User, run string) bot.Thread {
	all := homes(from, by)
	if len(all) == 1 || from.Channel != "" {
		return from
	}
	r, err := d.cfg.Record.RunByID(ctx, run)
	if err != nil && !errors.Is(err, bot.ErrNotFound) {
		return from
	}
	if t, err := bot.ParseThread(r.Thread); err == nil && t.TeamKey() == all[1].TeamKey() {
		return all[1]
	}
	return from
}
