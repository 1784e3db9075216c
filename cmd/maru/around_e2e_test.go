package main

import (
	"testing"
)

// TestSlackQuestionsToAChannel: with engage set to documents a question to the whole channel is answered from documents,
// over a kill, with no model call to decide it; what they don't answer, and talk between people, is left alone, and so is the
// thread under it.
func TestSlackQuestionsToAChannel(t *testing.T) {
	t.Parallel()
	model := reciter(t)
	w := newSlackWorld(t, model, "MARU_ENGAGE=documents")
	w.start()
	w.ingest("../../handbook/en/annual-leave.md")
	quiet := []string{
		w.slack.Say("U1", "C1", "is anyone on leave tomorrow?", ""), w.slack.Say("U2", "C1", "where shall we eat?", ""),
		w.slack.Say("U2", "C1", "annual leave is great", ""),
	}
	w.slack.Say("U1", "C1", "how many days of annual leave are left?", quiet[0])
	asked := w.slack.Say("U1", "C1", "How many days of annual leave does an employee have?", "")
	w.await("C1", asked, 1, "[1]")
	w.settles()
	if n := len(model.Chats()); n != 1 {
		t.Errorf("%d model calls, want one, for the answer", n)
	}
	w.kill()
	w.start()
	w.slack.Say("U1", "C1", "and in the second year?", asked) // a thread that it takes part in
	w.await("C1", asked, 2, "")
	w.settles()
	for _, root := range quiet {
		if said := w.bots("C1", root); len(said) > 0 {
			t.Errorf("it speaks up: %q", said)
		}
	}
}

// ingest makes a file a document for everybody, beside the running program.
func (p *program) ingest(path string) {
	p.t.Helper()
	if code, out, errs := runHere(p.t, "", []string{"DATA_DIR=" + p.dir + "/data"}, "ingest", path); code != exitOK {
		p.t.Fatalf("ingest: %s%s", out, errs)
	}
}
