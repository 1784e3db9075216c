// Package memtest holds the suites that every [bot.Record] and every long-term
// store passes. It imports their contracts and no implementation. Suites of the
// graph's stores are in agent/graph/graphtest; memory/memtest/servers finds or
// starts the servers that stores are tested on.
package memtest

import (
	"testing"

	"maru/bot"
)

// RunRecord checks every sentence of the contracts that [bot.Record] embeds. open returns an empty, unshared record
// and closes it by t.Cleanup.
func RunRecord(t *testing.T, open func(*testing.T) bot.Record) {
	t.Helper()
	for _, s := range []struct {
		name  string
		cases map[string]func(*testing.T, bot.Record)
	}{
		{"inbox", inboxCases},
		{"lease", leaseCases},
		{"parked", parkedCases},
		{"fence", fenceCases},
		{"finish", finishCases},
		{"reply", replyCases},
		{"transcript", transcriptCases},
		{"change", changeCases},
		{"person", personCases},
		{"run", runCases},
		{"usage", modelCases},
		{"approval", approvalCases},
		{"rating", ratingCases},
		{"keeping", keepingCases},
		{"age", ageCases},
		{"stop", stopCases},
		{"setting", settingCases},
		{"audit", auditCases},
		{"note", noteCases},
		{"install", installCases},
		{"race", raceCases},
		{"log", logCases},
		{"job", jobCases},
		{"artifact", artifactCases},
		{"schedule", scheduleCases},
		{"outside", outsideCases},
		{"source", sourceCases},
		{"tool_server", toolServerCases},
		{"overview", overviewCases},
		{"definition", definitionCases},
		{"exchange", exchangeCases},
	} {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			for name, check := range s.cases {
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					check(t, open(t))
				})
			}
		})
	}
}
