package bot_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"maru/agent"
	"maru/bot"
	"maru/bot/service"
	"maru/datatest"
)

// TestWordsAboutAQuestionAreNoTask kills the process at every step of a message about a waiting question: the next process
// hears the message as an undisturbed one would have, and no agent gets it as a task.
func TestWordsAboutAQuestionAreNoTask(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, who, says string
		asks            int
		chatter         bool // the card is out of sight
		decided         int
		tells           string
	}{
		{name: "others_yes", who: "U2", says: "승인", asks: 1, tells: "결정할 수 있는 사람"},
		{name: "which", who: "U1", says: "approve", asks: 2, tells: "approve 1"},
		{name: "one_of_two", who: "U1", says: "approve 1", asks: 2, decided: 1},
		{name: "each_of_two", who: "U1", says: "1 yes, 2 no", asks: 2, decided: 2},
		{name: "yes", who: "U1", says: "approve", asks: 1, decided: 1},
		{name: "yes_out_of_sight", who: "U1", says: "approve", asks: 1, chatter: true, decided: 1, tells: "approved"},
		{name: "change", who: "U1", says: "please use the address of the new office instead", asks: 1, decided: 1},
		{name: "no_with_a_reason", who: "U1", says: "no, the budget is not settled", asks: 1, decided: 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			places, stride := 0, 1
			if datatest.Short(t) {
				stride = 3
			}
			for _, after := range []bool{false, true} {
				for n := 1; !t.Failed(); n += stride {
					asks := interrupting(slices.Repeat([]agent.Ask{planAsk()}, c.asks)...)
					w := newWorld(t, func(ctx context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
						if req.Aside != "" {
							return agent.Result{Text: "aside: " + req.Text}, nil
						}
						return asks(ctx, req, sink)
					})
					m := w.say("mail the team", w.platform.Thread("C1", ""))
					waitingCard(w, m)
					if c.chatter {
						if _, err := w.platform.Say(w.ctx, "U2", "what is the wifi password?", m.Thread); err != nil {
							t.Fatal(err)
						}
						w.until("others are answered", func() bool { return len(w.platform.Posts(m.Thread)) > 1 })
					}
					w.settled()
					before := len(w.agent.asked())
					w.stop()
					life := newMortal(n, after)
					w.change = func(s *service.Config) {
						s.Record, s.Adapters = &mortalRecord{s.Record, life}, []bot.Adapter{&mortalPlatform{w.platform, life, 0}}
					}
					w.start()
					said := w.platform.Message(c.who, c.says, m.Thread)
					took := w.bot.Message(w.ctx, said)
					w.until("it dies or nothing is left to do", func() bool {
						left, _, err := w.store.Pending(w.ctx, "")
						return life.died() || err == nil && left == 0
					})
					died := life.died()
					w.stop()
					w.change = nil
					w.start()
					if took != nil {
						w.deliver(said)
					}
					w.settled()
					for _, req := range w.agent.asked()[before:] {
						if req.Text == c.says {
							t.Errorf("step %d, after %v: %q was a task", n, after, c.says)
						}
					}
					rows, err := w.store.RunApprovals(w.ctx, m.Thread.Key(), m.Run(), 10)
					decided := 0
					for _, row := range rows {
						if row.State == bot.ApprovalDecided {
							decided++
						}
					}
					if err != nil || decided != c.decided || c.says == "1 yes, 2 no" && (!strings.Contains(string(rows[0].Decision), "accept") || !strings.Contains(string(rows[1].Decision), "reject")) {
						t.Errorf("step %d, after %v: %d questions are decided: %+v, %v", n, after, decided, rows, err)
					}
					told := 0
					for _, p := range w.platform.Posts(m.Thread) {
						if c.tells != "" && strings.Contains(p.Card.Text, c.tells) {
							told++
						}
					}
					if c.tells != "" && told == 0 {
						t.Errorf("step %d, after %v: nobody was told %q: %+v", n, after, c.tells, w.platform.Posts(m.Thread))
					}
					w.stop()
					if !died {
						break
					}
					places++
				}
			}
			if places < 2 {
				t.Errorf("the process could be killed in %d places only", places)
			}
			t.Logf("%d places", places)
		})
	}
}

// TestHeardNotesDoNotPile: what a thread's messages were found to be about is noted once in it, and not after they are processed.
func TestHeardNotesDoNotPile(t *testing.T) {
	t.Parallel()
	w := newWorld(t, interrupting(planAsk()))
	m := w.say("mail the team", w.platform.Thread("C1", ""))
	waitingCard(w, m)
	key := bot.NoteHeard + m.Thread.Key()
	if err := w.store.SetNote(w.ctx, key, "another-run a b"); err != nil { // left by a process that died
		t.Fatal(err)
	}
	w.follow("U1", "approve", m.Thread)
	w.settled()
	if note, err := w.store.Note(w.ctx, key); note != "" || err != nil {
		t.Errorf("note %q, %v", note, err)
	}
}
