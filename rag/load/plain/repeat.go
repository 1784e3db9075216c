package plain

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"maru/phrase"
)

var (
	// frequencies are those of rules that have words.
	frequencies = []string{"HOURLY", "DAILY", "WEEKLY", "MONTHLY", "YEARLY"}
	// weekdays are the days of rules in the order of "when.days".
	weekdays = []string{"SU", "MO", "TU", "WE", "TH", "FR", "SA"}
	// clocks are the parts of an RFC 5545 duration.
	clocks = map[byte]time.Duration{'W': 7 * 24 * time.Hour, 'D': 24 * time.Hour, 'H': time.Hour, 'M': time.Minute, 'S': time.Second}
)

// repeats returns a recurrence rule (RFC 5545, 3.3.10) in words, such as "every 2 weeks on Monday, until 2026-06-30". A rule with a part
// that has no words stays as it is written.
func repeats(rule, lang string) string {
	of := map[string]string{}
	for one := range strings.SplitSeq(strings.ToUpper(rule), ";") {
		key, value, _ := strings.Cut(one, "=")
		of[strings.TrimSpace(key)] = strings.TrimSpace(value)
	}
	unit := of["FREQ"]
	if !slices.Contains(frequencies, unit) {
		return rule
	}
	unit = strings.ToLower(unit)
	out := phrase.Say(lang, "load.repeat."+unit)
	if n, err := strconv.Atoi(of["INTERVAL"]); err == nil && n > 1 {
		out = phrase.Say(lang, "load.repeat.every."+unit, n)
	}
	if weekly := of["BYDAY"]; of["BYSETPOS"] != "" && (weekly == workdays || len(weekly) == len("MO")) { // "the last weekday"
		of["BYDAY"] = of["BYSETPOS"] + weekly
		delete(of, "BYSETPOS")
	}
	known := 0
	for _, part := range []struct {
		name, key string
		words     func(string, string) string
	}{
		{"BYMONTH", "load.repeat.in", month}, {"BYMONTHDAY", "load.repeat.on", date}, {"BYDAY", "load.repeat.on", weekday},
		{"COUNT", "load.repeat.times", func(n, _ string) string { return n }}, {"UNTIL", "load.repeat.until", func(end, _ string) string { return property{}.time(end) }},
	} {
		value := of[part.name]
		if value == "" {
			continue
		}
		known++
		var all []string
		for one := range strings.SplitSeq(strings.Replace(value, workdays, everyDay, 1), ",") {
			words := part.words(one, lang)
			if words == "" {
				return rule
			}
			all = append(all, words)
		}
		out = phrase.Say(lang, part.key, out, strings.Join(all, ", "))
	}
	for _, name := range []string{"FREQ", "INTERVAL", "WKST"} {
		if _, ok := of[name]; ok {
			known++
		}
	}
	if known < len(of) {
		return rule
	}
	return out
}

const (
	workdays = "MO,TU,WE,TH,FR"
	everyDay = "WORKDAY" // instead of them
)

// month names the month of a number, "" if there is none.
func month(nr, lang string) string {
	at, err := time.Parse("1", nr)
	if err != nil {
		return ""
	}
	return at.Format(phrase.Say(lang, "load.repeat.month"))
}

func date(nr, lang string) string {
	n, err := strconv.Atoi(nr)
	switch {
	case nr == "-1":
		return phrase.Say(lang, "load.repeat.last")
	case err != nil || n < 1:
		return ""
	}
	return phrase.Say(lang, "load.repeat.date", n)
}

// weekday names a day such as "MO", "2TU" and "-1FR", "" if there is no name for it.
func weekday(day, lang string) string {
	name := strings.TrimLeft(day, "+-0123456789")
	at := slices.Index(weekdays, name)
	nr := strings.TrimPrefix(strings.TrimSuffix(day, name), "+")
	switch {
	case name == everyDay:
		name = phrase.Say(lang, "when.weekday")
	case at < 0:
		return ""
	default:
		name = strings.Fields(phrase.Say(lang, "when.days"))[at]
	}
	if nr == "" {
		return name
	}
	ordinals := strings.Fields(phrase.Say(lang, "when.nth")) // the last one is "last"
	n, err := strconv.Atoi(nr)
	if n == -1 {
		n = len(ordinals)
	} else if err != nil || n < 1 || n >= len(ordinals) {
		return ""
	}
	return phrase.Say(lang, "load.repeat.nth", ordinals[n-1], name)
}

// lasting returns a duration such as "PT1H30M" in words, one of another form as it is written.
func lasting(value, lang string) string {
	var all time.Duration
	n := 0
	for i := range len(value) {
		switch c := value[i]; {
		case c >= '0' && c <= '9' && n < 1e6:
			n = 10*n + int(c-'0')
		case n > 0 && clocks[c] > 0 && all < 1e4*clocks['D']:
			all, n = all+time.Duration(n)*clocks[c], 0
		case c != 'P' && c != 'T' && c != '+' && n > 0:
			return value
		}
	}
	if all == 0 || n > 0 {
		return value
	}
	return phrase.Span(all).In(lang)
}
