package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// announcement is a team's own agent: it asks before it announces.
const announcement = `{
  "id": "announce", "name": "Announce", "version": "1",
  "nodes": [
    {"id": "start", "node_type": "start"},
    {"id": "approve", "node_type": "human_approval", "config": {"question": "Announce this?", "detail": "{{input}}"}},
    {"id": "yes", "node_type": "set_state", "config": {"set": {"final_answer": "Announced: {{input}}"}}},
    {"id": "no", "node_type": "set_state", "config": {"set": {"final_answer": "Kept to ourselves."}}},
    {"id": "end", "node_type": "end"}
  ],
  "edges": [
    {"source": "start", "target": "approve"},
    {"source": "approve", "source_port": "approved", "target": "yes"},
    {"source": "approve", "source_port": "rejected", "target": "no"},
    {"source": "yes", "target": "end"},
    {"source": "no", "target": "end"}
  ]
}`

// TestTeamWorkflowAsksOnSlack serves a workflow from the folder: its approval is
// a card with buttons, which works after a kill -9, once.
func TestTeamWorkflowAsksOnSlack(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "announce.json"), []byte(announcement), 0o600); err != nil {
		t.Fatal(err)
	}
	w := newSlackWorld(t, brain(t), "MARU_WORKFLOWS="+dir, "MARU_AGENT=announce")
	w.start()
	root := w.slack.Say("U1", "C1", "<@UBOT> lunch at noon", "")
	w.await("C1", root, 1, "Announce this?")
	var ts, button string
	err := w.slack.Wait(within(t, atMost), func() bool {
		for _, r := range w.slack.Replies("C1", root) {
			if len(r.Buttons()) == 2 {
				ts, button = r.TS, r.Buttons()[0]
				return true
			}
		}
		return false
	})
	if err != nil {
		t.Fatal("the card has no buttons")
	}
	w.kill()
	w.start()
	for range 2 {
		if _, err := w.slack.Click("U1", "C1", ts, button); err != nil && !strings.Contains(err.Error(), "no such button") {
			t.Logf("click: %v", err)
		}
	}
	w.await("C1", root, 2, "Announced: lunch at noon")
	if said := w.bots("C1", root); len(said) != 2 {
		t.Errorf("the bot said %q", said)
	}
}

// TestTeamWorkflowTakesItsExpiredEdge: nobody answers, the program is killed and
// started again, and the sweep leads the run over the edge of the definition.
func TestTeamWorkflowTakesItsExpiredEdge(t *testing.T) {
	t.Parallel()
	unraced(t)
	dir := t.TempDir()
	hurried := strings.NewReplacer(
		`"detail": "{{input}}"`, `"detail": "{{input}}", "expires": "10ms"`,
		`{"id": "end"`, `{"id": "late", "node_type": "set_state", "config": {"set": {"final_answer": "Nobody cared about {{input}}."}}}, {"id": "end"`,
		`"edges": [`, `"edges": [{"source": "approve", "source_port": "expired", "target": "late"}, {"source": "late", "target": "end"},`,
	).Replace(announcement)
	if err := os.WriteFile(filepath.Join(dir, "announce.json"), []byte(hurried), 0o600); err != nil {
		t.Fatal(err)
	}
	w := newSlackWorld(t, brain(t), "MARU_WORKFLOWS="+dir, "MARU_AGENT=announce")
	w.start()
	root := w.slack.Say("U1", "C1", "<@UBOT> lunch at noon", "")
	w.await("C1", root, 1, "Announce this?")
	w.kill()
	w.start()
	w.await("C1", root, 2, "Nobody cared about lunch at noon.")
	if said := w.bots("C1", root); len(said) != 2 {
		t.Errorf("the bot said %q", said)
	}
}
