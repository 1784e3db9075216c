package longterm

import (
	"fmt"
	"strings"
	"time"

	"maru/phrase/fit"
)

// PreferenceType is the category of a preference.
type PreferenceType string

// The types of preferences.
const (
	Fact     PreferenceType = "fact"     // "works in the Seoul office"
	Like     PreferenceType = "like"     // "prefers tables"
	Goal     PreferenceType = "goal"     // "wants to pass the exam in May"
	Feedback PreferenceType = "feedback" // "answers are too long"
)

// PreferenceLesson is a person's statement about themselves.
type PreferenceLesson struct {
	Type       PreferenceType `json:"type"`
	Subject    string         `json:"subject"`              // what it is about: "answer language", "team"
	Value      string         `json:"value"`                // the value: "Korean"
	Quote      string         `json:"quote,omitempty"`      // their own words
	Confidence float64        `json:"confidence,omitempty"` // 0..1; 0 means 0.9, an explicit statement
	Retract    bool           `json:"retract,omitempty"`    // it no longer holds; Value may be empty
}

// Preference is a person's stated preference on one subject.
type Preference struct {
	Type    PreferenceType `json:"type"`
	Subject string         `json:"subject"`
	Value   string         `json:"value"`
	Quote   string         `json:"quote,omitempty"`
	Since   time.Time      `json:"since"`            // time of the first statement
	Before  []Earlier      `json:"before,omitempty"` // superseded values, the newest first
}

// Earlier is a superseded value.
type Earlier struct {
	Value string    `json:"value"`
	Quote string    `json:"quote,omitempty"`
	From  time.Time `json:"from"`
	Until time.Time `json:"until"`
}

// Preferences stores a person's statements about themselves by type and subject.
type Preferences struct {
	manager[PreferenceLesson, Preference]
}

// said is the raw confidence of an explicit statement.
const said = 0.9

// maxEarlier limits the superseded values in a record; its notes have all of them.
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
			// A masked text contained a secret; its existence is not stored either.
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

// foldPreferences applies last-write-wins and keeps superseded values.
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

// Sentence returns a preference as text for prompts and people.
func (p Preference) Sentence() string { return strings.TrimSpace(p.Subject + ": " + p.Value) }
