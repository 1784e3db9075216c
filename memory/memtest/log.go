package memtest

import (
	"testing"

	"maru/agent/graph"
	"maru/bot"
)

// logCases check the joint contract of record and log in one store: the conversation's lease fences the logs of its
// agents, named by the conversation's key, "#" and the agent.
var logCases = map[string]func(*testing.T, bot.Record){
	"a_zombie_appends_to_no_log": func(t *testing.T, r bot.Record) {
		cp := checkpointer(t, r)
		old, now := released(t, r)
		for _, log := range []string{threadA.Key(), threadA.Key() + "#chat"} {
			noErr(t, "append", cp.Append(t.Context(), now.Token, graph.Record{Thread: log, Seq: 1, Kind: graph.RecordStep}))
			wantErr(t, "append of the zombie", cp.Append(t.Context(), old.Token, graph.Record{Thread: log, Seq: 2, Kind: graph.RecordStep}), graph.ErrFenced)
			noErr(t, "append", cp.Append(t.Context(), now.Token, graph.Record{Thread: log, Seq: 2, Kind: graph.RecordStep}))
		}
	},
	"forget_removes_the_logs_of_the_thread_alone": func(t *testing.T, r bot.Record) {
		cp := checkpointer(t, r)
		l, _ := working(t, r)
		mine := []string{threadA.Key(), threadA.Key() + "#chat", threadA.Key() + "#guide"}
		others := []string{threadB.Key(), threadA.Key() + "1#chat", threadA.Key() + "$"}
		for _, log := range append(append([]string{}, mine...), others...) {
			noErr(t, "append", cp.Append(t.Context(), 0, graph.Record{Thread: log, Seq: 1, Kind: graph.RecordStep}))
		}
		noErr(t, "forget", r.Forget(t.Context(), threadA.Key()))
		head := func(log string) int64 {
			n, err := cp.Head(t.Context(), log, "")
			noErr(t, "head", err)
			return n
		}
		for _, log := range mine {
			equal(t, "head of "+log, head(log), 0)
		}
		for _, log := range others {
			equal(t, "head of "+log, head(log), 1)
		}
		err := cp.Append(t.Context(), l.Token, graph.Record{Thread: mine[1], Seq: 1, Kind: graph.RecordStep})
		wantErr(t, "append of a run that was under way", err, graph.ErrFenced)
	},
}

// checkpointer returns the log of a record that keeps one.
func checkpointer(t *testing.T, r bot.Record) graph.Checkpointer {
	t.Helper()
	cp, ok := r.(graph.Checkpointer)
	if !ok {
		t.Skip("this record keeps no logs")
	}
	return cp
}
