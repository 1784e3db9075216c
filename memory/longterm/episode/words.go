package episode

import (
	"slices"
	"strings"
	"time"
)

// asksWhen reports whether a question, in small letters, asks for a time.
func asksWhen(q string) bool {
	return strings.HasPrefix(q, "when") || slices.ContainsFunc(
		[]string{"how long", "what date", "which month", "which year", "what year", "what day", "언제", "며칠", "몇 월", "얼마나 오래"},
		func(s string) bool { return strings.Contains(q, s) })
}

// tellsTime reports whether a turn states a time.
func tellsTime(text string) bool {
	t := strings.ToLower(text)
	return slices.ContainsFunc(timeWords(), func(w string) bool { return strings.Contains(t, w) })
}

func timeWords() []string {
	return []string{
		"yesterday", "today", "tomorrow", "tonight", "last ", "next ", " ago", "week", "month", "year", "since", "recently", "morning",
		"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "summer", "winter", "spring", "fall",
		"january", "february", "march", "april", "june", "july", "august", "september", "october", "november", "december",
		"어제", "오늘", "내일", "지난", "다음", "이번", "전에", "요일", "아침", "주말",
	}
}

// monthsIn lists the months that a question names.
func monthsIn(q string) []time.Month {
	var out []time.Month
	for m := time.January; m <= time.December; m++ {
		if strings.Contains(q, strings.ToLower(m.String())) {
			out = append(out, m)
		}
	}
	return out
}

// base returns the one form of words that a stemmer keeps apart: went is go.
func base(term string) string {
	if b, ok := irregular[term]; ok {
		return b
	}
	return term
}

// irregular is built once and never changed. Its words are stems.
var irregular = func() map[string]string {
	m := map[string]string{}
	for row := range strings.SplitSeq(`go went gone goe|buy bought|take took taken|see saw seen|make made|get got gotten|give gave given|`+
		`find found|begin began begun|write wrote written|run ran|meet met|win won|lose lost|teach taught|feel felt|think thought|`+
		`bring brought|tell told|say said|know knew known|grow grew grown|fly flew flown|speak spoke spoken|drive drove driven|`+
		`eat ate eaten|sing sang sung|swim swam|break broke broken|choos chose chosen|draw drew drawn|leav left|sell sold|send sent|`+
		`spend spent|build built|hear heard|hold held|keep kept|sleep slept|becom becam|come came|wear wore worn|catch caught|`+
		`fall fell fallen|child children kid|man men|woman women|person peopl|wife wive|mom mother mum|dad father`, "|") {
		forms := strings.Fields(row)
		for _, f := range forms {
			m[f] = forms[0]
		}
	}
	return m
}()
