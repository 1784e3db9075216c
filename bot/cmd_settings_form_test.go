package bot_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"maru/bot"
)

// TestSettingsForm walks through the form: what did not change stays, one bad
// field keeps all from being saved, rights are checked when it is sent.
func TestSettingsForm(t *testing.T) {
	t.Parallel()
	w := newWorld(t, echo)
	thread := w.platform.Thread("C1", "")
	act := func(who bot.User, verb string, values map[string]string) bot.Answer {
		ans, err := w.bot.Action(w.ctx, bot.Action{ID: "settings", Verb: verb, Thread: thread, User: who, Values: values})
		if err != nil {
			t.Fatal(err)
		}
		return ans
	}
	form := act(admin, "edit", nil).Form
	if form == nil {
		t.Fatal("no form")
	}
	values := map[string]string{}
	for _, in := range form.Inputs {
		values[in.ID] = in.Value
	}
	if ans := act(admin, form.Verb, values); ans.Card == nil || !strings.Contains(ans.Card.Text, "No changes") {
		t.Errorf("an unchanged form: %+v", ans)
	}
	values["language"], values["daily_tokens"] = "ko", "-1"
	if ans := act(admin, form.Verb, values); ans.Errors["daily_tokens"] == "" || ans.Errors["language"] != "" {
		t.Errorf("field errors %+v", ans.Errors)
	}
	few := map[string]string{"daily_tokens": "-1", "temperature": "0.5"}
	ans := act(admin, form.Verb, few)
	typed := map[string]string{}
	for _, in := range ans.Form.Inputs {
		typed[in.ID] = in.Value
	}
	if !maps.Equal(typed, few) || ans.Form.Verb != form.Verb {
		t.Errorf("the form to correct is %+v", ans.Form)
	}
	values["daily_tokens"] = "500"
	if ans := act(member, form.Verb, values); ans.Card == nil || !strings.Contains(ans.Card.Text, "You don't have permission") {
		t.Errorf("a member saved an admin's form: %+v", ans)
	}
	if ans := act(admin, form.Verb, values); ans.Card == nil || !strings.Contains(ans.Card.Text, "`language`, `daily_tokens`") {
		t.Errorf("saved %+v", ans)
	}
	if ans := act(admin, act(admin, "edit", nil).Form.Verb, map[string]string{"language": "", "engage": ""}); ans.Card == nil || !strings.Contains(ans.Card.Text, ": `language`") || strings.Contains(ans.Card.Text, "engage") {
		t.Errorf("an emptied field: %+v", ans.Card) // of the two only the language was set here
	}
	if got := w.order(bot.Invocation{Name: "settings", Thread: thread, User: admin}); !strings.Contains(got, "`language` = **auto** (default)") {
		t.Errorf("an emptied field leaves %s", got)
	}
	if ans := act(admin, "edit.channel.nothing", nil); ans.Form != nil || ans.Card == nil {
		t.Errorf("a forged group: %+v", ans)
	}
	if f := act(admin, "edit.channel.keeping", nil).Form; f == nil || len(f.Inputs) != 3 || !strings.HasPrefix(f.Verb, "save.channel.") {
		t.Errorf("a group's form: %+v", f)
	}
	for key, value := range map[string]string{"temperature": "0.75", "daily_cost": "1000000"} {
		if ans := act(admin, "save.channel", map[string]string{key: value}); ans.Errors != nil {
			t.Fatalf("%s of %s: %v", key, value, ans.Errors)
		}
		for _, in := range act(admin, "edit.channel", nil).Form.Inputs {
			if in.ID == key && (in.Value != value || in.Max != 0 && in.Max < len(value)) {
				t.Errorf("the form has no room for %s of %s: %+v", key, value, in)
			}
		}
	}
	if ans := act(admin, "save.nowhere", map[string]string{"language": "fr"}); len(ans.Errors) != 1 {
		t.Errorf("a forged level: %+v", ans)
	}
	if ans := act(guest, "edit", nil); ans.Form != nil {
		t.Error("a guest got the form")
	}
}

// TestTwoPeopleWithOneSettingsForm: of forms that were open at once each stores the fields that its person changed. A field
// that another one changed meanwhile is shown with both values; only saving again overwrites it.
func TestTwoPeopleWithOneSettingsForm(t *testing.T) {
	t.Parallel()
	w := newPicking(t)
	thread := w.platform.Thread("C1", "")
	act := func(verb string, values map[string]string) bot.Answer {
		t.Helper()
		ans, err := w.bot.Action(w.ctx, bot.Action{ID: "settings", Verb: verb, Thread: thread, User: bot.User{ID: "U9", Admin: true}, Values: values})
		if err != nil {
			t.Fatal(err)
		}
		return ans
	}
	filled := func(f *bot.Form, change map[string]string) map[string]string {
		values := map[string]string{}
		for _, in := range f.Inputs {
			values[in.ID] = in.Value
		}
		maps.Copy(values, change)
		return values
	}
	holds := func(want map[string]string) {
		t.Helper()
		is := filled(act("edit.channel", nil).Form, nil)
		for key, value := range want {
			if is[key] != value {
				t.Errorf("%s is %q, want %q", key, is[key], value)
			}
		}
	}
	opened := act("edit.channel", nil).Form
	mine := []map[string]string{{"persona": "plain"}, {"temperature": "0.5"}, {"react": "on"}, {"approvers": "U2", "approvers_other": "@admins"}, {"daily_tokens": "500"}, {"doc_tags": "hr"}}
	var all sync.WaitGroup
	want := map[string]string{}
	for _, change := range mine {
		maps.Copy(want, change)
		all.Go(func() {
			if ans := act(opened.Verb, filled(opened, change)); ans.Card == nil || len(ans.Errors) > 0 {
				t.Errorf("saving %v: %+v", change, ans)
			}
		})
	}
	all.Wait()
	holds(want)
	late := act(opened.Verb, filled(opened, map[string]string{"persona": "kind", "engage": "always"}))
	if len(late.Errors) != 1 || !strings.Contains(late.Errors["persona"], "Changed to plain") || late.Form == nil {
		t.Fatalf("a field that was changed meanwhile: %+v", late)
	}
	again := filled(late.Form, nil)
	if again["persona"] != "kind" || again["engage"] != "always" || again["temperature"] != "0.5" || again["approvers"] != "U2" {
		t.Errorf("the form shows %v", again)
	}
	holds(want)
	if ans := act(late.Form.Verb, again); ans.Card == nil || !strings.Contains(ans.Card.Text, "`persona`") || !strings.Contains(ans.Card.Text, "`engage`") || strings.Count(ans.Card.Text, "`") != 4 {
		t.Errorf("saved again: %+v", ans.Card)
	}
	want["persona"], want["engage"] = "kind", "always"
	holds(want)
	same := act("edit.channel", nil).Form
	clashes := atomic.Int64{}
	for n := range 8 { // of eight values for one field one is stored, and seven people are told
		all.Go(func() {
			if ans := act(same.Verb, filled(same, map[string]string{"persona": fmt.Sprint("voice ", n)})); len(ans.Errors) > 0 {
				clashes.Add(1)
			}
		})
	}
	all.Wait()
	if clashes.Load() != 7 {
		t.Errorf("%d of 8 were told", clashes.Load())
	}
}

// TestListsInForms: what there is to choose from is offered, with what is set; the
// order in which a menu gives it back changes nothing, none of it clears the list,
// and what is not offered is refused in the form.
func TestListsInForms(t *testing.T) {
	t.Parallel()
	w := newWorld(t, echo)
	thread := w.platform.Thread("C1", "")
	order := func(args string) string {
		return w.order(bot.Invocation{Name: "settings", Args: args, Thread: thread, User: admin})
	}
	act := func(verb string, values map[string]string) bot.Answer {
		ans, err := w.bot.Action(w.ctx, bot.Action{ID: "settings", Verb: verb, Thread: thread, User: admin, Values: values})
		if err != nil {
			t.Fatal(err)
		}
		return ans
	}
	order("set doc_scopes workspace, public")
	form := act("edit", nil).Form
	var scopes bot.Input
	for _, in := range form.Inputs {
		if in.ID == "doc_scopes" {
			scopes = in
		}
		if (in.ID == "approvers" || in.ID == "doc_tags" || in.ID == "language") && len(in.Several) > 0 {
			t.Errorf("%s offers %+v", in.ID, in.Several)
		}
	}
	var offered []string
	for _, o := range scopes.Several {
		offered = append(offered, o.Value)
		if o.Label == o.Value {
			t.Errorf("the choice %s says what it is by its name alone", o.Value)
		}
	}
	if !slices.Equal(offered, []string{"public", "channel", "workspace"}) || len(scopes.Options) > 0 || !slices.Equal(scopes.Values(), []string{"workspace", "public"}) {
		t.Fatalf("doc_scopes: %+v", scopes)
	}
	for _, step := range []struct{ value, said, holds string }{
		{"public, workspace", "No changes", "**workspace, public**"},
		{"channel", "Saved", "`doc_scopes` = **channel**"},
		{"channel, moon", "", "`doc_scopes` = **channel**"},
		{"", "Saved", "`doc_scopes` = **—**"},
	} {
		ans := act(act("edit", nil).Form.Verb, map[string]string{"doc_scopes": step.value})
		if step.said == "" {
			if !strings.Contains(ans.Errors["doc_scopes"], "public") {
				t.Errorf("%q: %+v", step.value, ans)
			}
		} else if ans.Card == nil || !strings.Contains(ans.Card.Text, step.said) {
			t.Errorf("%q: %+v", step.value, ans)
		}
		if got := order("show doc_scopes"); !strings.Contains(got, step.holds) {
			t.Errorf("after %q: %s", step.value, got)
		}
	}
}
