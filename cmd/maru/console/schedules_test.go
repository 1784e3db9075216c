package console_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"maru/bot"
	"maru/bot/calendar"
	"maru/phrase/when"
)

// The places of schedules: a channel, another person's private conversation, and the console.
var (
	channel = bot.Thread{Platform: "slack", Team: "T1", Channel: "C1", ID: "1"}
	private = bot.Thread{Platform: "slack", Team: "T1", Channel: "D1", ID: "1", Direct: true}
	home    = bot.Thread{Platform: "web", Team: "local", Channel: "home", ID: "t1", Direct: true}
)

// planned stores a weekly schedule of a person at a place.
func (o office) planned(t testing.TB, id, owner string, at bot.Thread) calendar.Row {
	t.Helper()
	r := calendar.Row{
		ID: id, State: calendar.Active, Due: time.Now().Add(time.Hour), Thread: at, Owner: bot.User{ID: owner, Name: "영희"}, Kind: calendar.Ask,
		Text: "summarize " + id, Rule: when.Rule{Cron: "0 9 * * 1"}, Zone: "Asia/Seoul", Lang: "ko", Created: time.Now(),
	}
	var err error
	if r.Version, err = o.record.PutSchedule(t.Context(), r, calendar.Limits{}); err != nil {
		t.Fatal(err)
	}
	return r
}

func TestSchedulesOfChannelsAreListedAndChanged(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	for id, at := range map[string]bot.Thread{"s1": channel, "s2": private, "s3": home} {
		o.planned(t, id, "U1", at)
	}
	o.ran(t, "m1", channel)
	ids := func(by bot.User, from bot.Thread) (out []string) {
		t.Helper()
		list, err := o.ListSchedules(t.Context(), by, from)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range list {
			out = append(out, s.ID)
		}
		slices.Sort(out)
		return out
	}
	if got := ids(operator, home); !slices.Equal(got, []string{"s1", "s3"}) {
		t.Errorf("the operator sees %q", got)
	}
	if got := ids(bot.User{ID: "U1"}, channel); !slices.Equal(got, []string{"s1", "s2"}) {
		t.Errorf("their owner sees %q", got)
	}
	if got := ids(bot.User{ID: "oidc-1", Operator: true}, bot.Thread{Platform: "web", Team: "oidc"}); !slices.Equal(got, []string{"s1"}) {
		t.Errorf("an operator with an account sees %q", got)
	}
	if got := ids(bot.User{ID: "U2"}, channel); got != nil {
		t.Errorf("another person sees %q", got)
	}
	for _, c := range []struct {
		by       bot.User
		from     bot.Thread
		id, verb string
		want     error
	}{
		{operator, home, "s2", "pause", bot.ErrNotFound}, {bot.User{ID: "U2"}, channel, "s1", "delete", bot.ErrNotFound}, {operator, home, "s1", "edit", bot.ErrNotFound},
		{operator, home, "s1", "pause", nil}, {operator, home, "s1", "resume", nil}, {operator, home, "s1", "run", nil}, {bot.User{ID: "U1"}, channel, "s2", "delete", nil},
	} {
		said, done, err := o.ChangeSchedule(t.Context(), c.by, c.from, c.id, c.verb)
		if !errors.Is(err, c.want) || done != (c.want == nil) {
			t.Errorf("%s of %s by %s: %q, done %v, %v", c.verb, c.id, c.by.ID, said, done, err)
		}
	}
	entries, err := o.record.AuditTail(t.Context(), "slack/T1", 10)
	if err != nil {
		t.Fatal(err)
	}
	var acts []string
	for _, e := range entries {
		acts = append(acts, e.What+" "+e.Who)
	}
	slices.Sort(acts)
	if got := fmt.Sprint(acts); got != "[scheduled.delete U1 scheduled.pause owner scheduled.resume owner scheduled.run owner]" {
		t.Errorf("audited %s", got)
	}
}

// TestScheduleShowsItsLastRun finds the run of the last due time.
func TestScheduleShowsItsLastRun(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	r := o.planned(t, "s1", "U1", channel)
	r.Last = time.Now().Truncate(time.Second)
	var err error
	if r.Version, err = o.record.PutSchedule(t.Context(), r, calendar.Limits{}); err != nil {
		t.Fatal(err)
	}
	o.ran(t, fmt.Sprintf("schedule-s1-%d", r.Last.Unix()), channel)
	list, err := o.ListSchedules(t.Context(), operator, home)
	if err != nil || len(list) != 1 {
		t.Fatalf("%d schedules, %v", len(list), err)
	}
	run, status, err := o.LastRun(t.Context(), list[0])
	if want := (bot.Message{ID: fmt.Sprintf("schedule-s1-%d", r.Last.Unix()), Thread: channel}).Run(); run != want || status != bot.RunDone || err != nil {
		t.Errorf("last run %q %q %v, want %q", run, status, err, want)
	}
}
