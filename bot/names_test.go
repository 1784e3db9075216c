package bot_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"maru/bot"
	"maru/bot/service"
	"maru/rag"
)

// picking is a platform with a menu of people, and one that knows their names.
type picking struct{ bot.Adapter }

func (picking) Picks(_ bot.Thread, id string) bool { return strings.HasPrefix(id, "U") }

func (picking) IsID(id string) bool { return strings.HasPrefix(id, "U") || strings.HasPrefix(id, "S") }

func (picking) Groups(context.Context, bot.Thread) []bot.Option {
	return []bot.Option{{Value: "S1", Label: "@leads"}}
}

func (picking) NameOf(_ context.Context, _ bot.Thread, id string) string {
	return map[string]string{"U2": "Min*su", "S1": "@leads", "U9": "Bo"}[id]
}

// newPicking returns a world on such a platform.
func newPicking(t *testing.T) *world {
	t.Helper()
	w := newWorld(t, echo)
	w.stop()
	w.change = func(c *service.Config) { c.Adapters = []bot.Adapter{picking{w.platform}} }
	w.start()
	return w
}

// TestApproversAreChosenInAMenu: people in the platform's own, what it has not in a
// list beside it, and nothing that is set gets lost by saving.
func TestApproversAreChosenInAMenu(t *testing.T) {
	t.Parallel()
	w := newPicking(t)
	thread := w.platform.Thread("C1", "")
	order := func(args string) string {
		return w.order(bot.Invocation{Name: "approvers", Args: args, Thread: thread, User: admin})
	}
	act := func(verb string, values map[string]string) bot.Answer {
		ans, err := w.bot.Action(w.ctx, bot.Action{ID: "settings", Verb: verb, Thread: thread, User: admin, Values: values})
		if err != nil {
			t.Fatal(err)
		}
		return ans
	}
	field := func(id string) bot.Input {
		form := act("edit", nil).Form
		i := slices.IndexFunc(form.Inputs, func(in bot.Input) bool { return in.ID == id })
		if i < 0 {
			t.Fatalf("no field %s", id)
		}
		return form.Inputs[i]
	}
	order("set U2 @admins slack/T9/U1")
	people, other := field("approvers"), field("approvers_other")
	var offered []string
	for _, o := range other.Several {
		offered = append(offered, o.Value)
	}
	if !people.Pick || people.Value != "U2" || other.Value != "@admins, slack/T9/U1" || !slices.Equal(offered, []string{"@admins", "S1", "slack/T9/U1"}) {
		t.Fatalf("people %+v, others %+v", people, other)
	}
	for _, step := range []struct{ people, other, holds string }{
		{"U2", "slack/T9/U1, @admins", "the person who asked, Min·su (`U2`), all admins (`@admins`), `slack/T9/U1`"}, // as it was
		{"U3, U2", "S1", "the person who asked, `U3`, Min·su (`U2`), @leads (`S1`)"},
		{"", "", "the person who asked (channel)"},
	} {
		if ans := act("save.channel", map[string]string{"approvers": step.people, "approvers_other": step.other}); ans.Card == nil {
			t.Errorf("%+v: %+v", step, ans)
		}
		if said := order("show"); !strings.Contains(said, step.holds) {
			t.Errorf("after %+v: %s", step, said)
		}
	}
	var many []string
	for i := range 26 { // more than a menu takes: they are typed, and none is lost
		many = append(many, "U"+strings.Repeat("A", i+1))
	}
	order("set " + strings.Join(many, " "))
	if in := field("approvers"); in.Pick || len(in.Values()) != 26 {
		t.Errorf("26 people: %+v", in)
	}
}

// TestTagsAreChosenInAMenu: those of the documents that can be read here, and one
// that is set and no document has any more.
func TestTagsAreChosenInAMenu(t *testing.T) {
	t.Parallel()
	w := newPicking(t)
	thread := w.platform.Thread("C1", "")
	w.shelf.docs = []rag.Document{{ID: "a", Scope: bot.ScopePublic, Tags: []string{"sales", "hr"}}, {ID: "b", Scope: bot.ScopePublic, Tags: []string{"hr"}}, {ID: "c", Scope: "channel:elsewhere", Tags: []string{"secret"}}}
	w.order(bot.Invocation{Name: "settings", Args: "set doc_tags old", Thread: thread, User: admin})
	ans, err := w.bot.Action(w.ctx, bot.Action{ID: "settings", Verb: "edit", Thread: thread, User: admin})
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(ans.Form.Inputs, func(in bot.Input) bool { return in.ID == "doc_tags" })
	var offered []string
	for _, o := range ans.Form.Inputs[i].Several {
		offered = append(offered, o.Value)
	}
	if !slices.Equal(offered, []string{"hr", "sales", "old"}) {
		t.Errorf("offered %v", offered)
	}
}

// TestAuditTellsWhoAndWhat: who by name and id, and a setting as what it was and is.
func TestAuditTellsWhoAndWhat(t *testing.T) {
	t.Parallel()
	w := newPicking(t)
	thread := w.platform.Thread("C1", "")
	do := func(name, args, locale string) string {
		return w.order(bot.Invocation{Name: name, Args: args, Thread: thread, User: bot.User{ID: "U9", Admin: true, Locale: locale}})
	}
	do("settings", "set engage always", "en")
	do("settings", "set engage never", "en")
	do("settings", "set tools_off", "en")
	do("settings", "clear engage", "en")
	for locale, wants := range map[string][]string{
		"en": {
			"Bo (`U9`) · changed “When to speak” from “To every message” to “Never” for C1 · `setting.set`", "from not set to “To every message”",
			"Bo (`U9`) · cleared “When to speak” for C1; it was “Never” · `setting.remove`", "changed “Tools not used here” from not set to nothing for C1",
		},
		"ko": {"Bo (`U9`) · C1에서 “언제 말할지” 설정을 없음에서 “모든 메시지에”로 바꿨어요 · `setting.set`"},
	} {
		said := do("audit", "", locale)
		for _, want := range wants {
			if !strings.Contains(said, want) {
				t.Errorf("%s: lacks %q:\n%s", locale, want, said)
			}
		}
	}
}

// TestANameIsNoApprover: on a platform whose ids have a form, a name without one would
// be waited for in vain; whoever writes it is told how to name people, and nothing is set.
func TestANameIsNoApprover(t *testing.T) {
	t.Parallel()
	w := newPicking(t)
	thread := w.platform.Thread("C1", "")
	order := func(name, args string) string {
		return w.order(bot.Invocation{Name: name, Args: args, Thread: thread, User: admin})
	}
	const hint = "No user, role or group here has the ID"
	order("approvers", "set U2")
	for _, c := range []struct{ command, args, want string }{
		{"approvers", "set bob", hint + " `bob`"},
		{"approvers", "add S1 bob", hint + " `bob`"},
		{"settings", "set channel approvers U3 민수", hint + " `민수`"},
		{"approvers", "show", "the person who asked, Min·su (`U2`) (channel)"},
		{"approvers", "set U2 S1 slack/T9/U1 @admins", "`slack/T9/U1`, all admins"},
	} {
		if said := order(c.command, c.args); !strings.Contains(said, c.want) {
			t.Errorf("/maru %s %s says %q, want %q", c.command, c.args, said, c.want)
		}
	}
	ans, err := w.bot.Action(w.ctx, bot.Action{ID: "settings", Verb: "save.channel", Thread: thread, User: admin, Values: map[string]string{"approvers": "U2", "approvers_other": "bob"}})
	if err != nil || !strings.Contains(ans.Errors["approvers"], hint) {
		t.Errorf("a form with a name: %+v, %v", ans, err)
	}
}
