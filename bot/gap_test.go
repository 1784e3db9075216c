package bot_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"maru/agent"
	"maru/bot"
	"maru/phrase"
)

// knowsLittle finds nothing about retreats and refunds, and answers everything else.
func knowsLittle(_ context.Context, req agent.Request, _ agent.Sink) (agent.Result, error) {
	for _, unknown := range []string{"retreat", "refund", "워크숍"} {
		if strings.Contains(req.Text, unknown) {
			return agent.Result{Text: phrase.Say(req.Language, "chat.not_in_documents")}, nil
		}
	}
	return agent.Result{Text: "It is so [1].", Sources: []agent.Source{{N: 1, Title: "Rules", Quote: "It is so."}}}, nil
}

// gaps gives "/maru gaps" in a thread.
func (w *world) gaps(args string, in bot.Thread, u bot.User) *bot.Card {
	w.t.Helper()
	card, err := w.bot.Command(w.ctx, bot.Invocation{Name: "gaps", Args: args, Thread: in, User: u, ID: "g" + args})
	if err != nil || card == nil {
		w.t.Fatal(card, err)
	}
	return card
}

// TestGaps: what the documents don't say and what was voted down is grouped by likeness, in both languages; what was
// deleted, asked elsewhere or answered since isn't shown, and only admins see it.
func TestGaps(t *testing.T) {
	t.Parallel()
	sequential(t)
	w := newWorld(t, knowsLittle)
	in, other := w.platform.Thread("C1", "t1"), w.platform.Thread("C2", "t1")
	admin := bot.User{ID: "A1", Name: "Admin", Admin: true}
	ids := map[string]bot.Message{}
	for i, q := range []string{
		"When is the company retreat?", "when is our company retreat this year?", "다음 워크숍은 언제 해요?", "워크숍 언제 해요?",
		"how do refunds work?", "is lunch free?", "who has the key?",
	} {
		ids[q] = w.say(q, in)
		w.replies(in, i+1)
	}
	w.say("when is the retreat in Busan?", other)
	w.replies(other, 1)
	w.settled()
	for _, who := range []string{"U2", "U3"} {
		if _, _, err := w.store.Rate(w.ctx, in.Key(), ids["is lunch free?"].Run(), "fake/T1/"+who, -1); err != nil {
			t.Fatal(err)
		}
	}
	gone := ids["how do refunds work?"]
	if err := w.bot.Change(w.ctx, bot.Change{Thread: in, Message: gone.ID, Deleted: true, User: gone.User, At: gone.At}); err != nil {
		t.Fatal(err)
	}
	w.settled()
	card := w.gaps("", in, admin)
	for _, want := range []string{
		"**when is our company retreat this year?** — not in the documents: 2\n   - When is the company retreat?",
		"**워크숍 언제 해요?** — not in the documents: 2", "**is lunch free?** — 👎 2",
	} {
		if !strings.Contains(card.Text, want) {
			t.Errorf("no %q in\n%s", want, card.Text)
		}
	}
	for _, not := range []string{"refund", "key", "Busan"} {
		if strings.Contains(card.Text, not) {
			t.Errorf("%q in\n%s", not, card.Text)
		}
	}
	if c := w.gaps("", in, bot.User{ID: "U1"}); strings.Contains(c.Text, "retreat") || !strings.Contains(c.Text, "admin") {
		t.Errorf("a member sees gaps: %q", c.Text)
	}
	if c := w.gaps("nonsense", in, admin); !strings.Contains(c.Text, "/maru gaps weekly") {
		t.Errorf("a word that is none: %q", c.Text)
	}

	act := func(b bot.Button, verb string, at bot.Thread, u bot.User, values map[string]string) bot.Answer {
		t.Helper()
		out, err := w.bot.Action(w.ctx, bot.Action{ID: b.ID, Verb: verb, Thread: at, User: u, Values: values})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	lunch := card.Buttons[0]
	for _, b := range card.Buttons {
		if a := act(b, "answer", in, admin, nil); a.Form != nil && strings.Contains(a.Form.Inputs[0].Hint, "lunch") {
			lunch = b
		}
	}
	if a := act(lunch, "answer", in, bot.User{ID: "U1"}, nil); a.Form != nil {
		t.Error("a member may answer for an admin")
	}
	if a := act(lunch, "answer", other, admin, nil); a.Form != nil {
		t.Error("a gap is answered from another channel")
	}
	if a := act(lunch, "save", in, admin, map[string]string{"answer": " "}); a.Errors["answer"] != phrase.Say("en", "bot.form.required") {
		t.Errorf("an empty answer: %+v", a)
	}
	if a := act(lunch, "save", in, admin, map[string]string{"answer": "the api key is sk-abcdefghijklmnop1234"}); !strings.Contains(a.Card.Text, "looks like a password") {
		t.Errorf("a secret: %q", a.Card.Text)
	}
	act(lunch, "save", in, admin, map[string]string{"answer": "Yes, lunch is free on Fridays."})
	if got := w.noted(); len(got) != 1 || !strings.HasPrefix(got[0], "is lunch free? Yes, lunch is free on Fridays. · noted by Admin") {
		t.Errorf("the answer as a note: %q", got)
	}
	if c := w.gaps("", in, admin); strings.Contains(c.Text, "lunch") {
		t.Errorf("an answered gap: %s", c.Text)
	}
	if a := act(card.Buttons[len(card.Buttons)-1], "document", in, admin, nil); a.Card == nil || a.Card.Text != phrase.Say("en", "gap.upload") {
		t.Errorf("the hint: %+v", a.Card)
	}
	if a := act(bot.Button{ID: "gap/" + gone.Run()}, "answer", in, admin, nil); a.Form != nil || a.Card.Text != phrase.Say("en", "gap.gone") {
		t.Errorf("a deleted question: %+v", a)
	}
}

// TestGapsWeekly: the report comes on Monday at nine, once over a restart, and ends when it is switched off.
func TestGapsWeekly(t *testing.T) {
	t.Parallel()
	w, h := scheduled(t)
	w.agent.think = knowsLittle
	dm := w.platform.Thread("D1", "")
	dm.Direct = true
	h.say(t, w, "U1", "when is the retreat?", dm)
	w.settled()
	user := bot.User{ID: "U1", TimeZone: "Asia/Seoul"}
	for range 2 { // twice is once
		if c := w.gaps("weekly", dm, user); c.Text != phrase.Say("en", "gap.weekly_on") {
			t.Fatalf("not kept: %q", c.Text)
		}
	}
	w.stop()
	h.to(time.Date(2026, 11, 30, 0, 0, 30, 0, time.UTC)) // 9:00:30 on Monday in Seoul
	w.start()
	reports := func() (n int) {
		for _, p := range w.platform.Posts(dm) {
			if p.Card.Final && strings.Contains(p.Card.Text, "**when is the retreat?** — not in the documents: 1") {
				n++
			}
		}
		return n
	}
	waitUntil(t, "a report", func() bool { return reports() == 1 })
	w.settled() // a jump of the clock before that takes the lease away, and the report is written again
	w.gaps("off", dm, user)
	h.to(time.Date(2026, 12, 7, 0, 0, 30, 0, time.UTC))
	h.say(t, w, "U1", "is lunch free?", dm)
	w.settled()
	if n := reports(); n != 1 {
		t.Errorf("%d reports after it was switched off", n)
	}
}
