package memtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"maru/bot"
	"maru/bot/calendar"
	"maru/phrase/when"
)

// schedules returns the part of a record that keeps schedules: every record has it.
func schedules(t *testing.T, r bot.Record) calendar.Store {
	t.Helper()
	s, ok := r.(calendar.Store)
	if !ok {
		t.Fatalf("%T keeps no schedules", r)
	}
	return s
}

var dueAt = time.Date(2027, 1, 4, 0, 0, 0, 0, time.UTC)

func planned(id, owner string, th bot.Thread) calendar.Row {
	return calendar.Row{
		ID: id, State: calendar.Active, Due: dueAt, Thread: th, Owner: bot.User{ID: owner, Name: "영희", TimeZone: "Asia/Seoul"}, Kind: calendar.Ask,
		Text: "지난주 티켓을 요약해줘", Rule: when.Rule{Cron: "0 9 * * 1"}, Zone: "Asia/Seoul", Lang: "ko", Created: dueAt.Add(-time.Hour),
	}
}

// plan stores a schedule that is not there yet.
func plan(t *testing.T, s calendar.Store, r calendar.Row) calendar.Row {
	t.Helper()
	v, err := s.PutSchedule(t.Context(), r, calendar.Limits{})
	noErr(t, "put schedule", err)
	r.Version = v
	return r
}

func fireItem(r calendar.Row) bot.Item {
	body, _ := json.Marshal(bot.Message{ID: r.ID, Thread: r.Thread, User: r.Owner, Text: r.Text}) // plain data
	return bot.Item{ID: fmt.Sprintf("%s/%d", r.ID, r.Due.Unix()), Thread: r.Thread.Key(), Kind: bot.ItemMessage, Body: body}
}

func scheduleIDs(list []calendar.Row) []string {
	var out []string
	for _, r := range list {
		out = append(out, r.ID)
	}
	return out
}

var scheduleCases = map[string]func(*testing.T, bot.Record){
	"a_row_comes_back_whole": func(t *testing.T, r bot.Record) {
		s := schedules(t, r)
		want := plan(t, s, planned("s1", "U1", threadA))
		got, err := s.ScheduleByID(t.Context(), "s1")
		noErr(t, "by id", err)
		if a, b := fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", want); a != b {
			t.Errorf("%s, want %s", a, b)
		}
		if _, err := s.ScheduleByID(t.Context(), "s2"); !errors.Is(err, bot.ErrNotFound) {
			t.Errorf("a row that is not there: %v", err)
		}
	},
	"a_change_of_an_old_version_is_refused": func(t *testing.T, r bot.Record) {
		s := schedules(t, r)
		first := plan(t, s, planned("s1", "U1", threadA))
		second := first
		second.State, second.Due = calendar.Paused, time.Time{}
		second = plan(t, s, second)
		if _, err := s.PutSchedule(t.Context(), first, calendar.Limits{}); !errors.Is(err, calendar.ErrChanged) {
			t.Errorf("an old version: %v", err)
		}
		fresh := planned("s1", "U1", threadA)
		if _, err := s.PutSchedule(t.Context(), fresh, calendar.Limits{}); !errors.Is(err, calendar.ErrChanged) {
			t.Errorf("a row that is there already: %v", err)
		}
		got, err := s.ScheduleByID(t.Context(), "s1")
		noErr(t, "by id", err)
		equal(t, "state", got.State, calendar.Paused)
		equal(t, "version", got.Version, second.Version)
	},
	"due_rows_come_the_longest_first": func(t *testing.T, r bot.Record) {
		s := schedules(t, r)
		for i, id := range []string{"s1", "s2", "s3", "s4", "s5"} {
			row := planned(id, "U1", threadA)
			row.Due = dueAt.Add(time.Duration(3-i) * time.Minute)
			switch id {
			case "s4":
				row.State, row.Due = calendar.Paused, time.Time{}
			case "s5":
				row.State, row.Due = calendar.Draft, time.Time{}
			}
			plan(t, s, row)
		}
		list, err := s.DueSchedules(t.Context(), dueAt.Add(2*time.Minute), 10)
		noErr(t, "due", err)
		equal(t, "due", fmt.Sprint(scheduleIDs(list)), "[s3 s2]")
		list, err = s.DueSchedules(t.Context(), dueAt.Add(time.Hour), 1)
		noErr(t, "due", err)
		equal(t, "bounded", fmt.Sprint(scheduleIDs(list)), "[s3]")
	},
	"of_many_at_once_one_fires_and_its_item_is_there": func(t *testing.T, r bot.Record) {
		s := schedules(t, r)
		row := plan(t, s, planned("s1", "U1", threadA))
		var won atomic.Int32
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				moved := row
				moved.Due, moved.Last = dueAt.AddDate(0, 0, 7), row.Due
				ok, err := s.FireSchedule(t.Context(), moved, fireItem(row))
				if err != nil {
					t.Errorf("fire: %v", err)
				}
				if ok {
					won.Add(1)
				}
			})
		}
		all.Wait()
		equal(t, "winners", won.Load(), 1)
		l := claim(t, r, threadA.Key())
		equal(t, "item", next(t, r, l).ID, fireItem(row).ID)
		got, err := s.ScheduleByID(t.Context(), "s1")
		noErr(t, "by id", err)
		equal(t, "due", got.Due, dueAt.AddDate(0, 0, 7))
	},
	"a_row_that_is_gone_or_changed_fires_nothing": func(t *testing.T, r bot.Record) {
		s := schedules(t, r)
		row := plan(t, s, planned("s1", "U1", threadA))
		paused := row
		paused.State, paused.Due = calendar.Paused, time.Time{}
		plan(t, s, paused)
		ok, err := s.FireSchedule(t.Context(), row, fireItem(row))
		noErr(t, "fire", err)
		equal(t, "fired after a pause", ok, false)
		gone, err := s.DropSchedule(t.Context(), "s1")
		noErr(t, "drop", err)
		equal(t, "dropped", gone, true)
		ok, err = s.FireSchedule(t.Context(), row, fireItem(row))
		noErr(t, "fire", err)
		equal(t, "fired after a deletion", ok, false)
		n, _, err := r.Pending(t.Context(), "")
		noErr(t, "pending", err)
		equal(t, "items", n, 0)
	},
	"limits_hold_of_many_at_once": func(t *testing.T, r bot.Record) {
		s := schedules(t, r)
		var in, full atomic.Int32
		var all sync.WaitGroup
		for i := range 10 {
			all.Go(func() {
				_, err := s.PutSchedule(t.Context(), planned(fmt.Sprintf("s%d", i), fmt.Sprintf("U%d", i%5), threadA), calendar.Limits{Person: 5, Channel: 4})
				switch {
				case err == nil:
					in.Add(1)
				case errors.Is(err, calendar.ErrFull):
					full.Add(1)
				default:
					t.Errorf("put: %v", err)
				}
			})
		}
		all.Wait()
		equal(t, "in the channel", in.Load(), 4)
		equal(t, "refused", full.Load(), 6)
	},
	"a_persons_limit_counts_over_channels_and_no_drafts": func(t *testing.T, r bot.Record) {
		s := schedules(t, r)
		most := calendar.Limits{Person: 2, Channel: 10}
		draft := planned("d1", "U1", threadA)
		draft.State, draft.Due = calendar.Draft, time.Time{}
		draft = plan(t, s, draft)
		for i, th := range []bot.Thread{threadA, {Platform: threadA.Platform, Team: threadA.Team, Channel: "C9"}} {
			_, err := s.PutSchedule(t.Context(), planned(fmt.Sprintf("s%d", i), "U1", th), most)
			noErr(t, "put", err)
		}
		draft.State, draft.Due = calendar.Active, dueAt
		if _, err := s.PutSchedule(t.Context(), draft, most); !errors.Is(err, calendar.ErrFull) {
			t.Errorf("a draft that is confirmed beyond the limit: %v", err)
		}
		row, err := s.ScheduleByID(t.Context(), "s0")
		noErr(t, "by id", err)
		row.Text = "other words"
		if _, err := s.PutSchedule(t.Context(), row, most); err != nil {
			t.Errorf("a change of one that counts: %v", err)
		}
		if _, err := s.PutSchedule(t.Context(), planned("s9", "U2", threadA), most); err != nil {
			t.Errorf("another person's: %v", err)
		}
	},
	"lists_are_of_a_channel_and_of_an_owner": func(t *testing.T, r bot.Record) {
		s := schedules(t, r)
		elsewhere := bot.Thread{Platform: threadA.Platform, Team: threadA.Team, Channel: "C9"}
		mine := planned("s1", "U1", elsewhere)
		mine.Created = dueAt.Add(-2 * time.Hour)
		plan(t, s, mine)
		plan(t, s, planned("s2", "U2", threadA))
		plan(t, s, planned("s3", "U2", elsewhere))
		draft := planned("s4", "U1", threadA)
		draft.State, draft.Due, draft.Source = calendar.Draft, time.Time{}, "weekly"
		plan(t, s, draft)
		list, err := s.Schedules(t.Context(), planned("", "", threadA).Channel(), threadA.TeamKey(), "U1", 10)
		noErr(t, "list", err)
		equal(t, "of the channel and of U1", fmt.Sprint(scheduleIDs(list)), "[s1 s2]")
		list, err = s.Schedules(t.Context(), planned("", "", threadA).Channel(), "", "", 10)
		noErr(t, "list", err)
		equal(t, "of the channel", fmt.Sprint(scheduleIDs(list)), "[s2]")
		list, err = s.AllSchedules(t.Context())
		noErr(t, "list", err)
		equal(t, "of all, without drafts", fmt.Sprint(scheduleIDs(list)), "[s1 s2 s3]")
		list, err = s.SourceSchedules(t.Context())
		noErr(t, "list", err)
		equal(t, "of workflows", fmt.Sprint(scheduleIDs(list)), "[s4]")
		n, err := s.DropDrafts(t.Context(), dueAt)
		noErr(t, "drop drafts", err)
		equal(t, "dropped drafts", n, 1)
	},
	"who_is_forgotten_leaves_no_schedule": func(t *testing.T, r bot.Record) {
		s := schedules(t, r)
		for i, owner := range []string{"U1", "U1", "U2"} {
			plan(t, s, planned(fmt.Sprintf("s%d", i), owner, threadA))
		}
		teams, err := r.TeamsWith(t.Context(), threadA.Platform, "U1")
		noErr(t, "teams", err)
		equal(t, "known in", slices.Contains(teams, threadA.Team), true)
		n, err := r.Unname(t.Context(), threadA.Platform, threadA.Team, "U1")
		noErr(t, "unname", err)
		equal(t, "rows that changed", n, 2)
		list, err := s.Schedules(t.Context(), planned("", "", threadA).Channel(), "", "", 10)
		noErr(t, "list", err)
		equal(t, "left", fmt.Sprint(scheduleIDs(list)), "[s2]")
		noErr(t, "forget", r.Forget(t.Context(), threadA.Key()))
		_, err = s.ScheduleByID(t.Context(), "s2")
		equal(t, "gone with its thread", errors.Is(err, bot.ErrNotFound), true)
	},
	"a_workspace_that_leaves_takes_its_schedules": func(t *testing.T, r bot.Record) {
		s := schedules(t, r)
		plan(t, s, planned("s1", "U1", threadA))
		noErr(t, "purge", r.Purge(t.Context(), threadA.Platform, threadA.Team))
		_, err := s.ScheduleByID(t.Context(), "s1")
		equal(t, "gone", errors.Is(err, bot.ErrNotFound), true)
	},
}
