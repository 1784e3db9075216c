package discord_test

import (
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"maru/adapters/discord"
	"maru/adapters/discord/discordfake"
	"maru/adapters/discord/render/rendertest"
	"maru/bot"
)

// question returns a card that people act on.
func question() bot.Card {
	return bot.Card{Kind: bot.CardChoices, Language: "ko", Text: "**배포**할까요?", Steps: []bot.Step{{Text: "빌드", State: bot.StepWaiting}},
		Buttons: []bot.Button{{ID: "row1", Verb: "accept", Label: "승인", Style: bot.ButtonPrimary}, {ID: "row1", Verb: "reject", Label: "거절", Style: bot.ButtonDanger}}}
}

const isV2 = 1 << 15

func TestAnAnswerBecomesAQuestionAndAnAnswerAgain(t *testing.T) {
	t.Parallel() // the fake refuses what Discord refuses of such edits
	w := newWorld(t, discordfake.Config{}, discord.Config{})
	m := w.ask("배포해 줘")
	ref := w.post(m, bot.Card{Kind: bot.CardProgress, Text: "찾아보니", Status: "…"}, "k")
	show := func(c bot.Card, v2 bool, want string) {
		t.Helper()
		var err error
		if ref, err = w.a.Edit(w.ctx, ref, c); err != nil {
			t.Fatal(err)
		}
		got := w.fake.BotMessages(m.ID)
		if len(got) != 1 || !strings.Contains(got[0].Text(), want) || (got[0].Flags&isV2 != 0) != v2 {
			t.Fatalf("shown: %+v", got)
		}
	}
	show(bot.Card{Kind: bot.CardProgress, Text: "찾아보니 그래요"}, false, "그래요")
	show(question(), true, "**배포**할까요?")
	decided := question()
	decided.Buttons, decided.Final, decided.Footer = nil, true, "✅ 영희: 승인"
	show(decided, true, "영희")
	show(text("끝났어요."), true, "끝났어요.")
	show(text("끝났어요."), true, "끝났어요.")
}

func TestNextProcessKnowsAMessageOfComponents(t *testing.T) {
	t.Parallel()
	for _, forgotten := range []bool{false, true} {
		t.Run("note_lost_"+strconv.FormatBool(forgotten), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, discordfake.Config{}, discord.Config{})
			m := w.ask("배포해 줘")
			ref := w.post(m, question(), "k")
			if forgotten {
				ref.Stream = ""
			}
			next := adapter(t, w.fake, discord.Config{})
			if _, err := next.Edit(w.ctx, ref, text("끝났어요.")); err != nil {
				t.Fatal(err)
			}
			if got := w.fake.BotMessages(m.ID); len(got) != 1 || got[0].Text() != "끝났어요." {
				t.Errorf("shown: %+v", got)
			}
			if forgotten { // it had to try
				w.fake.ForgiveViolations()
			}
		})
	}
}

func TestLostQuestionIsFoundByTheNextProcess(t *testing.T) {
	t.Parallel()
	w := newWorld(t, discordfake.Config{}, discord.Config{})
	m := w.ask("배포해 줘")
	ref := w.post(m, question(), "run-1")
	if err := w.stop(); err != nil {
		t.Fatal(err)
	}
	w.fake.ForgetNonces()
	next := w.in.heir()
	a, ended, cancel := run(w.ctx, t, w.fake, next, discord.Config{})
	defer func() { cancel(); <-ended }()
	w.settle("the next process", func() bool { return len(w.fake.Identifies()) == 2 && w.fake.Connected() })
	got, ok, err := a.Find(w.ctx, bot.Target{Thread: m.Thread}, "run-1")
	if err != nil || !ok || got.Messages[0] != ref.Messages[0] {
		t.Errorf("found %v %v %v, want %v", got, ok, err, ref)
	}
	// What is found is changed as what it is: Discord refuses nothing.
	if _, err := a.Edit(w.ctx, got, text("끝났어요.")); err != nil {
		t.Fatal(err)
	}
	if got := w.fake.BotMessages(m.ID); len(got) != 1 || got[0].Text() != "끝났어요." {
		t.Errorf("shown: %+v", got)
	}
}

func TestLongQuestionIsWholeAndItsButtonsAreLast(t *testing.T) {
	t.Parallel()
	w := newWorld(t, discordfake.Config{}, discord.Config{})
	c := question()
	for i := range 600 {
		c.Text += "\n\n줄 " + strconv.Itoa(i) + " 번호예요."
	}
	m := w.ask("길게")
	w.post(m, c, "k")
	shown := w.fake.BotMessages(m.ID)
	all := ""
	for i, s := range shown {
		all += s.Text() + "\n"
		if buttons := strings.Contains(toJSON(t, s.Components), "m1:row1:accept"); buttons != (i == len(shown)-1) {
			t.Errorf("message %d of %d has buttons: %v", i+1, len(shown), buttons)
		}
	}
	for i := range 600 {
		if n := strings.Count(all, "줄 "+strconv.Itoa(i)+" 번호"); n != 1 {
			t.Fatalf("line %d stands %d times", i, n)
		}
	}
}

func TestChoiceFromAListIsAClick(t *testing.T) {
	t.Parallel()
	w := newWorld(t, discordfake.Config{}, discord.Config{})
	c := question()
	for i := range 20 {
		c.Buttons = append(c.Buttons, bot.Button{ID: "row1", Verb: "pick." + strconv.Itoa(i), Label: "제안 " + strconv.Itoa(i)})
	}
	m := w.ask("골라 줘")
	ref := w.post(m, c, "k")
	token := w.fake.Choose(w.fake.Alice, m.ID, ref.Messages[0], "m1:choose:0", "m1:row1:pick.7")
	w.settle("an answer", func() bool { return !w.fake.Interaction(token).Answered.IsZero() })
	if a := w.in.actions[0]; a.ID != "row1" || a.Verb != "pick.7" || len(a.Values) != 0 {
		t.Errorf("action is %+v", a)
	}
}

// TestOldEditIsRefusedByItsClass is the card that waited for days: Discord no
// longer edits it freely, and the bot posts again: a message of its own, also while
// Discord still knows the old one by its nonce.
func TestOldEditIsRefusedByItsClass(t *testing.T) {
	t.Parallel()
	w := newWorld(t, discordfake.Config{}, discord.Config{})
	m := w.ask("hello")
	ref := w.post(m, question(), "k")
	w.fake.Fail(discordfake.Fault{Method: "PATCH", Path: "/messages", Status: 400, Code: 30046, Times: 9})
	if _, err := w.a.Edit(w.ctx, ref, text("two")); !errors.Is(err, bot.ErrTooOld) {
		t.Errorf("error is %v", err)
	}
	for range 2 { // the second is the first
		anew := w.post(m, text("two"), "k")
		if got := w.fake.BotMessages(m.ID); len(got) != 2 || got[1].Content != "two" || got[1].ID != anew.Messages[0] {
			t.Errorf("messages are %+v", got)
		}
	}
	for range 2 { // the card makes room, and is gone
		if err := w.a.Remove(w.ctx, ref); err != nil {
			t.Error(err)
		}
	}
	if got := w.fake.BotMessages(m.ID); len(got) != 1 || got[0].Content != "two" {
		t.Errorf("messages are %+v", got)
	}
}

// TestEveryCardIsTaken posts each card of the goldens, and makes each of a draft:
// the fake holds both against Discord's own description of its API.
func TestEveryCardIsTaken(t *testing.T) {
	t.Parallel()
	w := newWorld(t, discordfake.Config{}, discord.Config{})
	if !w.fake.HasSpec() {
		t.Log("Discord's OpenAPI file is not beside the checkout: only the hand-written rules are checked")
	}
	m := w.ask("everything")
	for name, c := range rendertest.Cards() {
		w.post(m, c, "posted "+name)
		ref := w.post(m, bot.Card{Kind: bot.CardProgress, Status: "…"}, "edited "+name)
		for ref.IsZero() { // a draft that the rate limit delays is skipped
			time.Sleep(100 * time.Millisecond)
			ref = w.post(m, bot.Card{Kind: bot.CardProgress, Status: "…"}, "edited "+name)
		}
		_, err := w.a.Edit(w.ctx, ref, c)
		for d := new(bot.DeliveryError); errors.As(err, &d) && d.After > 0; { // a draft does not wait for its turn by itself
			time.Sleep(d.After)
			_, err = w.a.Edit(w.ctx, ref, c)
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
