package memtest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"maru/bot"
	"maru/bot/audit"
	"maru/bot/shared"
)

var settingCases = map[string]func(*testing.T, bot.Record){
	"a_value_is_set_replaced_and_removed_with_its_audit": func(t *testing.T, r bot.Record) {
		ctx := t.Context()
		set := func(value string) {
			t.Helper()
			v := bot.Setting{Place: "slack/T1/C1", Key: "agent", By: "slack/T1/U1", At: time.Now()}
			if value != "" {
				v.Value = json.RawMessage(value)
			}
			noErr(t, "set", r.SetSetting(ctx, v))
		}
		get := func() string {
			t.Helper()
			list, err := r.SettingsOf(ctx, []string{"", "slack/T1", "slack/T1/C1"})
			noErr(t, "settings", err)
			if len(list) == 0 {
				return ""
			}
			equal(t, "by", list[0].By, "slack/T1/U1")
			equal(t, "at is set", list[0].At.IsZero(), false)
			return string(list[0].Value)
		}
		equal(t, "before", get(), "")
		set(`"guide"`)
		equal(t, "set", get(), `"guide"`)
		set(`"chat"`)
		equal(t, "replaced", get(), `"chat"`)
		set("")
		equal(t, "removed", get(), "")
		log, err := r.AuditLog(ctx, "slack/T1", 0, 10)
		noErr(t, "audit", err)
		if len(log) != 3 || log[0].What != "setting.set" || log[2].What != "setting.remove" || log[1].Who != "slack/T1/U1" {
			t.Fatalf("audit %+v", log)
		}
		var d struct{ Place, Key, Value, Before string }
		noErr(t, "detail", json.Unmarshal(log[1].Detail, &d))
		if d.Place != "slack/T1/C1" || d.Key != "agent" || d.Value != "chat" || d.Before != "guide" {
			t.Errorf("detail %+v", d)
		}
	},
	"a_value_is_swapped_only_for_the_one_that_was_read": func(t *testing.T, r bot.Record) {
		ctx := t.Context()
		v := bot.Setting{Place: "slack/T1/C1", Key: "list", By: "slack/T1/U1"}
		read := func() json.RawMessage {
			t.Helper()
			list, err := r.SettingsOf(ctx, []string{v.Place})
			noErr(t, "settings", err)
			if len(list) == 0 {
				return nil
			}
			return list[0].Value
		}
		swap := func(value, before json.RawMessage, want bool) {
			t.Helper()
			set := v
			set.Value = value
			done, err := r.SwapSettings(ctx, []bot.Setting{set}, []json.RawMessage{before})
			noErr(t, "swap", err)
			equal(t, "swapped", done, want)
		}
		swap(json.RawMessage(`["a"]`), json.RawMessage(`[]`), false) // there is none
		swap(json.RawMessage(`["a"]`), nil, true)
		swap(json.RawMessage(`["b"]`), nil, false)
		swap(json.RawMessage(`["a", "한글"]`), read(), true)
		equal(t, "value", string(read()), `["a", "한글"]`)
		swap(nil, json.RawMessage(`["a"]`), false)
		swap(nil, read(), true)
		equal(t, "removed", len(read()), 0)
		log, err := r.AuditLog(ctx, "slack/T1", 0, 10)
		noErr(t, "audit", err)
		equal(t, "entries of what was refused", len(log)-3, 0)
		add := func(i int) (bool, error) {
			rows, err := r.SettingsOf(ctx, []string{v.Place})
			if err != nil {
				return false, err
			}
			set, before, list := v, json.RawMessage(nil), []int{}
			if len(rows) > 0 {
				before = rows[0].Value
				if err := json.Unmarshal(before, &list); err != nil {
					return false, err
				}
			}
			if set.Value, err = json.Marshal(append(list, i)); err != nil {
				return false, err
			}
			return r.SwapSettings(ctx, []bot.Setting{set}, []json.RawMessage{before})
		}
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() {
				for range 8 { // a refusal is the success of another one
					if done, err := add(i); err != nil {
						t.Errorf("add: %v", err)
						return
					} else if done {
						return
					}
				}
				t.Errorf("the change of %d was refused 8 times", i)
			})
		}
		all.Wait()
		var list []int
		noErr(t, "decode", json.Unmarshal(read(), &list))
		slices.Sort(list)
		if !slices.Equal(list, []int{0, 1, 2, 3, 4, 5, 6, 7}) {
			t.Errorf("of changes at once these are kept: %v", list)
		}
	},
	"values_are_swapped_together_or_not_at_all": swapTogether,
	"only_the_places_asked_for": func(t *testing.T, r bot.Record) {
		for _, p := range []string{"", "slack/T1", "slack/T1/C1", "slack/T2/C1", "user:slack/T1/U1", threadA.Key()} {
			noErr(t, "set", r.SetSetting(t.Context(), bot.Setting{Place: p, Key: "k", Value: json.RawMessage(`1`), By: "U"}))
		}
		list, err := r.SettingsOf(t.Context(), []string{"", "slack/T1/C1", "slack/T9"})
		noErr(t, "settings", err)
		equal(t, "settings", len(list), 2)
		list, err = r.SettingsOf(t.Context(), nil)
		noErr(t, "settings", err)
		equal(t, "settings of nowhere", len(list), 0)
		log, err := r.AuditLog(t.Context(), "slack/T1", 0, 10)
		noErr(t, "audit", err)
		equal(t, "audit of the team", len(log), 4)
	},
}

var auditCases = map[string]func(*testing.T, bot.Record){
	"entries_form_a_chain_a_team": func(t *testing.T, r bot.Record) {
		ctx := t.Context()
		for _, team := range []string{"slack/T1", "slack/T2", "slack/T1", "", "slack/T1"} {
			e, err := r.AppendAudit(ctx, audit.Entry{Team: team, Who: "slack/T1/U1", What: "document.add", Detail: json.RawMessage(`{"b":1,  "a":"한글 <&>"}`)})
			noErr(t, "append", err)
			if e.Seq == 0 || e.At.IsZero() || e.Hash == "" {
				t.Errorf("appended %+v", e)
			}
		}
		log, err := r.AuditLog(ctx, "slack/T1", 0, 10)
		noErr(t, "log", err)
		equal(t, "entries", len(log), 3)
		if seq, ok := audit.Verify("", log); !ok {
			t.Errorf("the chain is broken at %d", seq)
		}
		log[1].Who = "somebody else"
		seq, ok := audit.Verify("", log)
		equal(t, "tampering is noticed", ok, false)
		equal(t, "where", seq, log[1].Seq)
		rest, err := r.AuditLog(ctx, "slack/T1", log[0].Seq, 1)
		noErr(t, "log", err)
		if len(rest) != 1 || rest[0].Seq != log[1].Seq {
			t.Errorf("log after the first: %+v", rest)
		}
		tail, err := r.AuditTail(ctx, "slack/T1", 2)
		noErr(t, "tail", err)
		if len(tail) != 2 || tail[0].Seq != log[2].Seq || tail[1].Seq != log[1].Seq {
			t.Errorf("tail %+v", tail)
		}
		teams, err := r.AuditTeams(ctx)
		noErr(t, "teams", err)
		if !slices.Equal(teams, []string{"", "slack/T1", "slack/T2"}) {
			t.Errorf("teams %q", teams)
		}
	},
	"an_entry_keeps_its_time": func(t *testing.T, r bot.Record) {
		at := time.Date(2026, 1, 2, 3, 4, 5, 678901234, time.FixedZone("KST", 9*3600))
		_, err := r.AppendAudit(t.Context(), audit.Entry{Team: "x", At: at, What: "w"})
		noErr(t, "append", err)
		log, err := r.AuditLog(t.Context(), "x", 0, 1)
		noErr(t, "log", err)
		sameTime(t, "at", log[0].At, at)
		if _, ok := audit.Verify("", log); !ok {
			t.Error("the chain is broken")
		}
	},
	"what_is_old_is_pruned_and_the_rest_still_proved": func(t *testing.T, r bot.Record) {
		ctx := t.Context()
		add := func(team string, days int) {
			t.Helper()
			_, err := r.AppendAudit(ctx, audit.Entry{Team: team, At: daysAgo(days), What: "w"})
			noErr(t, "append", err)
		}
		prune := func(days, entries, total int) {
			t.Helper()
			p, err := r.PruneAudit(ctx, "slack/T1", daysAgo(days))
			noErr(t, "prune", err)
			equal(t, "entries pruned", p.Entries, entries)
			equal(t, "total", p.Total, total)
		}
		proved := func(entries, total int) (first audit.Entry) {
			t.Helper()
			log, err := r.AuditLog(ctx, "slack/T1", 0, 100)
			noErr(t, "log", err)
			var c audit.Check
			_, whole := c.Add(log)
			_, anchored := c.Done()
			if !whole || !anchored || c.Entries != entries || c.Pruned.Total != total {
				t.Fatalf("whole %v, anchored %v, %+v of %+v", whole, anchored, c, log)
			}
			return log[0]
		}
		for _, days := range []int{30, 20, 10, 15, 1} { // 15 follows a younger one
			add("slack/T1", days)
		}
		before, err := r.AuditLog(ctx, "slack/T1", 0, 10)
		noErr(t, "log", err)
		add("slack/T2", 30)
		prune(40, 0, 0)
		prune(12, 2, 2)
		equal(t, "first that is kept", proved(4, 2).Seq, before[2].Seq)
		prune(12, 0, 0) // nothing is left to prune
		prune(5, 2, 4)
		prune(-1, 3, 7) // including the settings that replaced the others
		equal(t, "left", proved(1, 7).What, audit.WhatPruned)
		prune(-1, 0, 0) // which goes with others only
		add("slack/T1", 0)
		proved(2, 7)
		prune(-1, 2, 9)
		proved(1, 9)
		other, err := r.AuditLog(ctx, "slack/T2", 0, 10)
		noErr(t, "log", err)
		equal(t, "entries of another team", len(other), 1)
	},
	"a_chain_that_lost_its_beginning_is_noticed": func(t *testing.T, r bot.Record) {
		for range 4 {
			_, err := r.AppendAudit(t.Context(), audit.Entry{Team: "x", At: daysAgo(2), What: "w"})
			noErr(t, "append", err)
		}
		log, err := r.AuditLog(t.Context(), "x", 0, 10)
		noErr(t, "log", err)
		var c audit.Check
		if _, ok := c.Add(log[1:]); !ok {
			t.Error("what is left fits together")
		}
		broken, ok := c.Done()
		equal(t, "proved", ok, false)
		equal(t, "where", broken, log[1].Seq)
	},
	"many_writers_make_one_chain": func(t *testing.T, r bot.Record) {
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() {
				if _, err := r.AppendAudit(t.Context(), audit.Entry{Team: "slack/T1", What: "w"}); err != nil {
					t.Errorf("append: %v", err)
				}
			})
		}
		wg.Wait()
		log, err := r.AuditLog(t.Context(), "slack/T1", 0, 100)
		noErr(t, "log", err)
		equal(t, "entries", len(log), 20)
		if seq, ok := audit.Verify("", log); !ok {
			t.Errorf("the chain is broken at %d", seq)
		}
	},
}

var noteCases = map[string]func(*testing.T, bot.Record){
	"a_note_is_kept_and_replaced": func(t *testing.T, r bot.Record) {
		get := func() string {
			t.Helper()
			v, err := r.Note(t.Context(), "discord/last/C1")
			noErr(t, "note", err)
			return v
		}
		equal(t, "before", get(), "")
		noErr(t, "set", r.SetNote(t.Context(), "discord/last/C1", "1"))
		noErr(t, "set", r.SetNote(t.Context(), "discord/last/C1", "2"))
		equal(t, "after", get(), "2")
		noErr(t, "remove", r.SetNote(t.Context(), "discord/last/C1", ""))
		noErr(t, "remove again", r.SetNote(t.Context(), "discord/last/C1", ""))
		equal(t, "removed", get(), "")
		noErr(t, "set", r.SetNote(t.Context(), "discord/last/C1", "3"))
		equal(t, "at last", get(), "3")
	},
	"several_notes_are_read_at_once": func(t *testing.T, r bot.Record) {
		n, ok := r.(interface {
			NotesOf(ctx context.Context, keys []string) (map[string]string, error)
		})
		if !ok {
			t.Fatalf("%T does not read several notes", r)
		}
		odd := `slack/"T1", ?%/` + "휴가"
		for _, k := range []string{"slack/a", odd, "slack/c"} {
			noErr(t, "set", r.SetNote(t.Context(), k, "of "+k))
		}
		got, err := n.NotesOf(t.Context(), []string{odd, "slack/none", "slack/a"})
		noErr(t, "read", err)
		equal(t, "notes", len(got), 2)
		equal(t, "first", got["slack/a"], "of slack/a")
		equal(t, "odd", got[odd], "of "+odd)
		got, err = n.NotesOf(t.Context(), nil)
		noErr(t, "read none", err)
		equal(t, "none", len(got), 0)
	},
	"a_note_is_exchanged_for_the_value_that_was_read": func(t *testing.T, r bot.Record) {
		const key = "mcp/pins/wiki"
		for _, step := range []struct {
			before, value string
			done          bool
			after         string
		}{
			{"a", "b", false, ""}, {"", "a", true, "a"}, {"", "b", false, "a"}, {"", "a", true, "a"}, {"a", "b", true, "b"}, {"a", "b", true, "b"},
			{"a", "c", false, "b"}, {"a", "", false, "b"}, {"b", "", true, ""}, {"b", "", true, ""}, {"", "", true, ""},
		} {
			done, err := r.SwapNote(t.Context(), key, step.before, step.value)
			noErr(t, "swap", err)
			equal(t, fmt.Sprintf("swapped %q for %q", step.before, step.value), done, step.done)
			now, err := r.Note(t.Context(), key)
			noErr(t, "note", err)
			equal(t, "value", now, step.after)
		}
		var all sync.WaitGroup
		for i := range 16 {
			all.Go(func() {
				err := shared.Amend(t.Context(), r, key, func(was string) (string, error) { return was + fmt.Sprintf("%x", i), nil })
				if err != nil {
					t.Errorf("amend: %v", err)
				}
			})
		}
		all.Wait()
		now, err := r.Note(t.Context(), key)
		noErr(t, "note", err)
		for i := range 16 {
			equal(t, fmt.Sprintf("changes of %x", i), strings.Count(now, fmt.Sprintf("%x", i)), 1)
		}
	},
	"all_who_note_first_get_one_value": func(t *testing.T, r bot.Record) {
		var all sync.WaitGroup
		var got [8]string
		for i := range got {
			all.Go(func() {
				v, err := r.FirstNote(t.Context(), "web/session_key", fmt.Sprint("of ", i))
				if got[i] = v; err != nil {
					t.Errorf("first note: %v", err)
				}
			})
		}
		all.Wait()
		for _, v := range got {
			equal(t, "noted", v, got[0])
		}
		kept, err := r.Note(t.Context(), "web/session_key")
		noErr(t, "note", err)
		equal(t, "kept", kept, got[0])
	},
	"a_record_that_works_answers_ping": func(t *testing.T, r bot.Record) {
		noErr(t, "ping", r.Ping(t.Context()))
	},
}
