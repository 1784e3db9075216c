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
	"maru/bot/bottest"
	"maru/bot/service"
)

var (
	admin  = bot.User{ID: "UA", Name: "Ada", Locale: "en", Admin: true}
	member = bot.User{ID: "UM", Name: "Min", Locale: "en"}
	guest  = bot.User{ID: "UG", Name: "Gus", Locale: "en", Guest: true}
)

// TestWhoMaySet is the matrix of people, levels and keys.
func TestWhoMaySet(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name string
		who  bot.User
		in   string // "", "thread" or "direct"
		args string
		want string // part of the answer
	}{
		{"admin_workspace", admin, "", "set workspace language ko", "`language` = **ko** (workspace)"},
		{"admin_channel_by_default", admin, "", "set language ko", "(channel)"},
		{"admin_in_korean", admin, "", "set 워크스페이스 engage mention", "`engage` = **mention** (워크스페이스)"},
		{"number", admin, "", "set daily_tokens 1,000", "`daily_tokens` = **1000** (channel)"},
		{"switch", admin, "", "set react on", "`react` = **On** (channel)"},
		{"text_keeps_its_words", admin, "", "set persona speak like a pirate", "**speak like a pirate**"},
		{"member_for_themselves", member, "", "set language ko", "(me)"},
		{"member_thread", member, "thread", "set thread engage mention", "(thread)"},
		{"member_not_channel", member, "", "set channel language ko", "You don't have permission to do this. Ask an admin"},
		{"member_not_workspace", member, "", "set workspace agent chat", "You don't have permission to do this. Ask an admin"},
		{"member_not_agent", member, "", "set agent chat", "You don't have permission to do this"},
		{"guest_nothing", guest, "", "set me language ko", "You don't have permission to do this. Ask a full member"},
		{"owner_of_a_direct_talk", member, "direct", "set channel agent chat", "`agent` = **chat** (channel)"},
		{"not_for_a_person", admin, "", "set me engage never", "`engage` can't be set at this level (me). It can be set for: workspace, channel, thread."},
		{"unknown_key", admin, "", "set langage ko", "Did you mean `language`?"},
		{"wrong_choice", admin, "", "set language fr", "one of auto, en, ko"},
		{"wrong_agent", admin, "", "set agent nobody", "one of chat"},
		{"wrong_number", admin, "", "set daily_tokens lots", "a whole number"},
		{"quotes_go", admin, "", "set persona \"speak like a pirate\"", "**speak like a pirate**"},
		{"curly_quotes_go", admin, "", "set persona “speak like a pirate”", "**speak like a pirate**"},
		{"quotes_within_stay", admin, "", "set persona \"yes\" or \"no\"", "**\"yes\" or \"no\"**"},
		{"action_in_korean", admin, "", "변경 채널 language ko", "`language` = **ko** (채널)"},
		{"unknown_action", admin, "", "explode", "There is no setting called `explode`."},
		{"only_for_the_workspace", admin, "", "on_leave purge", "`on_leave` = **purge** (workspace)"},
		{"only_for_the_workspace_by_a_member", member, "", "on_leave purge", "You don't have permission to do this. Ask an admin"},
		{"shown", guest, "", "", "`agent` = **chat** (default)"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, echo)
			thread := w.platform.Thread("C1", "")
			switch c.in {
			case "thread":
				thread.ID = "root"
			case "direct":
				thread.Direct = true
			}
			card, err := w.bot.Command(w.ctx, bot.Invocation{Name: "settings", Args: c.args, Thread: thread, User: c.who, ID: "i1"})
			if err != nil || card == nil || !strings.Contains(card.Text, c.want) {
				t.Fatalf("%v: %+v, want %q", err, card, c.want)
			}
		})
	}
}

// TestSettingsHold checks that a change reaches the next message, that clearing
// brings the wider value back, and that both are in the audit log.
func TestSettingsHold(t *testing.T) {
	t.Parallel()
	w := newWorld(t, echo)
	thread := w.platform.Thread("C1", "root")
	set := func(args string) string {
		card, err := w.bot.Command(w.ctx, bot.Invocation{Name: "settings", Args: args, Thread: thread, User: admin, ID: args})
		if err != nil {
			t.Fatal(err)
		}
		return card.Text
	}
	set("set workspace persona one")
	set("set channel persona two")
	if text := set("set workspace persona three"); !strings.Contains(text, "a more specific setting overrides") {
		t.Errorf("nothing is said about the narrower setting: %q", text)
	}
	w.say("hello", thread)
	w.replies(thread, 1)
	set("clear channel persona")
	w.say("hello", thread)
	w.replies(thread, 2)
	runs := w.agent.asked()
	if len(runs) != 2 || runs[0].Persona != "two" || runs[1].Persona != "three" {
		t.Errorf("runs had %+v", runs)
	}
	log, err := w.store.AuditLog(w.ctx, thread.TeamKey(), 0, 10)
	if err != nil {
		t.Fatal(err)
	}
	if len(log) != 4 || log[0].Who != admin.ID || !strings.Contains(string(log[2].Detail), `"before":"one"`) || log[3].What != "setting.remove" {
		t.Errorf("audit log %+v", log)
	}
}

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

// TestGuests checks what guests and people of other workspaces may do, by the
// setting of the place.
func TestGuests(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		guests, scopes, answer, reset string
	}{
		{"", "public", "hello", "Ask a full member"},
		{"none", "", "Ask a full member", "Ask a full member"},
		{"member", "public channel:fake/T1/C1 team:fake/T1", "hello", "I've forgotten"},
	} {
		t.Run("guests_"+c.guests, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, echo)
			thread := w.platform.Thread("C1", "root")
			if c.guests != "" {
				if _, err := w.bot.Command(w.ctx, bot.Invocation{Name: "settings", Args: "set channel guests " + c.guests, Thread: thread, User: admin, ID: "i"}); err != nil {
					t.Fatal(err)
				}
			}
			m := w.platform.Message("UG", "hello", thread)
			m.User = guest
			w.deliver(m)
			if got := w.replies(thread, 1)[0].Card.Text; !strings.Contains(got, c.answer) {
				t.Errorf("answer %q, want %q", got, c.answer)
			}
			scopes := ""
			for _, r := range w.agent.asked() {
				scopes = strings.Join(r.Scopes, " ")
			}
			if scopes != c.scopes {
				t.Errorf("a guest reads %q, want %q", scopes, c.scopes)
			}
			card, err := w.bot.Command(w.ctx, bot.Invocation{Name: "reset", Thread: thread, User: guest, ID: "r"})
			if err != nil || !strings.Contains(card.Text, c.reset) {
				t.Errorf("%v: reset says %+v, want %q", err, card, c.reset)
			}
		})
	}
}

// TestPrivateWordsAreInThePlacesLanguage gives commands as somebody whose locale
// is not known, in a place that has chosen Korean.
func TestPrivateWordsAreInThePlacesLanguage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, spending(30))
	thread := w.platform.Thread("C1", "root")
	w.order(bot.Invocation{Name: "settings", Args: "set workspace language ko", Thread: thread, User: admin})
	w.say("hello", thread)
	w.replies(thread, 1)
	w.settled()
	for name, want := range map[string]string{"why": "마지막 답의 과정", "status": "지금 상태", "help": "저는 **마루**예요", "docs": "아직 문서가 없어요"} {
		for _, in := range []bot.Thread{thread, w.platform.Thread("C1", "")} {
			if got := w.order(bot.Invocation{Name: name, Thread: in, User: bot.User{ID: "U1"}}); !strings.Contains(got, want) {
				t.Errorf("%s says %s, want %q", name, got, want)
			}
		}
	}
}

// channelAnswerer is a platform whose operator wants answers in the channel.
type channelAnswerer struct{ bot.Adapter }

func (channelAnswerer) Facts() bot.Facts { return bot.Facts{AnswersInChannel: true} }

// TestReplyInThreadIsThePlatforms: what one platform does where nobody has chosen
// is not shown of another.
func TestReplyInThreadIsThePlatforms(t *testing.T) {
	t.Parallel()
	for want, wrap := range map[string]func(*bottest.Platform) bot.Adapter{
		"`reply_in_thread` = **On** (default)":  func(p *bottest.Platform) bot.Adapter { return p },
		"`reply_in_thread` = **Off** (default)": func(p *bottest.Platform) bot.Adapter { return channelAnswerer{p} },
	} {
		w := newWorld(t, nil)
		w.stop()
		w.change = func(c *service.Config) { c.Adapters = []bot.Adapter{wrap(w.platform)} }
		w.start()
		got := w.order(bot.Invocation{Name: "settings", Args: "show reply_in_thread", Thread: w.platform.Thread("C1", ""), User: bot.User{ID: "U1"}})
		if !strings.Contains(got, want) {
			t.Errorf("settings say %q, want %q", got, want)
		}
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

// TestGuestsWhoAreAsMembersAre: where the place treats guests as members, they make
// the settings that members make, by command and form, and no others.
func TestGuestsWhoAreAsMembersAre(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	in := w.platform.Thread("C1", "root")
	stranger := bot.User{ID: "UX", External: true}
	given := func(who bot.User, args, want string) {
		t.Helper()
		if got := w.order(bot.Invocation{Name: "settings", Args: args, Thread: in, User: who}); !strings.Contains(got, want) {
			t.Errorf("%s says %q, want %q", args, got, want)
		}
	}
	form := func() bot.Answer {
		ans, err := w.bot.Action(w.ctx, bot.Action{ID: "settings", Verb: "edit.person", Thread: in, User: stranger})
		if err != nil {
			t.Fatal(err)
		}
		return ans
	}
	given(stranger, "set me language en", "Ask a full member")
	if form().Form != nil {
		t.Error("a stranger is given a form")
	}
	given(admin, "set workspace guests member", "`guests` = **member** (workspace)")
	given(stranger, "set me language en", "`language` = **en** (me)")
	given(stranger, "set thread engage mention", "`engage` = **mention** (thread)")
	given(stranger, "set channel language en", "Ask an admin")
	if form().Form == nil {
		t.Error("who is as a member is has no form")
	}
}

// TestAWiderPlaceMayBeStricter: what a person sets for themselves and does not count,
// since the place keeps things for shorter, is stored, and said to be so.
func TestAWiderPlaceMayBeStricter(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	in := w.platform.Thread("C1", "")
	for _, c := range []struct {
		who        bot.User
		args, want string
	}{
		{admin, "set channel retention 3d", "`retention` = **3 days** (channel)"},
		{member, "set me retention 30d", "`retention` = **3 days** (channel)\nSaved (me), but a stricter setting (channel) applies here."},
		{member, "set me retention 1d", "`retention` = **1 day** (me)"},
	} {
		if got := w.order(bot.Invocation{Name: "settings", Args: c.args, Thread: in, User: c.who}); !strings.Contains(got, c.want) {
			t.Errorf("%s says %q, want %q", c.args, got, c.want)
		}
	}
}
