package memtest

import (
	"encoding/json"
	"slices"
	"sync"
	"testing"

	"maru/bot"
	"maru/bot/audit"
)

// swapTogether swaps several settings at once: each change is whole or not at all, in the audit log too.
func swapTogether(t *testing.T, r bot.Record) {
	t.Helper()
	ctx, place := t.Context(), "slack/T1/C1"
	holds := func(want string, entries int) {
		t.Helper()
		rows, err := r.SettingsOf(ctx, []string{place})
		noErr(t, "settings", err)
		is := ""
		for _, row := range rows {
			is += row.Key + "=" + string(row.Value) + " "
		}
		equal(t, "settings", is, want)
		log, err := r.AuditLog(ctx, "slack/T1", 0, 100)
		noErr(t, "audit", err)
		equal(t, "audit entries", len(log), entries)
		if seq, ok := audit.Verify("", log); !ok {
			t.Errorf("the chain is broken at %d", seq)
		}
	}
	swap := func(want bool, values ...string) { // a key, its value before and the one to store, of each
		t.Helper()
		var list []bot.Setting
		var before []json.RawMessage
		for v := range slices.Chunk(values, 3) {
			list = append(list, bot.Setting{Place: place, Key: v[0], Value: json.RawMessage(v[2]), By: "slack/T1/U1"})
			if before = append(before, json.RawMessage(v[1])); v[1] == "" {
				before[len(before)-1] = nil
			}
			if v[2] == "" {
				list[len(list)-1].Value = nil
			}
		}
		done, err := r.SwapSettings(ctx, list, before)
		noErr(t, "swap", err)
		equal(t, "swapped", done, want)
	}
	swap(true, "b", "", "1", "a", "", "2")
	holds("a=2 b=1 ", 2)
	swap(false, "a", "2", "3", "b", "2", "3")
	swap(false, "b", "2", "", "a", "2", "3")
	holds("a=2 b=1 ", 2)
	swap(true, "c", "", "4", "a", "2", "", "b", "1", "5")
	holds("b=5 c=4 ", 5)
	var all sync.WaitGroup
	for i := range 8 { // keys in either order, of which one change of each pair is the first
		all.Go(func() {
			list := []bot.Setting{{Place: place, Key: "x", Value: json.RawMessage(`1`), By: "U"}, {Place: place, Key: "y", Value: json.RawMessage(`1`), By: "U"}}
			if i%2 == 0 {
				slices.Reverse(list)
			}
			if _, err := r.SwapSettings(ctx, list, make([]json.RawMessage, 2)); err != nil {
				t.Errorf("swap: %v", err)
			}
		})
	}
	all.Wait()
	holds("b=5 c=4 x=1 y=1 ", 7)
}
