package longterm

import (
	"context"
	"slices"
	"strings"
	"time"

	"maru/phrase/correction"
)

// correctedWithin is how soon after they said something people put it right without
// saying again what they speak of. Later "not this but that" may be about anything.
const correctedWithin = time.Hour

// corrects reports whether one of the sentences puts something right.
func corrects(words string) bool {
	return slices.ContainsFunc(sentences(words), func(s string) bool {
		_, _, ok := correction.Read(s)
		return ok
	})
}

// Corrected returns what a person's words put right of what they said just before: of
// "아니, 화요일이 아니라 수요일이야" the newest that spoke of Tuesday, with Wednesday. What says itself
// what it is about is left to [Explicit], which gave read.
func (p Preferences) Corrected(ctx context.Context, o Owner, words string, read []PreferenceLesson, at time.Time) ([]PreferenceLesson, error) {
	var out []PreferenceLesson
	for _, s := range sentences(words) {
		was, is, ok := correction.Read(s)
		if !ok || slices.ContainsFunc(read, func(l PreferenceLesson) bool { return l.Quote == s }) {
			continue
		}
		known, err := p.All(ctx, o)
		if err != nil {
			return nil, err
		}
		for _, h := range known { // the newest first
			d := h.Data
			if since := at.Sub(d.Since); since >= 0 && since <= correctedWithin && strings.Contains(d.Value, was) {
				out = append(out, PreferenceLesson{Type: d.Type, Subject: d.Subject, Value: strings.ReplaceAll(d.Value, was, is), Quote: s})
				break
			}
		}
	}
	return out, nil
}
