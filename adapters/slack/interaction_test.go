package slack_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"maru/adapters/slack"
	"maru/adapters/slack/slackfake"
	"maru/bot"
)

var planCard = bot.Card{Kind: bot.CardPlan, Title: "Plan", Text: "Shall I?", Buttons: []bot.Button{
	{ID: "ap:1/x", Verb: "accept", Label: "Accept", Style: bot.ButtonPrimary},
	{ID: "ap:1/x", Verb: "reject", Label: "Reject"},
	{Label: "Open", URL: "https://maru.example.com/run"},
}}

// posted posts a card into a new thread and returns the thread and the message.
func (w *world) posted(c bot.Card) (th, ts string) {
	w.t.Helper()
	th = w.Say("U1", "C1", "<@UBOT> go", "")
	ref, err := w.adapter.Post(w.t.Context(), target("C1", th), c, "key-"+th)
	if err != nil {
		w.t.Fatal(err)
	}
	w.settle()
	return th, ref.Messages[0]
}

func (w *world) click(user, ts, label string) {
	w.t.Helper()
	if _, err := w.Click(user, "C1", ts, label); err != nil {
		w.t.Fatal(err)
	}
	w.settle()
}

func TestClickReachesTheBot(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, w *world) {
		th, ts := w.posted(planCard)
		w.in.onAction = func(bot.Action) (bot.Answer, error) {
			return bot.Answer{Card: &bot.Card{Kind: bot.CardNotice, Text: "Only **admins** may.", Final: true}}, nil
		}
		w.click("U2", ts, "Accept")
		w.click("U2", ts, "Open") // a link: nothing to tell the bot
		w.until("private word", func() bool { return len(w.Whispers("U2")) == 1 })
		if len(w.in.actions) != 1 {
			t.Fatalf("actions: %+v", w.in.actions)
		}
		a := w.in.actions[0]
		if a.ID != "ap:1/x" || a.Verb != "accept" || a.Message != ts || a.Thread != thread("C1", th) || a.User.ID != "U2" || a.User.Admin || a.Trigger == "" || a.At.IsZero() {
			t.Errorf("action: %+v", a)
		}
		if wh := w.Whispers("U2")[0]; wh.Via != "response_url" || wh.Thread != th || !strings.Contains(wh.Shown(), "Only **admins** may.") {
			t.Errorf("whisper: %+v", wh)
		}
	})
}

// TestClickOfANamesake has somebody of another workspace click whose id is that of
// a person here: the message they saw is in a shared channel.
func TestClickOfANamesake(t *testing.T) {
	t.Parallel()
	w := start(t, slackfake.Options{})
	_, ts := w.posted(planCard)
	click := func(team string) {
		w.EmitRaw("interactive", fmt.Appendf(nil, `{"type":"block_actions","api_app_id":"AMARU","team":{"id":%[1]q},"user":{"id":"U1","team_id":%[1]q},
			"channel":{"id":"C1"},"container":{"type":"message","message_ts":%[2]q,"channel_id":"C1"},"message":{"ts":%[2]q},
			"actions":[{"type":"button","action_id":"maru:ap:1%%2Fx:accept","value":"ap%%3A1%%2Fx:accept","action_ts":"1.2"}]}`, team, ts))
		w.settle()
	}
	click("T2")
	if len(w.in.actions) != 0 {
		t.Errorf("the click of a namesake counts: %+v", w.in.actions)
	}
	click("T1")
	if len(w.in.actions) != 1 || w.in.actions[0].User.ID != "U1" {
		t.Errorf("actions: %+v", w.in.actions)
	}
}

func TestUnsavedClickIsNotSilent(t *testing.T) {
	t.Parallel()
	w := start(t, slackfake.Options{}, overHTTP, impatient)
	_, ts := w.posted(planCard)
	w.in.onAction = func(bot.Action) (bot.Answer, error) { return bot.Answer{}, errors.New("disk full") }
	w.click("U1", ts, "Accept")
	w.until("private word", func() bool { return len(w.Whispers("U1")) == 1 })
	if d := w.Deliveries(); d[len(d)-1].Acks != 0 {
		t.Error("acknowledged although nothing was saved")
	}
	if wh := w.Whispers("U1")[0]; !strings.Contains(wh.Shown(), "다시 눌러") {
		t.Errorf("whisper: %q", wh.Shown())
	}
}

func TestResponseURLIsUsedFiveTimes(t *testing.T) {
	t.Parallel()
	w := start(t, slackfake.Options{})
	_, ts := w.posted(planCard)
	long := strings.Repeat("word ", 14000)
	w.in.onAction = func(bot.Action) (bot.Answer, error) {
		return bot.Answer{Card: &bot.Card{Kind: bot.CardText, Text: long}}, nil
	}
	w.click("U1", ts, "Accept")
	w.until("private words", func() bool { return len(w.Whispers("U1")) == 7 }) // all parts of the text
	via := map[string]int{}
	for _, wh := range w.Whispers("U1") {
		via[wh.Via]++
	}
	if via["response_url"] != 5 || via["ephemeral"] != 2 {
		t.Errorf("delivered by %v", via)
	}
}

var form = bot.Form{ID: "row9", Verb: "submit", Title: "A title that is much longer than a modal takes", Submit: "Send", Inputs: []bot.Input{
	{ID: "city", Label: "City", Required: true, Hint: "where", Value: "Seoul", Max: 10},
	{ID: "why", Label: "Why", Long: true},
	{ID: "kind", Label: "Kind", Options: []bot.Option{{Value: "a", Label: "First"}, {Value: "b", Label: "Second"}}, Value: "b"},
}}

func TestFormFromClickToValues(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, w *world) {
		th, ts := w.posted(planCard)
		w.in.onAction = func(a bot.Action) (bot.Answer, error) {
			switch {
			case a.Verb == "accept":
				return bot.Answer{Form: &form}, nil
			case a.Values["city"] == "Atlantis":
				return bot.Answer{Errors: map[string]string{"city": "no such city"}}, nil
			case a.Values["city"] == "Incheon" && a.Verb == "submit":
				anew := *form.Typed(a.Values)
				anew.Verb = "submit.over"
				return bot.Answer{Form: &anew, Errors: map[string]string{"city": "somebody wrote Jeju"}}, nil
			}
			return bot.Answer{Card: &bot.Card{Kind: bot.CardNotice, Text: "thanks"}}, nil
		}
		w.click("U1", ts, "Accept")
		w.until("form", func() bool { _, ok := w.LastView(); return ok })
		v, _ := w.LastView()
		submit := func(city string) {
			if _, err := w.Submit("U1", v.ID, map[string]string{"city": city, "why": "because\nof it", "kind": "b"}); err != nil {
				t.Fatal(err)
			}
			w.settle()
		}
		submit("Atlantis")
		if v, _ := w.LastView(); !v.Open || v.Errors["city"] != "no such city" {
			t.Errorf("view after a wrong value: %+v", v)
		}
		submit("Incheon")
		if v, _ := w.LastView(); !v.Open || !strings.Contains(string(v.Body), "somebody wrote Jeju") || !strings.Contains(string(v.Body), "Incheon") {
			t.Errorf("view after another's change: %s", v.Body)
		}
		submit("Busan")
		if v, _ := w.LastView(); v.Open {
			t.Error("the form stays open")
		}
		a := w.in.actions[len(w.in.actions)-1]
		if a.ID != "row9" || a.Verb != "submit.over" || a.Thread != thread("C1", th) || a.Message != ts || a.Values["city"] != "Busan" || a.Values["why"] != "because\nof it" || a.Values["kind"] != "b" {
			t.Errorf("action: %+v", a)
		}
		w.until("thanks", func() bool { return len(w.Whispers("U1")) == 1 })
	})
}

func TestClosedFormIsTold(t *testing.T) {
	t.Parallel()
	w := start(t, slackfake.Options{})
	_, ts := w.posted(planCard)
	w.in.onAction = func(a bot.Action) (bot.Answer, error) {
		if a.Verb == "accept" {
			return bot.Answer{Form: &form}, nil
		}
		return bot.Answer{Card: &bot.Card{Text: "unknown"}}, nil
	}
	w.click("U1", ts, "Accept")
	w.until("form", func() bool { _, ok := w.LastView(); return ok })
	v, _ := w.LastView()
	if _, err := w.CloseView("U1", v.ID); err != nil {
		t.Fatal(err)
	}
	w.settle()
	if a := w.in.actions[len(w.in.actions)-1]; a.Verb != "closed" || a.ID != "row9" {
		t.Errorf("action: %+v", a)
	}
	if n := len(w.Whispers("U1")); n != 0 {
		t.Errorf("%d words about a closed form", n)
	}
}

// A panic in one delivery ends neither the program nor the others: Slack sends an
// event again, and who gave a command is told.
func TestAPanicIsOneDeliverysOwn(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, w *world) {
		failed := false
		w.in.onMessage = func(bot.Message) error {
			if !failed {
				failed = true
				panic("a fault")
			}
			return nil
		}
		w.in.onCommand = func(bot.Invocation) (*bot.Card, error) { panic("a fault") }
		w.Say("U1", "D1", "hello", "")
		w.Slash("U2", "C1", "/maru", "help")
		w.until("apology", func() bool { return len(w.Whispers("U2")) == 1 })
		w.settle()
		if got := w.in.unique(); len(got) != 1 {
			t.Errorf("messages: %+v", got)
		}
	})
}

// Slack's own feedback buttons lead to the bot as other buttons do, and are
// plain buttons where Slack does not know them.
func TestFeedbackButtons(t *testing.T) {
	t.Parallel()
	w := start(t, slackfake.Options{})
	card := bot.Card{Kind: bot.CardFeedback, Text: "Done.", Final: true, Buttons: []bot.Button{
		{ID: "x", Verb: "more", Label: "More"}, {ID: "fb", Verb: "up", Label: "👍"}, {ID: "fb", Verb: "down", Label: "👎"}}}
	th := w.Say("U1", "C1", "<@UBOT> hi", "")
	w.settle()
	ref, err := w.adapter.Post(t.Context(), target("C1", th), card, "k")
	if err != nil {
		t.Fatal(err)
	}
	w.Fail(slackfake.Fault{Method: "chat.postMessage", Code: "invalid_blocks", Times: 1})
	plain, err := w.adapter.Post(t.Context(), target("C1", th), card, "k2")
	if err != nil {
		t.Fatal(err)
	}
	for i, ts := range []string{ref.Messages[0], plain.Messages[0]} {
		m, _ := w.Message("C1", ts)
		if !slices.Equal(m.Buttons(), []string{"More", "👍", "👎"}) || strings.Contains(string(m.Blocks), "feedback_buttons") != (i == 0) {
			t.Errorf("%s", m.Blocks)
		}
		if _, err := w.Click("U1", "C1", ts, "👎"); err != nil {
			t.Fatal(err)
		}
		w.settle()
		if a := w.in.actions[i]; a.ID != "fb" || a.Verb != "down" || a.Message != ts {
			t.Errorf("action %+v", a)
		}
	}
}

func TestWhisperIsEphemeral(t *testing.T) {
	t.Parallel()
	w := start(t, slackfake.Options{})
	th := w.Say("U1", "C1", "<@UBOT> hi", "")
	if err := w.adapter.Whisper(t.Context(), target("C1", th), bot.User{ID: "U2"}, bot.Card{Kind: bot.CardNotice, Text: "psst"}); err != nil {
		t.Fatal(err)
	}
	if wh := w.Whispers("U2"); len(wh) != 1 || wh[0].Via != "ephemeral" || wh[0].Hidden {
		t.Errorf("in a thread without replies: %+v", wh)
	}
	if _, err := w.adapter.Post(t.Context(), target("C1", th), text("an answer"), "k"); err != nil {
		t.Fatal(err)
	}
	if err := w.adapter.Whisper(t.Context(), target("C1", th), bot.User{ID: "U3"}, bot.Card{Kind: bot.CardNotice, Text: "psst"}); err != nil {
		t.Fatal(err)
	}
	if wh := w.Whispers("U3"); len(wh) != 1 || wh[0].Thread != th || wh[0].Hidden {
		t.Errorf("in a thread with a reply: %+v", wh)
	}
	err := w.adapter.Whisper(t.Context(), target("C1", th), bot.User{ID: "U77"}, bot.Card{Text: "psst"})
	if !errors.Is(err, bot.ErrForbidden) {
		t.Errorf("whisper to a stranger: %v", err)
	}
}

// An unknown person never has rights, and a slow lookup never holds up an event.
func TestSlowPeopleLookup(t *testing.T) {
	t.Parallel()
	w := start(t, slackfake.Options{}, func(c *slack.Config) { c.AskWithin = 0 })
	hold := make(chan struct{})
	release := sync.OnceFunc(func() { close(hold) })
	t.Cleanup(release)
	w.Fail(slackfake.Fault{Method: "users.info", Hold: hold})
	for range 5 {
		w.Say("U1", "D1", "quick", "")
	}
	w.settle() // Slack has not said yet who it is
	if said := w.in.said(); len(said) != 5 {
		t.Errorf("%d messages of 5", len(said))
	}
	for _, m := range w.in.said() {
		if m.User.ID != "U1" || m.User.Admin {
			t.Errorf("user: %+v", m.User)
		}
	}
}

// Several of some choices are a menu that gives back what was chosen, or what it was
// shown with; more than a menu has room for are written.
func TestSeveralOfAList(t *testing.T) {
	t.Parallel()
	w := start(t, slackfake.Options{})
	many := bot.Input{ID: "many", Label: "Many", Value: "v7, v101"}
	for i := range 102 {
		many.Several = append(many.Several, bot.Option{Value: fmt.Sprint("v", i), Label: fmt.Sprint("Choice ", i)})
	}
	few := bot.Input{ID: "few", Label: "Few", Value: "c, a", Several: []bot.Option{{Value: "a", Label: "First"}, {Value: "b", Label: "Second"}, {Value: "c", Label: "Third"}}}
	f := bot.Form{ID: "row9", Verb: "submit", Title: "Lists", Submit: "Save", Inputs: []bot.Input{few, many}}
	_, ts := w.posted(planCard)
	w.in.onAction = func(a bot.Action) (bot.Answer, error) {
		if a.Verb == "accept" {
			return bot.Answer{Form: &f}, nil
		}
		return bot.Answer{Errors: map[string]string{"few": "once more"}}, nil
	}
	w.click("U1", ts, "Accept")
	w.until("form", func() bool { _, ok := w.LastView(); return ok })
	v, _ := w.LastView()
	if body := string(v.Body); strings.Count(body, `"multi_static_select"`) != 1 || strings.Count(body, `"plain_text_input"`) != 1 {
		t.Fatalf("controls: %s", body)
	}
	for _, step := range []struct {
		given map[string]string
		few   string
	}{{nil, "a, c"}, {map[string]string{"few": "b,c"}, "b, c"}, {map[string]string{"few": ""}, ""}} {
		before := len(w.in.actions)
		if _, err := w.Submit("U1", v.ID, step.given); err != nil {
			t.Fatal(err)
		}
		w.settle()
		got, there := w.in.actions[before].Values["few"]
		if !there || got != step.few || w.in.actions[before].Values["many"] != "v7, v101" {
			t.Errorf("%v came as %+v", step.given, w.in.actions[before].Values)
		}
	}
}
