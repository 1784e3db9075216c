package bot_test

import (
	"strings"
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
