package discord_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
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
		"not_committed":  {err: context.DeadlineExceeded, kind: 4, shows: "could not be saved"},
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
	w := newWorld(t, discordfake.Config{}, discord.Config{})
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

func TestSubmittedForm(t *testing.T) {
	t.Parallel()
	w := newWorld(t, discordfake.Config{}, discord.Config{})
	w.in.onAction = func(bot.Action) (bot.Answer, error) {
		return bot.Answer{Errors: map[string]string{"why": "더 자세히 써 주세요"}}, nil
	}
	token := w.fake.Submit(w.fake.Bob, w.fake.General, "m1:f1:submit", map[string]string{"why": "그냥", "n": "1"})
	w.settle("an answer", func() bool { return !w.fake.Interaction(token).Answered.IsZero() })
	if a := w.in.actions[0]; a.ID != "f1" || a.Verb != "submit" || a.Values["why"] != "그냥" || a.Values["n"] != "1" {
		t.Errorf("action is %+v", a)
	}
	if i := w.fake.Interaction(token); i.Kind != 4 || !strings.Contains(i.Original.Content, "더 자세히") {
		t.Errorf("answer is %+v", i)
	}
}

// opened returns the form that a click opened.
func (w *world) opened(token string) map[string]any {
	w.t.Helper()
	w.settle("a form", func() bool { return w.fake.Interaction(token).Kind == 9 })
	return w.fake.Interaction(token).Data
}

// buttonOf is the custom id of the one button that a private answer has.
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

// TestFormIsCorrected fills a form in wrongly: Discord takes no form as the answer
// to a form, so a button opens it again with what was typed.
func TestFormIsCorrected(t *testing.T) {
	t.Parallel()
	w := newWorld(t, discordfake.Config{}, discord.Config{})
	shown := bot.Form{ID: "row1", Verb: "reject.form", Title: "거절하기", Inputs: []bot.Input{
		{ID: "why", Label: "이유", Long: true, Required: true}, {ID: "tone", Label: "말투", Options: []bot.Option{{Value: "a", Label: "가"}, {Value: "b", Label: "나"}}},
	}}
	w.in.onAction = func(a bot.Action) (bot.Answer, error) {
		if a.Verb == "reject" {
			return bot.Answer{Form: &shown}, nil
		}
		if a.Values["why"] == "그냥" {
			typed := shown
			typed.Inputs = slices.Clone(shown.Inputs)
			typed.Inputs[0].Value, typed.Inputs[1].Value = a.Values["why"], a.Values["tone"]
			return bot.Answer{Form: &typed, Errors: map[string]string{"why": "더 자세히 써 주세요"}}, nil
		}
		done := notice("고마워요")
		return bot.Answer{Card: &done}, nil
	}
	w.fake.SetLocale(w.fake.Bob, "ko")
	m, id := w.withButton()
	form := w.opened(w.fake.Click(w.fake.Bob, m.ID, id, "m1:row1:reject"))
	token := w.fake.SubmitOn(w.fake.Bob, m.ID, form["custom_id"].(string), id, map[string]string{"why": "그냥", "tone": "b"})
	w.settle("what is wrong", func() bool { return w.fake.Interaction(token).Kind == 4 })
	word := w.fake.Interaction(token).Original
	if !word.Ephemeral || !strings.Contains(word.Content, "이유") || !strings.Contains(word.Content, "더 자세히") || strings.Contains(word.Content, "why") {
		t.Errorf("the word is %+v", word)
	}
	again := w.buttonOf(word)
	form = w.opened(w.fake.Click(w.fake.Bob, m.ID, word.ID, again))
	raw, err := json.Marshal(form)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"value":"그냥"`, `"description":"⚠️ 더 자세히 써 주세요"`, `"default":true,"label":"나"`, `"title":"거절하기"`} {
		if !strings.Contains(string(raw), want) {
			t.Errorf("no %s in %s", want, raw)
		}
	}
	token = w.fake.SubmitOn(w.fake.Bob, m.ID, form["custom_id"].(string), word.ID, map[string]string{"why": "너무 비싸요", "tone": "b"})
	w.settle("thanks", func() bool { return w.fake.Interaction(token).Kind == 4 })
	first, last := w.in.actions[1], w.in.actions[2]
	if last.ID != "row1" || last.Verb != "reject.form" || last.Message != id || last.Thread != first.Thread || last.Values["why"] != "너무 비싸요" {
		t.Errorf("the corrected form is %+v, the first was %+v", last, first)
	}
	// What one person typed is nobody else's, and is not kept for ever.
	for user, button := range map[string]string{w.fake.Alice: again, w.fake.Bob: "m1:again:LONGGONE"} {
		token = w.fake.Click(user, m.ID, word.ID, button)
		w.settle("a refusal", func() bool { return w.fake.Interaction(token).Kind == 4 })
		if o := w.fake.Interaction(token).Original; strings.Contains(o.Content, "그냥") || !o.Ephemeral || len(o.Components) > 0 {
			t.Errorf("%s is shown %+v", user, o)
		}
	}
}

// TestFormThatCameTooLate is behind a button: three seconds after the click Discord
// takes none.
func TestFormThatCameTooLate(t *testing.T) {
	t.Parallel()
	w := newWorld(t, discordfake.Config{}, discord.Config{})
	release := make(chan struct{})
	w.in.onAction = func(bot.Action) (bot.Answer, error) {
		<-release
		return bot.Answer{Form: &bot.Form{ID: "row1", Verb: "edit.form", Title: "T", Inputs: []bot.Input{{ID: "x", Label: "X", Value: "as it was"}}}}, nil
	}
	m, id := w.withButton()
	token := w.fake.Click(w.fake.Bob, m.ID, id, "m1:row1:edit")
	w.settle("the hold", func() bool { return w.fake.Interaction(token).Kind == 6 })
	close(release)
	w.settle("the word", func() bool { return len(w.fake.Interaction(token).FollowUps) == 1 })
	word := w.fake.Interaction(token).FollowUps[0]
	form := w.opened(w.fake.Click(w.fake.Bob, m.ID, word.ID, w.buttonOf(&word)))
	if raw := fmt.Sprint(form); !strings.Contains(raw, "as it was") || !strings.Contains(raw, "m1:row1:edit.form#") {
		t.Errorf("the form is %s", raw)
	}
}

// TestFormWithUnknownKinds has fields beside the known ones that carry other types
// of values, or have shapes of their own.
func TestFormWithUnknownKinds(t *testing.T) {
	t.Parallel()
	w := newWorld(t, discordfake.Config{}, discord.Config{})
	label := func(el any) map[string]any { return map[string]any{"type": 18, "component": el} }
	text := map[string]any{"type": 4, "custom_id": "why", "value": "그냥"}
	data := map[string]any{"custom_id": "m1:f1:submit", "components": []any{
		map[string]any{"type": 10, "id": 3},
		label(map[string]any{"type": 23, "custom_id": "agree", "value": true}),
		label(map[string]any{"type": 22, "custom_id": "many", "values": []any{1, 2}}),
		map[string]any{"type": 99, "component": "?", "components": []any{nil, "x", 5}}, nil,
		label(text),
		label(map[string]any{"type": 3, "custom_id": "pick", "values": []any{"b"}}),
		map[string]any{"type": 1, "components": []any{map[string]any{"type": 4, "custom_id": "old", "value": "way"}}},
	}}
	w.fake.Deliver(w.fake.NewInteraction(w.fake.Bob, w.fake.General, 5, data, ""))
	w.in.await(w.ctx, t, "the form", func() bool { return len(w.in.actions) == 1 })
	want := map[string]string{"why": "그냥", "pick": "b", "old": "way"}
	if got := w.in.actions[0].Values; !maps.Equal(got, want) {
		t.Errorf("values are %v, want %v", got, want)
	}
}

func TestFormIsOpenedByTrigger(t *testing.T) {
	t.Parallel()
	w := newWorld(t, discordfake.Config{}, discord.Config{})
	w.in.onAction = func(a bot.Action) (bot.Answer, error) {
		return bot.Answer{}, w.a.OpenForm(t.Context(), a.Trigger, bot.Form{ID: "f", Verb: "go", Title: "T", Inputs: []bot.Input{{ID: "x", Label: "X"}}})
	}
	m, id := w.withButton()
	token := w.fake.Click(w.fake.Bob, m.ID, id, "m1:row1:accept")
	w.settle("the form", func() bool { return w.fake.Interaction(token).Kind == 9 })
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

func TestHTTPInteractions(t *testing.T) {
	t.Parallel()
	fake := discordfake.Start(t, discordfake.Config{})
	in := newIntake()
	in.onCommand = func(c bot.Invocation) (*bot.Card, error) {
		card := notice("over HTTP: " + c.Args)
		return &card, nil
	}
	a := adapter(t, fake, discord.Config{PublicKey: fake.PublicKey()})
	mux := http.NewServeMux()
	a.Mount(mux, in)
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	url := srv.URL + "/discord/interactions"
	post := func(raw []byte, stamp, sig string) int {
		t.Helper()
		resp, err := fake.PostRaw(t.Context(), url, raw, stamp, sig)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = resp.Body.Close() }()
		return resp.StatusCode
	}
	ping := []byte(`{"id":"1","type":1}`)
	now := strconv.FormatInt(time.Now().Unix(), 10)
	old := strconv.FormatInt(time.Now().Add(-6*time.Minute).Unix(), 10)
	ahead := strconv.FormatInt(time.Now().Add(6*time.Minute).Unix(), 10)
	huge := []byte(`{"id":"1","type":1,"x":"` + strings.Repeat("a", 2<<20) + `"}`)
	for name, c := range map[string]struct {
		raw        []byte
		stamp, sig string
		want       int
	}{
		"ping":            {ping, now, fake.Sign(now, ping), 200},
		"no_signature":    {ping, now, "", 401},
		"wrong":           {ping, now, fake.Sign(now, []byte("other")), 401},
		"not_hex":         {ping, now, "zz", 401},
		"other_time":      {ping, now, fake.Sign(old, ping), 401},
		"old":             {ping, old, fake.Sign(old, ping), 401},
		"from_the_future": {ping, ahead, fake.Sign(ahead, ping), 401},
		"no_time":         {ping, "", fake.Sign("", ping), 401},
		"too_large":       {huge, now, fake.Sign(now, huge), 413},
		"not_json":        {[]byte("{"), now, fake.Sign(now, []byte("{")), 400},
	} {
		if got := post(c.raw, c.stamp, c.sig); got != c.want {
			t.Errorf("%s: status %d, want %d", name, got, c.want)
		}
	}
	data := map[string]any{"name": "maru", "type": 1, "options": []any{map[string]any{"name": "ask", "type": 1, "options": []any{map[string]any{"name": "question", "type": 3, "value": "연차?"}}}}}
	p := fake.NewInteraction(fake.Alice, fake.General, 2, data, "")
	for range 2 { // the second is a repetition
		resp, err := fake.Post(t.Context(), url, p)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if err := fake.Await(ctx, func() bool {
		o := fake.Interaction(p.Interaction).Original
		return o != nil && o.Content == "over HTTP: 연차?"
	}); err != nil {
		t.Fatal(err, fmt.Sprint(fake.Interaction(p.Interaction)))
	}
	if len(in.invoked) != 1 {
		t.Errorf("carried out %d times", len(in.invoked))
	}
}

func TestWithoutKeyNothingIsServed(t *testing.T) {
	t.Parallel()
	fake := discordfake.Start(t, discordfake.Config{})
	mux := http.NewServeMux()
	adapter(t, fake, discord.Config{}).Mount(mux, newIntake())
	rec := httptest.NewRecorder()
	mux.ServeHTTP(rec, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/discord/interactions", strings.NewReader("{}")))
	if rec.Code != http.StatusNotFound {
		t.Errorf("status %d", rec.Code)
	}
}

// Several of some choices are a menu of which any number is taken; more than it has
// room for are written.
func TestSeveralOfAList(t *testing.T) {
	t.Parallel()
	w := newWorld(t, discordfake.Config{}, discord.Config{})
	many := bot.Input{ID: "many", Label: "Many", Value: "v7, v25"}
	for i := range 26 {
		many.Several = append(many.Several, bot.Option{Value: fmt.Sprint("v", i), Label: fmt.Sprint("Choice ", i)})
	}
	few := bot.Input{ID: "few", Label: "Few", Value: "c, a", Several: []bot.Option{{Value: "a", Label: "First"}, {Value: "b", Label: "Second"}, {Value: "c", Label: "Third"}}}
	w.in.onAction = func(a bot.Action) (bot.Answer, error) {
		if a.Verb != "accept" {
			return bot.Answer{}, nil
		}
		return bot.Answer{}, w.a.OpenForm(t.Context(), a.Trigger, bot.Form{ID: "f", Verb: "go", Title: "T", Inputs: []bot.Input{few, many}})
	}
	m, id := w.withButton()
	token := w.fake.Click(w.fake.Bob, m.ID, id, "m1:row1:accept")
	w.settle("the form", func() bool { return w.fake.Interaction(token).Kind == 9 })
	raw, err := json.Marshal(w.fake.Interaction(token).Data)
	if err != nil {
		t.Fatal(err)
	}
	if body := string(raw); strings.Count(body, `"default":true`) != 2 || strings.Count(body, `"max_values":3`) != 1 || !strings.Contains(body, `"min_values":0`) || !strings.Contains(body, `"value":"v7, v25"`) {
		t.Errorf("controls: %s", body)
	}
	for given, want := range map[string]string{"b, c": "b, c", "": ""} {
		w.in.mu.Lock()
		before := len(w.in.actions)
		w.in.mu.Unlock()
		w.fake.Submit(w.fake.Bob, m.ID, "m1:f:go", map[string]string{"few": given, "many": "v7"})
		w.in.await(w.ctx, t, "the values", func() bool { return len(w.in.actions) > before })
		if got, there := w.in.actions[before].Values["few"]; !there || got != want || w.in.actions[before].Values["many"] != "v7" {
			t.Errorf("%q came as %+v", given, w.in.actions[before].Values)
		}
	}
}
