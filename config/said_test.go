package config_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"maru/config"
	"maru/phrase"
)

// offers are a program's agents, models and tools.
var offers = config.Offers{
	Agents: []string{"autonomous", "chat", "contract", "guide", "orchestrator"}, Models: []string{"small", "large"}, Tools: []string{"web_search", "python"},
}

// TestSettingsAreNamedInEitherLanguage: what people type, and which setting of what
// value it is.
func TestSettingsAreNamedInEitherLanguage(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]string{
		"언어 한국어":                  `language "ko"`,
		"답변 언어 영어":                `language "en"`,
		"답변언어 알아서":                `language "auto"`,
		"Language Korean":         `language "ko"`,
		"LANGUAGE ko":             `language "ko"`,
		"answer language English": `language "en"`,
		"언제 말할지 항상":               `engage "always"`,
		"engage 부를 때만":            `engage "mention"`,
		"조용한 시간 22:00-08:00":      `quiet_hours "22:00-08:00"`,
		"quiet hours off":         `quiet_hours "off"`,
		"조용한 시간 끄기":               `quiet_hours "off"`,
		"보관 기간 30일":               `retention "720h0m0s"`,
		"retention 30 days":       `retention "720h0m0s"`,
		"보관 영구":                   `retention "0s"`,
		"예산 무제한":                  `daily_cost 0`,
		"하루 토큰 한도 200,000":        `daily_tokens 200000`,
		"하루 토큰 한도 20만":            `daily_tokens 200000`,
		"daily tokens 1.5m":       `daily_tokens 1500000`,
		"run_tokens 10k":          `run_tokens 10000`,
		"run_tokens 16.1k":        `run_tokens 16100`,
		"run_tokens 32.3k":        `run_tokens 32300`,
		"run_tokens 0.1만":         `run_tokens 1000`,
		"run_tokens 1.5 million":  `run_tokens 1500000`,
		"run_tokens 1.2345k":      `run_tokens error`,
		"person_cost 1천":          `person_cost 1000`,
		"person_cost 1,500.5":     `person_cost 1500.5`,
		"daily tokens 3 apples":   `daily_tokens error`,
		"기억 끄기":                   `memory false`,
		"기억 공유 켜기":                `memory_share true`,
		"memory yes":              `memory true`,
		"에이전트 계약서":                `agent "contract"`,
		"agent 답하는":               `agent error`,
		"agent 문서에서 찾아 답하고 도구로 일하기":         `agent "chat"`,
		"문서 범위 공개, 채널":                      `doc_scopes ["public","channel"]`,
		"쓰지 않을 도구 python":                   `tools_off ["python"]`,
		"확인 만료 3시간":                         `approval_expires "3h0m0s"`,
		"while_busy 기다리기":                   `while_busy "queue"`,
		"떠날 때 삭제":                           `on_leave "purge"`,
		"말투 짧고 다정하게":                        `persona "짧고 다정하게"`,
		"\u110b\u1165\u11ab\u110b\u1165 ko": `language "ko"`, // 언어 in letters, as some keyboards write it
	} {
		words := strings.Fields(typed)
		key, n := config.KeyAt(words)
		got := "none"
		if n > 0 {
			value, err := key.Check(strings.Join(words[n:], " "), offers)
			got = key.Name + " " + string(value)
			if err != nil {
				got = key.Name + " error"
			}
		}
		if got != want {
			t.Errorf("%q is %s, want %s", typed, got, want)
		}
	}
}

// TestEveryNameIsOfOneThing: no setting, and no value of one, shares what it is
// called with another, and the values that it may have are called something in
// every language.
func TestEveryNameIsOfOneThing(t *testing.T) {
	t.Parallel()
	for _, k := range config.Keys() {
		for lang, names := range phrase.All("setting.said." + k.Name) {
			for name := range strings.SplitSeq(names, ",") {
				if got, n := config.KeyAt(strings.Fields(name)); n == 0 || got.Name != k.Name {
					t.Errorf("%s %q of %s names %q", lang, name, k.Name, got.Name)
				}
			}
		}
		for _, lang := range phrase.Languages() {
			if phrase.All("setting.said." + k.Name)[lang] == "" {
				t.Errorf("%s is called nothing in %s", k.Name, lang)
			}
		}
		values := append(k.Choices(offers), k.Several(offers)...)
		for _, v := range values {
			what := k.Name + "." + v
			if k.Kind == "bool" {
				what = v
			}
			all := phrase.All("setting.said." + what)
			if len(all) == 0 && k.Name != "model" && !strings.HasPrefix(k.Name, "tools_") {
				t.Errorf("%s: the value %s is called nothing", k.Name, v)
			}
			for lang, names := range all {
				for name := range strings.SplitSeq(names, ",") {
					want, _ := key(t, k.Name, v)
					if got, err := key(t, k.Name, strings.TrimSpace(name)); err != nil || got != want {
						t.Errorf("%s %q of %s is %s, %v; want %s", lang, name, k.Name, got, err, want)
					}
				}
			}
		}
	}
}

// key reads a value of a setting.
func key(t *testing.T, name, text string) (string, error) {
	t.Helper()
	k, _, ok := config.KeyNamed(name)
	if !ok {
		t.Fatalf("no setting %s", name)
	}
	v, err := k.Check(text, offers)
	return string(v), err
}

// TestWhatWasProbablyMeant: a slip in either language finds the setting and the
// value.
func TestWhatWasProbablyMeant(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]string{
		"langauge": "language", "언아": "language", "조용한 시칸": "quiet_hours", "보관 기칸": "retention", "temper": "temperature", "승인쟈": "approvers",
		"weather": "", "날씨": "", "zzz": "", "": "",
	} {
		if _, near, ok := config.KeyNamed(typed); ok || near != want {
			t.Errorf("%q: near %q, found %v; want %q", typed, near, ok, want)
		}
	}
	language, _, _ := config.KeyNamed("language")
	engage, _, _ := config.KeyNamed("engage")
	for typed, want := range map[string]string{"한국아": "ko", "Koraen": "ko", "englsh": "en", "프랑스어": "", "": ""} {
		if got := language.Meant(typed, offers); got != want {
			t.Errorf("language %q: %q, want %q", typed, got, want)
		}
	}
	if got := engage.Meant("alwyas", offers); got != "always" {
		t.Errorf("engage: %q", got)
	}
	if !language.IsCalled("ko", "한국") || language.IsCalled("en", "한국") {
		t.Error("what is typed does not find the value that it begins")
	}
}

// TestNamesAreWhole: pages show the words before a colon as a setting's name, and
// the rest after its value.
func TestNamesAreWhole(t *testing.T) {
	t.Parallel()
	for _, k := range config.Keys() {
		for _, lang := range phrase.Languages() {
			name, _, _ := strings.Cut(k.Help(lang), ":")
			if strings.Count(name, "(") != strings.Count(name, ")") {
				t.Errorf("%s is shown in %s as %q", k.Name, lang, name)
			}
		}
	}
}

// TestStoredSettingsHaveTheirOwnNames: what people may call a setting is no name of
// a row.
func TestStoredSettingsHaveTheirOwnNames(t *testing.T) {
	t.Parallel()
	set := config.Resolve(config.Config{}, []config.Entry{{Level: config.Channel, Key: "언어", Value: json.RawMessage(`"ko"`)}})
	if set.Language == "ko" || slices.Contains([]config.Level{config.Channel}, set.From["language"]) {
		t.Errorf("language %q from %s", set.Language, set.From["language"])
	}
}
