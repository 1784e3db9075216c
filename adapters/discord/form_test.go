package discord_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"maru/adapters/discord"
	"maru/adapters/discord/discordfake"
	"maru/bot"
)

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
	w := newWorld(t, discordfake.Config{}, discord.Config{AnswerWithin: time.Millisecond})
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
		return bot.Answer{Form: &bot.Form{ID: "f", Verb: "go", Title: "T", Inputs: []bot.Input{few, many}}}, nil
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
