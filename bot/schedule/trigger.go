package schedule

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"maru/bot"
	"maru/bot/calendar"
	"maru/config"
	"maru/phrase"
	"maru/phrase/fit"
)

// workflows returns the triggers of the active workflows, by workflow.
func (s *Schedules) workflows() map[string][]calendar.Trigger {
	if s.Workflows == nil {
		return nil
	}
	return s.Workflows()
}

// triggersNamed returns the triggers with a name: those of a workflow, or a single one as "workflow/trigger".
func triggersNamed(all map[string][]calendar.Trigger, name string) []calendar.Trigger {
	name = strings.Trim(name, "` ")
	var out []calendar.Trigger
	for _, list := range all {
		for _, t := range list {
			if strings.EqualFold(t.Workflow, name) || strings.EqualFold(t.Name, name) || strings.EqualFold(t.Source(), name) {
				out = append(out, t)
			}
		}
	}
	return out
}

// enable enables a workflow's triggers in the channel of a command or, without a name, lists them.
func (s *Schedules) enable(ctx context.Context, c bot.Invocation, name, lang string) (*bot.Card, error) {
	all := s.workflows()
	set, err := s.Rules.Settings(ctx, c.Thread, c.User)
	if err != nil {
		return nil, err
	}
	zone := s.Rules.ZoneFor(set, c.User, c.Thread.Direct)
	found := triggersNamed(all, name)
	if len(found) == 0 {
		var lines []string
		for _, workflow := range slices.Sorted(maps.Keys(all)) {
			for _, t := range all[workflow] {
				lines = append(lines, "- `"+t.Source()+"` **"+t.Rule.Words(lang, zone)+"**: "+literal(fit.Clip(fit.OneLine(t.Input), 100)))
			}
		}
		if len(lines) == 0 {
			return told(phrase.Say(lang, "schedule.no_workflows"), lang).Card, nil
		}
		return told(phrase.Say(lang, "schedule.workflows", strings.Join(lines, "\n")), lang).Card, nil
	}
	var texts []string
	for _, t := range found {
		if t.Owner != c.Thread.Person(c.User) && !s.Rules.May(c.Thread, c.User, config.ChannelAdmin) {
			return told(phrase.Say(lang, "schedule.not_owner", t.Name), lang).Card, nil
		}
		text, err := s.enableOne(ctx, c, t, zone.String(), lang)
		if err != nil {
			return nil, err
		}
		texts = append(texts, text)
	}
	return told(strings.Join(texts, "\n\n"), lang).Card, nil
}

// enableOne stores the row of a trigger in a channel. An existing row is resumed.
func (s *Schedules) enableOne(ctx context.Context, c bot.Invocation, t calendar.Trigger, zone, lang string) (string, error) {
	sum := sha256.Sum256([]byte(calendar.Row{Thread: c.Thread}.Channel() + "\n" + t.Source()))
	id := hex.EncodeToString(sum[:10])
	r, err := s.Store.ScheduleByID(ctx, id)
	switch {
	case errors.Is(err, bot.ErrNotFound):
		r = s.fresh(id, c.Thread, c.User, lang)
		r.Zone = zone
	case err != nil:
		return "", fmt.Errorf("read a schedule: %w", err)
	case r.State == calendar.Active:
		return phrase.Say(lang, "schedule.enabled", described(r, lang, s.Now())), nil
	default: // the person who enables it again becomes its owner
		r.Owner, r.Thread, r.Lang = c.User, c.Thread, lang
	}
	if !t.InThread {
		r.Thread.ID = ""
	}
	r = follow(r, t)
	return s.change(ctx, r, "enable", c.User, lang)
}

// follow updates a row from its trigger.
func follow(r calendar.Row, t calendar.Trigger) calendar.Row {
	r.Kind, r.Source, r.Agent, r.Text, r.Rule = calendar.Ask, t.Source(), t.Workflow, t.Input, t.Rule
	if t.Zone != "" {
		r.Zone = t.Zone
	}
	return r
}

// disable removes the rows of a workflow from a channel.
func (s *Schedules) disable(ctx context.Context, c bot.Invocation, name, lang string) (*bot.Card, error) {
	rows, err := s.rows(ctx, c)
	if err != nil {
		return nil, err
	}
	name = strings.ToLower(strings.Trim(name, "` "))
	var texts []string
	for _, r := range rows {
		if r.Source == "" || r.Channel() != (calendar.Row{Thread: c.Thread}).Channel() || name != strings.ToLower(r.Agent) && name != strings.ToLower(r.Source) {
			continue
		}
		if !s.mayChange(r, c.Thread, c.User) {
			return nil, &bot.Error{Code: bot.CodeNotAllowed}
		}
		text, err := s.change(ctx, r, "delete", c.User, lang)
		if err != nil {
			return nil, err
		}
		texts = append(texts, text)
	}
	if len(texts) == 0 {
		return nil, &bot.Error{Code: bot.CodeNotFound}
	}
	return told(strings.Join(texts, "\n"), lang).Card, nil
}

// current updates a row from its workflow. skip is the reason, in the row's language, why it does not run now;
// gone reports that it never will.
func (s *Schedules) current(r calendar.Row, all map[string][]calendar.Trigger) (_ calendar.Row, skip string, gone bool) {
	if r.Source == "" {
		return r, "", false
	}
	list, serves := all[r.Agent]
	if !serves {
		return r, phrase.Say(r.Lang, "schedule.workflow_absent", r.Agent), false
	}
	i := slices.IndexFunc(list, func(t calendar.Trigger) bool { return t.Source() == r.Source })
	if i < 0 {
		return r, phrase.Say(r.Lang, "schedule.trigger_gone", r.Agent), true
	}
	return follow(r, list[i]), "", false
}

// syncTriggers moves the rows of triggers whose workflows changed since the last time.
func (s *Schedules) syncTriggers(ctx context.Context) {
	all := s.workflows()
	s.mu.Lock()
	same := all == nil || s.synced != nil && reflect.DeepEqual(all, s.synced)
	s.mu.Unlock()
	if same {
		return
	}
	rows, err := s.Store.SourceSchedules(ctx)
	for _, r := range rows {
		if err == nil && r.State == calendar.Active {
			err = s.syncTrigger(ctx, r, all)
		}
	}
	if err != nil {
		if ctx.Err() == nil {
			s.Log.WarnContext(ctx, "update schedules of workflows", "err", err)
		}
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.synced = all
}

func (s *Schedules) syncTrigger(ctx context.Context, r calendar.Row, all map[string][]calendar.Trigger) error {
	now, skip, gone := s.current(r, all)
	if skip != "" && !gone || reflect.DeepEqual(now, r) && !gone { // a missing workflow may be back when it is due
		return nil
	}
	if gone {
		now.State, now.Due, now.Why = calendar.Paused, time.Time{}, skip
	} else if now.Rule != r.Rule || now.Zone != r.Zone {
		now.Due = s.next(now)
	}
	_, err := s.Store.PutSchedule(ctx, now, calendar.Limits{})
	if errors.Is(err, calendar.ErrChanged) { // another replica was first, or it ran
		return nil
	}
	return err
}
