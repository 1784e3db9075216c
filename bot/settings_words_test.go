package bot_test

import (
	"strings"
	"testing"

	"maru/bot"
)

// TestSettingsAsPeopleTypeThem: quotation marks, letters of the full width, marks
// between name and value and a missing "set" change nothing about what was meant;
// what was mistyped is answered with what was probably meant, and changes nothing.
func TestSettingsAsPeopleTypeThem(t *testing.T) {
	sequential(t)
	t.Parallel()
	const mention, korean = "`engage` = **mention** (channel)", "`language` = **ko** (channel)"
	for args, want := range map[string]string{
		"set engage=mention":                    mention,
		"set engage = mention":                  mention,
		"set engage =mention":                   mention,
		"set engage: mention":                   mention,
		"set engage->mention":                   mention,
		"set engage → mention":                  mention,
		`set "engage" "mention"`:                mention,
		`set "engage mention"`:                  mention,
		"set “engage” “mention”":                mention,
		"set ‘engage’=‘mention’":                mention,
		"set ＥＮＧＡＧＥ　ｍｅｎｔｉｏｎ":                    mention,
		"engage mention":                        mention,
		"channel engage mention":                mention,
		"engage":                                "`engage` = **follow** (default)",
		"set 언어：한국어":                            "`language` = **ko** (채널)",
		"set “답변 언어” 한국어":                       "`language` = **ko** (채널)",
		"답변 언어 한국어":                             "`language` = **ko** (채널)",
		"set ｃｈａｎｎｅｌ language korean":           korean,
		"set daily_tokens １，０００":                "`daily_tokens` = **1000** (channel)",
		"set quiet_hours=２２：００～０８：００":           "`quiet_hours` = **22:00-08:00** (channel)",
		"set quiet_hours 22:00-08:00":           "`quiet_hours` = **22:00-08:00** (channel)",
		"set persona: a = b: c":                 "**a = b: c**",
		"set persona :) at the end":             "**:) at the end**",
		"set persona １２３":                       "**１２３**",
		"set prompts One | first\nTwo | second": "One | first\nTwo | second",
		"set engage mentoin":                    "Did you mean `mention`?",
		"set engage mnetoin":                    "Did you mean `mention`?",
		"set language enlgihs":                  "Did you mean `en`?",
		"set langauge enlgish":                  "Did you mean `language`?",
		"set langauge=enlgish":                  "There is no setting called `langauge`. Did you mean `language`?",
		"langauge=enlgish":                      "There is no setting called `langauge`. Did you mean `language`?",
		"langauge enlgish":                      "There is no setting called `langauge`. Did you mean `language`?",
		"langauge":                              "There is no setting called `langauge`. Did you mean `language`?",
		"channel langauge ko":                   "There is no setting called `langauge`. Did you mean `language`?",
		"언오=한구거":                                "`언오`라는 설정은 없어요. 혹시 `language`인가요?",
		"foo=bar":                               "There is no setting called `foo`. `/maru settings` lists them all.",
		"chanel language ko":                    "Did you mean `channel`?",
		"set channl langauge enlgish":           "Did you mean `channel`?",
		"workspace":                             "`language` = **auto** (default)",
		"channel 언어 지우기":                        "`language` = **auto** (기본값)",
		"set engage awlays":                     "Did you mean `always`?",
		"set 온제 말할까 부를 때":                       "혹시 `engage`인가요?",
		"set 언어 한국머":                            "혹시 `ko`인가요?",
		"set chanel language ko":                "Did you mean `channel`?",
		"set 체널 언어 한국어":                         "혹시 `channel`인가요?",
		"변겅 채널 언어 한국어":                          "혹시 `set`인가요?",
		"set engage whatever":                   "one of mention, follow, documents, always, never",
		`set "" ko`:                             "There is no setting",
		"set =":                                 "There is no setting",
	} {
		t.Run(args, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, echo)
			who := admin
			if strings.ContainsFunc(args, func(r rune) bool { return r >= '가' && r <= '힣' }) {
				who.Locale = "ko"
			}
			card, err := w.bot.Command(w.ctx, bot.Invocation{Name: "settings", Args: args, Thread: w.platform.Thread("C1", ""), User: who, ID: "i1"})
			if err != nil || card == nil || !strings.Contains(card.Text, want) {
				t.Fatalf("%v: %+v, want %q", err, card, want)
			}
			log, err := w.store.AuditLog(w.ctx, "fake/T1", 0, 10)
			if err != nil {
				t.Fatal(err)
			}
			if changed := strings.Contains(card.Title, "changed") || strings.Contains(card.Title, "바꿨"); changed != (len(log) > 0) {
				t.Errorf("audit log %+v", log)
			}
		})
	}
}
