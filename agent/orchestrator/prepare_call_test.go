package orchestrator_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"maru/agent"
	"maru/agent/llm"
	"maru/agent/llm/llmtest"
)

// TestValuesAreCheckedBeforePeopleAreAsked lets the model correct a call that the
// tool would refuse; what it cannot correct is not on the card.
func TestValuesAreCheckedBeforePeopleAreAsked(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		calls  []string // of the model, in turn; the last one stays
		asked  int      // how often the model is asked
		verbs  string
		shown  string // what is on the card
		hidden string // what must not
		note   string
	}{
		"fits_at_once":       {[]string{`{"city":"부산"}`}, 1, "accept edit skip", "부산", "", ""},
		"wrong_type":         {[]string{`{"city":"부산","days":"soon"}`, `{"city":"부산","days":3}`}, 2, "accept edit skip", `"days": 3`, "soon", ""},
		"unknown_field":      {[]string{`{"city":"부산","town":1}`, `{"city":"부산"}`}, 2, "accept edit skip", "부산", "town", ""},
		"no_json":            {[]string{`"{\"city\":"`, `{"city":"부산"}`}, 2, "accept edit skip", "부산", "", ""},
		"twice_a_key":        {[]string{`{"city":"부산","city":"서울"}`, `{"city":"부산"}`}, 2, "accept edit skip", "부산", "서울", ""},
		"never_right":        {[]string{`{"city":"부산","days":"soon"}`}, 3, "accept edit skip", "부산", "soon", "days"},
		"never_an_object":    {[]string{`[1,2]`}, 3, "edit skip", "city", "1,", ""},
		"required_is_wrong":  {[]string{`{"city":7}`}, 3, "edit skip", "city (준비 0%)", "7", "city"},
		"missing_is_for_men": {[]string{`{}`}, 1, "edit skip", "city (준비 0%)", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asked := 0
			m := weatherMind()
			m.args = func(llm.Request) llmtest.Reply {
				asked++
				return llmtest.CallTool("get_weather", c.calls[min(asked, len(c.calls))-1])
			}
			d := newDesk(t, m, agent.Approvals{Step: true})
			i, a := d.asked("step")
			card := a.Detail + fmt.Sprint(a.Actions) + strings.Join(a.Notes, " ")
			if asked != c.asked || verbs(a) != c.verbs || !strings.Contains(a.Detail, c.shown) || (c.hidden != "" && strings.Contains(a.Detail, c.hidden)) {
				t.Errorf("asked %d times, %s, %s", asked, verbs(a), card)
			}
			if c.note != "" && !strings.Contains(strings.Join(a.Notes, " "), c.note) {
				t.Errorf("notes %q", a.Notes)
			}
			if d.tools.made() != "" {
				t.Errorf("calls before anybody decided: %s", d.tools.made())
			}
			if strings.HasPrefix(c.verbs, "accept") {
				if d.decide(i, do("accept")).asked("step"); !strings.Contains(d.tools.made(), "부산") {
					t.Errorf("calls %s", d.tools.made())
				}
			}
		})
	}
}

// latin finds sentences of English on a Korean card.
var latin = regexp.MustCompile(`[A-Za-z]+( [a-z]+){2,}`)

// TestPeopleAreToldInTheirWords shows what is wrong with a person's values in
// their language, never what the model is told.
func TestPeopleAreToldInTheirWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		language string
		values   map[string]string
		want     string
		left     string // the other values that they wrote stay
	}{
		{"ko", map[string]string{"city": "서울", "days": "soon"}, "days: 정수여야 해요", "서울"},
		{"en", map[string]string{"city": "Seoul", "days": "soon"}, "days: must be a whole number", "Seoul"},
		{"ko", map[string]string{"city": "서울", "days": "99"}, "days: 7 이하여야 해요", "서울"},
		{"en", map[string]string{"city": "Seoul", "days": "99"}, "days: must be at most 7", "Seoul"},
		{"ko", map[string]string{"city": "", "days": "2"}, "city: 값이 있어야 해요", `"days": 2`},
		{"en", map[string]string{"city": "", "days": "2"}, "city: a value is required", `"days": 2`},
	} {
		t.Run(c.language+c.want, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, weatherMind(), agent.Approvals{Step: true})
			if c.language == "en" {
				d.english()
			}
			i, _ := d.asked("step")
			_, a := d.decide(i, agent.Reply{Action: "edit", Values: c.values}).asked("step")
			note := strings.Join(a.Notes, " ")
			if len(a.Notes) != 1 || !strings.Contains(note, c.want) || !strings.Contains(a.Detail, c.left) || d.tools.made() != "" {
				t.Errorf("%q, %s, calls %s", note, a.Detail, d.tools.made())
			}
			if c.language == "ko" && latin.MatchString(note) {
				t.Errorf("the model's English is shown: %q", note)
			}
			for _, model := range []string{"was not called", "Correct the arguments", "got ", "additionalProperties"} {
				if strings.Contains(note, model) {
					t.Errorf("%q is for the model: %q", model, note)
				}
			}
		})
	}
}
