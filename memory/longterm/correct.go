package longterm

import (
	"context"
	"slices"
	"strings"
	"time"

	"maru/phrase/correction"
)

// correctedWithin is the window in which a correction may omit its subject. A later "not this but that" is ambiguous.
const correctedWithin = time.Hour

// corrects reports whether one of the sentences is a correction.
func corrects(words string) bool {
	return slices.ContainsFunc(sentences(words), func(s string) bool {
		_, _, ok := correction.Read(s)
		return ok
	})
}

// Corrected applies a correction to a person's preceding words: "아니, 화요일이 아니라 수요일이야" selects the newest message about
// Tuesday and substitutes Wednesday. Sentences that name their own subject belong to [Explicit], the source of read.
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
		for _, h := range known { // newest first
			d := h.Data
			if since := at.Sub(d.Since); since >= 0 && since <= correctedWithin && strings.Contains(d.Value, was) {
				out = append(out, PreferenceLesson{Type: d.Type, Subject: d.Subject, Value: strings.ReplaceAll(d.Value, was, is), Quote: s})
				break
			}
		}
	}
	return out, nil
}
