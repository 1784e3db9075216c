package bot_test

import (
	"strings"
	"testing"

	"maru/bot"
	"maru/bot/bottest"
	"maru/bot/service"
)

// TestCommandsForgive: a word in Korean is understood, a slip of the finger is
// told, and what is missing is named, in the language that somebody writes.
func TestCommandsForgive(t *testing.T) {
	t.Parallel()
	w := newWorld(t, echo)
	thread := w.platform.Thread("C1", "root")
	for name, c := range map[string]struct{ command, args, want, not string }{
		"korean_action":           {"문서", "목록", "문서", "모르는 명령"},
		"korean_removal":          {"문서", "삭제 없는문서", "이 채널에는 `없는문서`라는 문서가 없어요", "모르는 명령"},
		"korean_tools":            {"도구", "목록", "도구", "모르는 명령"},
		"korean_approvers":        {"승인자", "보기", "누가 결정하나요", "모르는 명령"},
		"korean_name_sets_tongue": {"도움말", "", "저는 **마루**", "I am"},
		"korean_slip":             {"설점", "", "혹시 `/maru 설정`인가요?", ""},
		"korean_slip_of_two":      {"도움멀", "", "혹시 `/maru 도움`인가요?", ""},
		"slip":                    {"setings", "", "Did you mean `/maru settings`?", ""},
		"other_names_slip":        {"documets", "", "Did you mean `/maru documents`?", ""},
		"nothing_near":            {"frobnicate", "", "I don't know that command", "mean"},
		"perhaps_a_question":      {"wherever", "is the handbook?", "If it was a question, put `/maru ask` before it", "mean"},
		"actions_slip":            {"docs", "lst", "Did you mean `list`? `/maru docs list|remove|share|unshare`", ""},
		"forgets_slip":            {"forget", "al", "Did you mean `all`?", ""},
		"no_document_named":       {"docs", "remove", "Say which document", ""},
		"quoted_document":         {"docs", `remove "my plan.md"`, "called `my plan.md`", ""},
		"one_setting":             {"settings", "show language", "`language` = **auto**", "`agent`"},
		"one_setting_slip":        {"settings", "show languge", "Did you mean `language`?", ""},
		"settings_action_slip":    {"settings", "sett language ko", "Did you mean `set`?", ""},
		"rejecting_nothing":       {"reject", "", "Nothing is waiting", ""},
		"approving_nothing":       {"승인", "", "기다리는 것이 없어요", ""},
		"no_such_setting":         {"settings", "set frobnication good", "There is no setting called `frobnication`. `/maru settings` lists them all", "KEY"},
		"a_settings_beginning":    {"settings", "set temper 1", "Did you mean `temperature`?", ""},
		"what_a_choice_means":     {"settings", "show engage", "`engage` = **follow** (default) — When to speak · When addressed, and in threads", ""},
		"what_a_setting_takes":    {"settings", "show engage", "- `always` — To every message", ""},
		"what_hours_it_takes":     {"settings", "show quiet_hours", "Use hours such as 22:00-08:00, or off.", ""},
		"nothing_is_not_none":     {"settings", "show retention", "`retention` = **Forever**", "**none**"},
		"clearing_nothing":        {"settings", "clear quiet_hours", "It wasn't set there (channel)", "Setting changed"},
		"agents_say_what_they_do": {"agent", "", "- `chat` — answers from the documents and uses tools ← current", ""},
		"a_name_approves_nothing": {"approvers", "add @min", "A name alone isn't enough to tell who you mean", ""},
	} {
		t.Run(name, func(t *testing.T) {
			said := w.order(bot.Invocation{Name: c.command, Args: c.args, Thread: thread, User: admin})
			if !strings.Contains(said, c.want) || c.not != "" && strings.Contains(said, c.not) {
				t.Errorf("/maru %s %s says %q, want %q and not %q", c.command, c.args, said, c.want, c.not)
			}
		})
	}
}

// TestSettingsInPeoplesWords: a setting and its value may be named as people call
// them in either language, whatever language the answer is in; what is shown and
// stored is its own name.
func TestSettingsInPeoplesWords(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ command, args, want, key, stored string }{
		"korean":                {"설정", "설정 언어 한국어", "`language` = **ko** (채널)", "language", `"ko"`},
		"korean_place":          {"설정", "변경 워크스페이스 답변 언어 영어", "`language` = **en** (", "language", `"en"`},
		"korean_in_english":     {"settings", "set 조용한 시간 22:00-08:00", "`quiet_hours` = **22:00-08:00** (채널)", "quiet_hours", `"22:00-08:00"`},
		"english_label":         {"settings", "set language Korean", "`language` = **ko**", "language", `"ko"`},
		"agent":                 {"agent", "채팅", "`agent` = **chat**", "agent", `"chat"`},
		"slip_of_a_setting":     {"설정", "설정 언아 한국어", "혹시 `language`인가요?", "", ""},
		"slip_of_a_value":       {"설정", "설정 언어 한국아", "혹시 `ko`인가요?", "", ""},
		"slip_of_english_value": {"settings", "set engage alwyas", "Did you mean `always`?", "", ""},
		"shown":                 {"설정", "보기 보관 기간", "`retention` = ", "", ""},
		"cleared":               {"설정", "해제 언어", "바뀐 것이 없어요", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, echo)
			thread := w.platform.Thread("C1", "root")
			said := w.order(bot.Invocation{Name: c.command, Args: c.args, Thread: thread, User: admin})
			if !strings.Contains(said, c.want) {
				t.Errorf("/maru %s %s says %q, want %q", c.command, c.args, said, c.want)
			}
			set, err := w.store.SettingsOf(w.ctx, []string{thread.TeamKey(), thread.TeamKey() + "/C1"})
			if err != nil || len(set) > 1 || (len(set) == 1) != (c.key != "") {
				t.Fatalf("stored %+v, %v", set, err)
			}
			if c.key != "" && (set[0].Key != c.key || string(set[0].Value) != c.stored) {
				t.Errorf("stored %s = %s, want %s = %s", set[0].Key, set[0].Value, c.key, c.stored)
			}
		})
	}
}

// adminCommander is a platform on which admins have a command of their own.
type adminCommander struct{ bot.Adapter }

func (adminCommander) Facts() bot.Facts { return bot.Facts{AdminCommand: "/maru-admin"} }

// TestCommandsAreShownAsTheyAreGiven: where admins have a command of their own, help
// and hints name that one for what is theirs.
func TestCommandsAreShownAsTheyAreGiven(t *testing.T) {
	t.Parallel()
	for root, wrap := range map[string]func(*bottest.Platform) bot.Adapter{
		"/maru":       func(p *bottest.Platform) bot.Adapter { return p },
		"/maru-admin": func(p *bottest.Platform) bot.Adapter { return adminCommander{p} },
	} {
		w := newWorld(t, nil)
		w.stop()
		w.change = func(c *service.Config) { c.Adapters = []bot.Adapter{wrap(w.platform)} }
		w.start()
		for _, c := range []struct{ name, args, want string }{
			{"help", "", "- `/maru settings` "},
			{"help", "", "- `" + root + " doctor` — "},
			{"audit", "", "`" + root + " audit verify`"},
			{"audit", "since:soon", "`" + root + " audit who:ID"},
		} {
			if got := w.order(bot.Invocation{Name: c.name, Args: c.args, Thread: w.platform.Thread("C1", ""), User: admin}); !strings.Contains(got, c.want) {
				t.Errorf("%s %s says %q, want %q", c.name, c.args, got, c.want)
			}
		}
	}
}
