package longterm_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"maru/memory/longterm"
)

func TestSecretsAndPersonalNumbersAreRecognised(t *testing.T) {
	t.Parallel()
	for name, secret := range map[string]string{
		"openai":         "sk-proj-abcdEFGH1234ijklMNOP5678",
		"slack_bot":      "xox" + "b-123456789012-abcdefABCDEF",
		"slack_app":      "xapp-1-A0123-4567-deadbeef",
		"github":         "ghp_abcdefghijklmnopqrstuvwxyz012345",
		"aws":            "AKIAIOSFODNN7EXAMPLE",
		"google":         "AIzaSyA1234567890abcdefghijklmnopqrstu",
		"jwt":            "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc",
		"bearer":         "Authorization: Bearer abcdefghijklmnop",
		"url":            "postgres://maru:geheim@db.example:5432/maru",
		"pem":            "-----BEGIN RSA PRIVATE KEY----- MIIEow -----END RSA PRIVATE KEY-----",
		"random":         "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
		"password":       "my password is hunter2",
		"password_colon": "pw: qwerasdf",
		"password_ko":    "비밀번호는 maru1234! 이에요",
		"password_ko2":   "비번 abcd1234",
		"pin":            "PIN code is 4821",
		"resident":       "900101-1234567",
		"resident_plain": "9001011234567",
		"resident_space": "900101 - 2234567",
		"card":           "4111 1111 1111 1111",
		"card_dashes":    "5500-0055-5555-5559",
		"card_plain":     "378282246310005",
		"mobile":         "010-1234-5678",
		"mobile_plain":   "01012345678",
		"mobile_dots":    "010.1234.5678",
		"landline":       "02-345-6789",
		"region":         "051) 123-4567",
		"country":        "+82 10-1234-5678",
		"us":             "+1 (415) 555-2671",
		"us_local":       "(415) 555-2671",
	} {
		for _, text := range []string{secret, "내용은 " + secret + " 입니다", secret + "."} {
			if !longterm.Sensitive(text) {
				t.Errorf("%s: %q is not recognised", name, text)
			}
			last := secret[strings.LastIndexAny(secret, " -:")+1:]
			if masked := longterm.Mask(text); len(last) > 3 && name != "password_ko" && name != "pem" && strings.Contains(masked, last) {
				t.Errorf("%s: %q still holds it", name, masked)
			}
		}
	}
}

func TestOrdinaryWordsAreNoSecrets(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"The password is wrong", "비밀번호를 바꾸는 방법", "암호 정책 문서", "reset my password please", "token budget of a prompt",
		"회의는 2026-03-02 14:30에 시작해요", "예산은 12,345,678원이에요", "주문 번호 1234567890123", "version 1.26.4-rc1", "제10조의2 제3항",
		"https://example.com/docs/getting-started-with-maru-and-friends", "internationalisation-and-localisation",
		"4111 1111 1111 1112", "ISO 8601 20260302T090000Z", "우편번호 06236", "pin the message", "the secret of good coffee",
	} {
		if got := longterm.Mask(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

func TestWhatIsMaskedDoesNotReachTheStore(t *testing.T) {
	t.Parallel()
	m := fresh(t)
	must(t, m.Plans.Consolidate(t.Context(), mina, "1", at(0), longterm.PlanLesson{
		Query: "call 010-1234-5678 and report", Final: []longterm.Step{{Text: "use key sk-abcdefghijklmnopqrstuvwx"}}, Success: true,
	}))
	must(t, m.Clarifications.Consolidate(t.Context(), mina, "2", at(0), longterm.ClarificationLesson{
		Session: "2", Query: "which card?", Answer: "4111 1111 1111 1111",
	}))
	must(t, m.Tools.Consolidate(t.Context(), mina, "3", at(0), longterm.ToolLesson{
		Task: "search for 900101-1234567", Tool: "x", Success: true, Params: map[string]any{"q": "900101-1234567", "n": 9001011234567.0},
	}))
	for _, secret := range []string{"5678", "sk-abc", "1111", "1234567"} {
		for _, h := range everyRecord(t, m) {
			if strings.Contains(h, secret) {
				t.Errorf("%q is stored: %s", secret, h)
			}
		}
	}
}

// That somebody has told a secret is not known either.
func TestATellingOfASecretIsNoPreference(t *testing.T) {
	t.Parallel()
	m := fresh(t)
	for i, text := range []string{
		"My phone is +82 10-1234-5678", "제 전화번호는 010-1234-5678이고 카드번호는 4111 1111 1111 1111이에요", "My login is hunter, my password is hunter2!!",
		"Remember that the key is sk-abcdefghijklmnopqrstuvwx", "My team is data platform",
	} {
		l, _, err := longterm.WordsLesson(text)
		must(t, err)
		var w longterm.Words
		must(t, json.Unmarshal(l.Data, &w))
		for _, p := range longterm.Explicit(w.Text) {
			if err := m.Preferences.Consolidate(t.Context(), mina, fmt.Sprint(i), at(i), p); err != nil && !errors.Is(err, longterm.ErrSensitive) {
				t.Errorf("%s: %v", text, err)
			}
		}
	}
	known, err := m.Known(t.Context(), mina.Person)
	must(t, err)
	for _, r := range known {
		if strings.Contains(r.Text+string(r.Data), "•") {
			t.Errorf("known: %s", r.Text)
		}
	}
	if len(known) == 0 {
		t.Error("the team is not known")
	}
}

// everyRecord of mina, as it is stored.
func everyRecord(t *testing.T, m *longterm.Memory) []string {
	t.Helper()
	var out []string
	plans, err := m.Plans.All(t.Context(), mina)
	must(t, err)
	clarifications, err := m.Clarifications.All(t.Context(), mina)
	must(t, err)
	tools, err := m.Tools.All(t.Context(), mina)
	must(t, err)
	for _, h := range plans {
		out = append(out, h.Record.Text+string(h.Record.Data))
	}
	for _, h := range clarifications {
		out = append(out, h.Record.Text+string(h.Record.Data))
	}
	for _, h := range tools {
		out = append(out, h.Record.Text+string(h.Record.Data))
	}
	if len(out) != 3 {
		t.Fatalf("%d records, want 3", len(out))
	}
	return out
}

func FuzzMask(f *testing.F) {
	for _, s := range []string{"pw: x", "010-1234-5678", "비밀번호는 1234", "sk-aaaaaaaaaaaaaaaaaaaa", "[•••]", ": = password"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if masked := longterm.Mask(s); longterm.Mask(masked) != masked && len(longterm.Mask(masked)) > len(masked)+64 {
			t.Fatalf("masking grows: %q, %q", s, masked)
		}
	})
}
