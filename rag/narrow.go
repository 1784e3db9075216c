package rag

import (
	"slices"
	"strings"
	"time"

	"maru/phrase/pattern"
)

// narrowing maps filter words before a colon to filters.
var narrowing = map[string]string{
	"tag": "tag", "tags": "tag", "태그": "tag",
	"since": "since", "after": "since", "부터": "since",
	"until": "until", "before": "until", "까지": "until",
	"doc": "doc", "document": "doc", "문서": "doc",
}

// aWord matches a word, or a quoted value with its filter word: doc:"staff handbook".
var aWord = pattern.New(`[^\s:"“]+:(?:"[^"\n]*"|“[^”\n]*”)(?:에서는?|에는?|의|만)?[.,?!]*|\S+`)

// Narrow moves the filter words of a question out of its text and
// into the query's filter:
//
//	tag:hr since:2026-01 until:2026-03-31 how many days of leave?
//	태그:인사 부터:2026-01 연차는 며칠이야?
//	doc:"staff handbook" how many days of leave?
//
// A day, month or year is one of zone; until includes its day, and before does not. Words that are no filter, or
// no date, stay in the text; words for the form of the answer ("in one line") do not. A question can only narrow the query: of two limits the stricter one holds. A
// document with any of the names matches; [Called] resolves them.
func Narrow(q Query, zone *time.Location) Query {
	q.Text = unmannered(q.Text)
	if !strings.Contains(q.Text, ":") {
		return q
	}
	q.Tags, q.Names = slices.Clone(q.Tags), slices.Clone(q.Names) // keep the caller's slices unchanged
	var kept []string
	for line := range strings.Lines(q.Text) {
		var words []string
		for _, word := range aWord.FindAllString(line, -1) {
			if !q.word(word, zone) {
				words = append(words, word)
			}
		}
		kept = append(kept, strings.Join(words, " "))
	}
	q.Text = strings.TrimSpace(strings.Join(kept, "\n"))
	return q
}

// Narrowing returns the filter words of a question, "" if there are none.
func Narrowing(text string) string {
	var q Query
	var words []string
	for _, word := range aWord.FindAllString(text, -1) {
		if q.word(word, nil) {
			words = append(words, strings.TrimRight(word, ".,?!"))
		}
	}
	return strings.Join(words, " ")
}

// valued strips quotes and trailing punctuation from a value.
func valued(value string) string {
	for _, quotes := range []string{`""`, "“”"} {
		open, shut := []rune(quotes)[0], []rune(quotes)[1]
		if inner, ok := strings.CutPrefix(value, string(open)); ok {
			if inner, _, ok := strings.Cut(inner, string(shut)); ok {
				return strings.TrimSpace(inner)
			}
		}
	}
	return strings.Trim(value, `"'.,?!`)
}

// word applies one word of a question and reports whether it is a filter.
func (q *Query) word(word string, zone *time.Location) bool {
	name, value, ok := strings.Cut(word, ":")
	return ok && q.narrow(fold(name, false), valued(value), zone)
}

// narrow applies a filter and reports whether it is valid.
func (q *Query) narrow(name, value string, zone *time.Location) bool {
	kind := narrowing[name]
	if kind == "" || value == "" {
		return false
	}
	switch kind {
	case "tag":
		q.Tags = slices.AppendSeq(q.Tags, strings.SplitSeq(value, ","))
		return true
	case "doc":
		q.Names = append(q.Names, value)
		return true
	}
	from, to, ok := dated(value, zone)
	if !ok {
		return false
	}
	if kind == "since" {
		if name == "after" {
			from = to
		}
		if from.After(q.Since) {
			q.Since = from
		}
		return true
	}
	if name == "before" {
		to = from
	}
	if q.Until.IsZero() || to.Before(q.Until) {
		q.Until = to
	}
	return true
}

// dated parses a year, a month or a day, and returns its first moment and that of the next one.
func dated(value string, zone *time.Location) (from, to time.Time, ok bool) {
	if zone == nil {
		zone = time.UTC
	}
	for _, f := range []struct {
		layout              string
		years, months, days int
	}{{"2006-1-2", 0, 0, 1}, {"2006.1.2", 0, 0, 1}, {"2006/1/2", 0, 0, 1}, {"2006-1", 0, 1, 0}, {"2006.1", 0, 1, 0}, {"2006", 1, 0, 0}} {
		if at, err := time.ParseInLocation(f.layout, value, zone); err == nil {
			return at, at.AddDate(f.years, f.months, f.days), true
		}
	}
	return time.Time{}, time.Time{}, false
}
