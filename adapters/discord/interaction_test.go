package discord_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"maru/adapters/discord"
	"maru/adapters/discord/discordfake"
	"maru/bot"
)

func notice(s string) bot.Card { return bot.Card{Kind: bot.CardNotice, Text: s, Final: true} }

func (w *world) settle(what string, cond func() bool) {
	w.t.Helper()
	if err := w.fake.Await(w.ctx, cond); err != nil {
		w.t.Fatalf("waiting for %s: %v", what, err)
	}
}

func TestCommandsAreRegisteredOnceAndInKorean(t *testing.T) {
	t.Parallel()
	w := newWorld(t, discordfake.Config{}, discord.Config{})
	w.in.await(w.ctx, t, "registration", func() bool { return w.in.notes["discord/commands"] != "" })
	raw, err := json.Marshal(w.fake.Commands())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"name":"maru"`, `"name":"ask"`, `"ko":"질문하기"`, `"choices":[{"name":"list"`, `"contexts":[0,1]`} {
		if !strings.Contains(string(raw), want) {
			t.Errorf("no %s in %s", want, raw)
		}
	}
	pretty, err := json.MarshalIndent(w.fake.Commands(), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "commands", string(pretty)+"\n")
	if err := w.stop(); err != nil {
		t.Fatal(err)
	}
	next := w.in.heir()
	_, ended, cancel := run(w.ctx, t, w.fake, next, discord.Config{})
	w.settle("the next process", func() bool { return len(w.fake.Identifies()) == 2 && w.fake.Connected() })
	w.fake.Say(w.fake.Alice, w.fake.General, w.fake.Mention()+" hi")
	next.message(w.ctx, t, 0)
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if n := w.fake.Count("PUT", "/commands"); n != 1 {
		t.Errorf("registered %d times", n)
	}
}

func TestCommandIsAnsweredPrivately(t *testing.T) {
	t.Parallel()
	w := newWorld(t, discordfake.Config{}, discord.Config{})
	release := make(chan struct{})
	w.in.onCommand = func(c bot.Invocation) (*bot.Card, error) {
		<-release
		card := notice("문서 " + c.Args)
		return &card, nil
	}
	w.fake.SetLocale(w.fake.Admin, "ko")
	token := w.fake.Slash(w.fake.Admin, w.fake.General, "maru", "docs", map[string]string{"action": "remove", "name": "규정 v2"})
	w.settle("the first answer", func() bool { return !w.fake.Interaction(token).Answered.IsZero() })
	if i := w.fake.Interaction(token); i.Kind != 5 || !i.Original.Ephemeral {
		t.Errorf("first answer is %+v", i)
	}
	close(release)
	w.settle("the card", func() bool { o := w.fake.Interaction(token).Original; return o != nil && o.Content != "" })
	if o := w.fake.Interaction(token).Original; o.Content != "문서 remove 규정 v2" || !o.Ephemeral {
		t.Errorf("shown: %+v", o)
	}
	inv := w.in.invoked[0]
	if inv.Trigger != "" { // the command was answered before it was handed on: no form can be opened for it
		t.Errorf("a command carries the trigger %q", inv.Trigger)
	}
	if inv.Name != "docs" || inv.Options["name"] != "규정 v2" || !inv.User.Admin || inv.User.Locale != "ko" || inv.Thread.Team != w.fake.Guild || inv.Thread.ID != "" {
		t.Errorf("invocation is %+v", inv)
	}
}

func TestCommandWithoutCardLeavesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, discordfake.Config{}, discord.Config{})
	token := w.fake.Slash(w.fake.Alice, w.fake.DM(w.fake.Alice), "maru", "ask", map[string]string{"question": "?"})
	w.settle("deletion", func() bool { i := w.fake.Interaction(token); return !i.Answered.IsZero() && i.Original == nil })
	if inv := w.in.invoked[0]; !inv.Thread.Direct || inv.User.Admin {
		t.Errorf("invocation is %+v", inv)
	}
}

func TestCommandThatTakesTooLongIsAnsweredDirectly(t *testing.T) {
	t.Parallel()
	w := newWorld(t, discordfake.Config{}, discord.Config{})
	release := make(chan struct{})
	w.in.onCommand = func(bot.Invocation) (*bot.Card, error) {
		<-release
		card := notice("late")
		return &card, nil
	}
	token := w.fake.Slash(w.fake.Alice, w.fake.General, "maru", "ask", nil)
	w.settle("the first answer", func() bool { return !w.fake.Interaction(token).Answered.IsZero() })
	w.fake.Expire(token)
	close(release)
	dm := w.fake.DM(w.fake.Alice)
	if _, err := w.fake.AwaitAnswers(w.ctx, dm, 1); err != nil {
		t.Fatal(err)
	}
}

// A command that reached the bot too late for Discord is carried out once; people see
// that it failed and read the answer directly. Nothing is sent with its token, which
// Discord has given up.
func TestCommandThatCameTooLateIsCarriedOut(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		card *bot.Card
		told []string
	}{
		"card": {&bot.Card{Kind: bot.CardNotice, Text: "late", Final: true}, []string{"late"}},
		"file": {&bot.Card{Kind: bot.CardNotice, Text: "late", Title: "A file.", Final: true, Files: []bot.Artifact{{Name: "a.csv", Data: []byte("a"), Size: 1}}}, []string{"### A file.\nlate", "A file."}},
		"none": {nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, discordfake.Config{Patience: time.Nanosecond}, discord.Config{})
			w.in.onCommand = func(bot.Invocation) (*bot.Card, error) { return c.card, nil }
			w.fake.Slash(w.fake.Alice, w.fake.General, "maru", "docs", map[string]string{"action": "list"})
			dm := w.fake.DM(w.fake.Alice)
			if _, err := w.fake.AwaitAnswers(w.ctx, dm, len(c.told)); err != nil {
				t.Fatal(err)
			}
			var asked bot.Thread
			w.in.await(w.ctx, t, "the command", func() bool {
				if len(w.in.invoked) == 1 {
					asked = w.in.invoked[0].Thread
				}
				return len(w.in.invoked) == 1
			})
			whisper := bot.Card{Kind: bot.CardNotice, Text: "by the way", Final: true}
			if err := w.a.Whisper(w.ctx, bot.Target{Thread: asked}, bot.User{ID: w.fake.Alice}, whisper); err != nil {
				t.Fatal(err)
			}
			var told []string
			for _, m := range w.fake.BotMessages(dm) {
				told = append(told, m.Content)
			}
			if !slices.Equal(told, append(c.told, "by the way")) {
				t.Errorf("told: %q", told)
			}
			for _, method := range []string{"POST", "PATCH", "DELETE"} {
				if n := w.fake.Count(method, "/webhooks/"); n > 0 {
					t.Errorf("%d calls of %s with a token that is given up", n, method)
				}
			}
		})
	}
}

// withButton posts a card with a button and returns its message.
func (w *world) withButton() (bot.Message, string) {
	w.t.Helper()
	m := w.ask("plan?")
	c := text("이대로 할까요?")
	c.Buttons = []bot.Button{{ID: "row1", Verb: "accept", Label: "네", Style: bot.ButtonPrimary}, {ID: "row1", Verb: "reject", Label: "아니요"}}
	ref := w.post(m, c, "k-"+m.ID)
	return m, ref.Messages[0]
}

func TestClick(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		answer bot.Answer
		err    error
		kind   int
		shows  string
	}{
		"nothing_to_say": {kind: 6},
		"private_word":   {answer: bot.Answer{Card: &bot.Card{Text: "이미 결정됐어요"}}, kind: 4, shows: "이미 결정됐어요"},
		"not_committed":  {err: context.DeadlineExceeded, kind: 4, shows: "couldn't save that"},
		"opens_a_form": {answer: bot.Answer{Form: &bot.Form{ID: "f1", Verb: "submit", Title: strings.Repeat("긴 제목 ", 30), Inputs: []bot.Input{
			{ID: "why", Label: strings.Repeat("라벨 ", 40), Hint: strings.Repeat("h", 200), Long: true, Max: 9000}, {ID: "pick", Label: "Pick", Options: []bot.Option{{Value: "a", Label: "A"}, {Value: "a", Label: "twice"}}},
			{ID: "3", Label: "3"}, {ID: "4", Label: "4"}, {ID: "5", Label: "5"}, {ID: "6", Label: "6", Required: true},
		}}}, kind: 9},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, discordfake.Config{}, discord.Config{})
			w.in.onAction = func(bot.Action) (bot.Answer, error) { return c.answer, c.err }
			m, id := w.withButton()
			token := w.fake.Click(w.fake.Bob, m.ID, id, "m1:row1:accept")
			w.settle("an answer", func() bool { return !w.fake.Interaction(token).Answered.IsZero() })
			i := w.fake.Interaction(token)
			if i.Kind != c.kind {
				t.Errorf("answered with %d, want %d", i.Kind, c.kind)
			}
			if c.shows != "" && (!strings.Contains(i.Original.Content, c.shows) || !i.Original.Ephemeral) {
				t.Errorf("shown: %+v", i.Original)
			}
			a := w.in.actions[0]
			if a.ID != "row1" || a.Verb != "accept" || a.Message != id || a.User.ID != w.fake.Bob || a.Thread.Key() != m.Thread.Key() {
				t.Errorf("action is %+v", a)
			}
		})
	}
}

func TestForeignButtonIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, discordfake.Config{}, discord.Config{})
	m, id := w.withButton()
	for _, custom := range []string{"", "x", "m1:", "m1::accept", "other:row1:accept", strings.Repeat("m1:", 60)} {
		token := w.fake.Click(w.fake.Bob, m.ID, id, custom)
		w.settle("an answer", func() bool { return !w.fake.Interaction(token).Answered.IsZero() })
		if i := w.fake.Interaction(token); i.Kind != 4 || !i.Original.Ephemeral {
			t.Errorf("%q: %+v", custom, i)
		}
	}
	if len(w.in.actions) != 0 {
		t.Errorf("actions: %+v", w.in.actions)
	}
}

func TestSlowClickIsHeldAndThenAnswered(t *testing.T) {
	t.Parallel()
	w := newWorld(t, discordfake.Config{}, discord.Config{AnswerWithin: time.Millisecond})
	release := make(chan struct{})
	w.in.onAction = func(bot.Action) (bot.Answer, error) {
		<-release
		card := notice("done")
		return bot.Answer{Card: &card}, nil
	}
	m, id := w.withButton()
	token := w.fake.Click(w.fake.Bob, m.ID, id, "m1:row1:accept")
	w.settle("the hold", func() bool { return w.fake.Interaction(token).Kind == 6 })
	close(release)
	w.settle("the card", func() bool { return len(w.fake.Interaction(token).FollowUps) == 1 })
	if f := w.fake.Interaction(token).FollowUps[0]; f.Content != "done" || !f.Ephemeral {
		t.Errorf("follow-up: %+v", f)
	}
}

// A panic behind a click or a command leaves nobody waiting.
func TestAPanicIsAnswered(t *testing.T) {
	t.Parallel()
	w := newWorld(t, discordfake.Config{}, discord.Config{})
	w.in.onAction = func(bot.Action) (bot.Answer, error) { panic("a fault") }
	w.in.onCommand = func(bot.Invocation) (*bot.Card, error) { panic("a fault") }
	m, id := w.withButton()
	for token, want := range map[string]string{
		w.fake.Click(w.fake.Bob, m.ID, id, "m1:row1:accept"):          "couldn't save that",
		w.fake.Slash(w.fake.Bob, w.fake.General, "maru", "docs", nil): "didn't work",
	} {
		w.settle(want, func() bool {
			o := w.fake.Interaction(token).Original
			return o != nil && strings.Contains(o.Content, want)
		})
	}
}

// buttonOf returns the custom id of the one button that a private answer has.
func (w *world) buttonOf(m *discordfake.Message) string {
	w.t.Helper()
	raw, err := json.Marshal(m.Components)
	if err != nil {
		w.t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(raw), `"custom_id":"`)
	id, _, _ := strings.Cut(rest, `"`)
	if !ok || strings.Count(string(raw), `"custom_id"`) != 1 {
		w.t.Fatalf("buttons are %s", raw)
	}
	return id
}

func TestWhisper(t *testing.T) {
	t.Parallel()
	w := newWorld(t, discordfake.Config{}, discord.Config{})
	m, id := w.withButton()
	to := bot.Target{Thread: m.Thread}
	if err := w.a.Whisper(w.ctx, to, bot.User{ID: w.fake.Bob}, notice("by direct message")); err != nil {
		t.Fatal(err)
	}
	if got := w.fake.BotMessages(w.fake.DM(w.fake.Bob)); len(got) != 1 {
		t.Errorf("direct messages: %+v", got)
	}
	token := w.fake.Click(w.fake.Bob, m.ID, id, "m1:row1:accept")
	w.settle("an answer", func() bool { return !w.fake.Interaction(token).Answered.IsZero() })
	if err := w.a.Whisper(w.ctx, to, bot.User{ID: w.fake.Bob}, notice("ephemeral")); err != nil {
		t.Fatal(err)
	}
	if got := w.fake.Interaction(token).FollowUps; len(got) != 1 || !got[0].Ephemeral {
		t.Errorf("follow-ups: %+v", got)
	}
}
