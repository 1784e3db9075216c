package naming

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"maru/phrase/pattern"
)

// dateForms match dates and months of a year: 2025-07-02, 2025년 7월, July 2, 2025. Of the groups, y is the year, m the month by
// number or name, and d the day, if there is one.
var dateForms = []*pattern.Pattern{
	pattern.New(`(?P<y>(?:19|20)\d\d)[-./_](?P<m>\d\d)[-./_](?P<d>\d\d)`),
	pattern.New(`(?P<y>(?:19|20)\d\d)\s?[년.]\s?(?P<m>\d{1,2})\s?[월.](?:\s?(?P<d>\d{1,2})일?)?`),
	pattern.New(`\b(?P<m>` + monthNames + `)[a-z]*\.?\s(?:(?P<d>\d{1,2})(?:st|nd|rd|th)?,?\s)?(?P<y>(?:19|20)\d\d)`),
	pattern.New(`\b(?:(?P<d>\d{1,2})(?:st|nd|rd|th)?\s)(?P<m>` + monthNames + `)[a-z]*\.?,?\s(?P<y>(?:19|20)\d\d)`),
}

const monthNames = `jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec`

// datesIn returns the dates of a folded text as figures of the class of years. Their values begin with the year.
func datesIn(text string) (out []figure) {
	for _, form := range dateForms {
		for _, m := range form.FindAllStringSubmatchIndex(text, -1) {
			if digitAt(text, m[0]-1, text[m[0]]) || digitAt(text, m[1], text[m[1]-1]) {
				continue
			}
			part := map[string]string{}
			for g, name := range form.Regexp().SubexpNames() {
				if name != "" && m[2*g] >= 0 {
					part[name] = text[m[2*g]:m[2*g+1]]
				}
			}
			month, err := strconv.Atoi(part["m"])
			if err != nil {
				month = strings.Index(monthNames, part["m"])/len("jan|") + 1
			}
			value := fmt.Sprintf("%s-%02d", part["y"], month)
			if day, err := strconv.Atoi(part["d"]); err == nil {
				value += fmt.Sprintf("-%02d", day)
			}
			out = append(out, figure{class: 'y', value: value, from: m[0], to: m[1]})
		}
	}
	return out
}

// sameFigure reports whether figures of one class agree. Of a date and a month or year, one may say less than the other.
func sameFigure(a, b figure) bool {
	short, long := a.value, b.value
	if len(short) > len(long) {
		short, long = long, short
	}
	return short == long || a.class == 'y' && strings.HasPrefix(long, short+"-")
}

// withRecord returns a date with the word for a record of its day before it, so that what precedes that is beside the date: the
// TSC of "TSC meeting of 2023-03-01". One on a day may be to come, unlike its minutes.
func withRecord(f figure, words []word, text string) figure {
	if f.class != 'y' || len(f.value) <= len("2025-01") {
		return f
	}
	for _, w := range words {
		s := stem(text[w.from:w.to])
		on := text[w.to:max(w.to, f.from)] == " on " && s != "meeting" && s != "meetings"
		if w.to < f.from && (on || leadsTo(text[w.to:f.from], f)) && ofADay(s) {
			f.from = w.from
		}
	}
	return f
}

// dayWords are the last words of the names of what is of one day or month, not in force from then on.
var dayWords = pattern.New(`^(?:minutes|meetings?|reports?|notes|changelog|newsletter|\p{Hangul}*(?:회의|회의록|의사록|속기록|보고서?|일지|주보|월보|소식지|뉴스레터|노트))$`)

// ofADay reports whether a word is one for what is of one day or month.
func ofADay(w string) bool { return dayWords.MatchString(w) }

// dated reports whether documents are records of the day in their names, such as minutes, or texts in force since then: by the last
// word for either in their names or, where they have none, by a word of the question. They may be neither.
func dated(d *Directory, docs []int, question string) (record, inForce bool) {
	for _, doc := range docs {
		for _, n := range d.namesOf[doc] {
			for _, w := range wordsOf(d.names[n].text) {
				if ofADay(w) {
					record, inForce = true, false
				} else if class, _, _ := genreAt(w); class > anyGenre {
					record, inForce = false, true
				}
			}
		}
	}
	if !record && !inForce {
		record = slices.ContainsFunc(wordsOf(question), func(w string) bool { return ofADay(stem(w)) })
	}
	return record, inForce
}
