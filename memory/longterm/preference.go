package longterm

import (
	"fmt"
	"strings"
	"time"

	"maru/phrase/fit"
)

// PreferenceType says what a preference is about.
type PreferenceType string

// The types of preferences.
const (
	Fact     PreferenceType = "fact"     // "works in the Seoul office"
	Like     PreferenceType = "like"     // "prefers tables"
	Goal     PreferenceType = "goal"     // "wants to pass the exam in May"
	Feedback PreferenceType = "feedback" // "answers are too long"
)

// PreferenceLesson is something that a person said about themselves.
type PreferenceLesson struct {
	Type       PreferenceType `json:"type"`
	Subject    string         `json:"subject"`              // what it is about: "answer language", "team"
	Value      string         `json:"value"`                // what they said of it: "Korean"
	Quote      string         `json:"quote,omitempty"`      // their own words
	Confidence float64        `json:"confidence,omitempty"` // 0..1; 0 means 0.9: they said so
	Retract    bool           `json:"retract,omitempty"`    // it holds no longer; Value may be empty
}

// Preference is what somebody has said about one subject.
type Preference struct {
	Type    PreferenceType `json:"type"`
	Subject string         `json:"subject"`
	Value   string         `json:"value"`
	Quote   string         `json:"quote,omitempty"`
	Since   time.Time      `json:"since"`            // when they said so first
	Before  []Earlier      `json:"before,omitempty"` // what held before, the newest first
}

// Earlier is what held until something else was said.
type Earlier struct {
	Value string    `json:"value"`
	Quote string    `json:"quote,omitempty"`
	From  time.Time `json:"from"`
	Until time.Time `json:"until"`
}

// Preferences remembers what people said about themselves, by type and subject.
type Preferences struct {
	manager[PreferenceLesson, Preference]
}

// said is the raw confidence of what a person said without being asked how sure
// they are.
const said = 0.9

// maxEarlier bounds the history that a record shows; its notes hold all of it.
const maxEarlier = 20

func preferenceRule() rule[PreferenceLesson, Preference] {
	return rule[PreferenceLesson, Preference]{
		kind: KindPreference,
		clean: func(l PreferenceLesson) (PreferenceLesson, error) {
			switch l.Type {
			case Fact, Like, Goal, Feedback:
			default:
				return l, fmt.Errorf("unknown type %q", fit.Clip(string(l.Type), maxWord))
			}
			// What was masked before it came here was told as a secret: that there is one is not kept either.
			if what := l.Subject + ": " + l.Value; Sensitive(l.Subject) || Sensitive(l.Value) || Sensitive(what) || strings.Contains(what, masked) {
				return l, ErrSensitive
			}
			l.Subject, l.Value, l.Quote = tidy(l.Subject, maxWord), tidy(l.Value, maxText), tidy(l.Quote, maxText)
			if l.Subject == "" || l.Value == "" && !l.Retract {
				return l, errEmpty
			}
			if l.Confidence = unit(l.Confidence); l.Confidence == 0 {
				l.Confidence = said
			}
			return l, nil
		},
		key:  func(l PreferenceLesson, _ string) string { return string(l.Type) + "\n" + essence(l.Subject) },
		fold: foldPreferences,
	}
}

// foldPreferences lets what was said last hold, and keeps what held before.
func foldPreferences(list []told[PreferenceLesson]) (Preference, sum) {
	var p Preference
	s := sum{}
	holds := false
	end := func(at time.Time) {
		if holds {
			p.Before = append([]Earlier{{Value: p.Value, Quote: p.Quote, From: p.Since, Until: at}}, p.Before...)
		}
		p.Value, p.Quote, p.Since, holds, s.samples, s.raw = "", "", time.Time{}, false, 0, 0
	}
	for _, t := range list {
		l := t.Lesson
		p.Type, p.Subject = l.Type, l.Subject
		if l.Retract {
			end(t.At)
			continue
		}
		if !holds || essence(l.Value) != essence(p.Value) {
			end(t.At)
			p.Since, holds = t.At, true
		}
		p.Value, p.Quote = l.Value, l.Quote
		s.samples++
		s.raw = max(s.raw, l.Confidence)
	}
	p.Before = p.Before[:min(len(p.Before), maxEarlier)]
	if holds {
		s.text = p.Subject + ": " + p.Value
	}
	return p, s
}

// Sentence is a preference as prompts and people read it.
func (p Preference) Sentence() string { return strings.TrimSpace(p.Subject + ": " + p.Value) }
