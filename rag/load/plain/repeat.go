package plain

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"maru/phrase"
	"maru/phrase/pattern"
)

var (
	// frequencies are those of rules that have words.
	frequencies = []string{"HOURLY", "DAILY", "WEEKLY", "MONTHLY", "YEARLY"}
	// weekdays are the days of rules in the order of "when.days".
	weekdays = []string{"SU", "MO", "TU", "WE", "TH", "FR", "SA"}
)

// repeats returns a recurrence rule (RFC 5545, 3.3.10) in words, such as "every 2 weeks on Monday, until 2026-06-30". A rule with a part
// that has no words, or is wrong, stays as it is written.
func repeats(rule, lang string) string {
	of := map[string]string{}
	for one := range strings.SplitSeq(strings.ToUpper(rule), ";") {
		if key, value, _ := strings.Cut(one, "="); strings.TrimSpace(one) != "" {
			of[strings.TrimSpace(key)] = strings.TrimSpace(value)
		}
	}
	unit, wkst := of["FREQ"], of["WKST"]
	every, err := strconv.Atoi(cmp.Or(of["INTERVAL"], "1"))
	if !slices.Contains(frequencies, unit) || err != nil || every < 1 || wkst != "" && !slices.Contains(weekdays, wkst) || !inMonth(unit, of) {
		return rule
	}
	unit = strings.ToLower(unit)
	out := phrase.Say(lang, "load.repeat."+unit)
	if every > 1 {
		out = phrase.Say(lang, "load.repeat.every."+unit, every)
	}
	if of["BYDAY"] == workdays {
		of["BYDAY"] = everyDay
	}
	if day := of["BYDAY"]; of["BYSETPOS"] != "" && (day == everyDay || len(day) == len("MO")) { // "the last weekday"
		of["BYDAY"] = of["BYSETPOS"] + day
		delete(of, "BYSETPOS")
	}
	for _, name := range []string{"FREQ", "INTERVAL", "WKST"} {
		delete(of, name)
	}
	for _, part := range []struct {
		name, key string
		words     func(string, string) string
	}{
		{"BYMONTH", "load.repeat.in", month}, {"BYMONTHDAY", "load.repeat.on", date}, {"BYDAY", "load.repeat.on", weekday},
		{"COUNT", "load.repeat.times", times}, {"UNTIL", "load.repeat.until", until},
	} {
		value := of[part.name]
		if value == "" {
			continue
		}
		var all []string
		for one := range strings.SplitSeq(value, ",") {
			words := part.words(one, lang)
			if words == "" {
				return rule
			}
			all = append(all, words)
		}
		out = phrase.Say(lang, part.key, out, strings.Join(all, ", "))
		delete(of, part.name)
	}
	if len(of) > 0 {
		return rule
	}
	return out
}

const (
	workdays = "MO,TU,WE,TH,FR"
	everyDay = "WORKDAY" // instead of them
)

// inMonth reports whether the days of a rule are those of its unit, as the words say: without BYMONTH, "YEARLY;BYMONTHDAY=15" is the
// 15th of every month, "YEARLY;BYDAY=MO" every Monday; a place such as "2TU" counts within a month.
func inMonth(unit string, of map[string]string) bool {
	placed := strings.ContainsAny(of["BYDAY"], "123456789") || of["BYSETPOS"] != ""
	switch {
	case unit == "MONTHLY":
		return of["BYSETPOS"] == "" || of["BYMONTHDAY"] == ""
	case unit == "YEARLY":
		return of["BYSETPOS"] == "" && (of["BYMONTH"] != "" || of["BYMONTHDAY"]+of["BYDAY"] == "")
	}
	return !placed && of["BYMONTHDAY"] == ""
}

func times(count, _ string) string {
	if n, err := strconv.Atoi(count); err != nil || n < 1 {
		return ""
	}
	return strings.TrimPrefix(count, "+")
}

func until(end, _ string) string {
	for _, form := range []string{"20060102", "20060102T150405", "20060102T150405Z"} {
		if _, err := time.Parse(form, end); err == nil {
			return property{}.time(end)
		}
	}
	return ""
}

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
	case err != nil || n < 1 || n > 31:
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
	case day == everyDay:
		return phrase.Say(lang, "load.repeat.weekdays")
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

// duration matches one of RFC 5545, 3.3.6.
var duration = pattern.New(`^\+?P(?:(\d{1,4})W)?(?:(\d{1,4})D)?(?:T(?:(\d{1,4})H)?(?:(\d{1,6})M)?(?:(\d{1,7})S)?)?$`)

// lasting returns a duration such as "PT1H30M" in words, one of another form, or before its event, as it is written.
func lasting(value, lang string) string {
	m := duration.FindStringSubmatch(value)
	if m == nil {
		return value
	}
	var all time.Duration
	for i, unit := range []time.Duration{7 * 24 * time.Hour, 24 * time.Hour, time.Hour, time.Minute, time.Second} {
		n, _ := strconv.Atoi(cmp.Or(m[i+1], "0")) // the pattern has digits only
		all += time.Duration(n) * unit
	}
	if all == 0 {
		return value
	}
	return phrase.Span(all).In(lang)
}
