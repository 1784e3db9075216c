package when

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"maru/phrase"
)

// Words says the rule in a language, by the clocks of a zone: "every Monday at 9:00", "매주 월요일 오전 9:00". A cron
// expression that has no short sentence is quoted.
func (r Rule) Words(lang string, zone *time.Location) string {
	if !r.Repeats() {
		return Moment(r.At, lang, zone)
	}
	f := strings.Fields(r.Cron)
	if len(f) != 5 {
		return phrase.Say(lang, "when.cron", r.Cron)
	}
	if s := interval(f, lang); s != "" {
		return s
	}
	at, ok := clocks(f[0], f[1], lang)
	switch day, names, numbered := numberedWeekday(f[4], lang); {
	case !ok:
	case f[3] == "1,4,7,10" && f[2] == "1" && f[4] == "*":
		return phrase.Say(lang, "when.quarterly", at)
	case f[3] == "3,6,9,12" && f[2] == "L" && f[4] == "*":
		return phrase.Say(lang, "when.quarter_end", at)
	case f[3] != "*":
		if on, err := time.Parse("2 1", f[2]+" "+f[3]); err == nil && f[4] == "*" {
			return phrase.Say(lang, "when.yearly", on.Format(phrase.Say(lang, "when.month_day")), at)
		}
	case r.Step > 1:
		return r.stepWords(f, at, lang)
	case f[2] == "*" && numbered:
		if days, ok := weekdayNames(day, lang); ok {
			return phrase.Say(lang, "when.nth_weekday", names, days, at)
		}
	case (f[2] == "1W" || f[2] == "LW") && f[4] == "*":
		return phrase.Say(lang, "when.nth_weekday", nthName(f[2][:1], lang), phrase.Say(lang, "when.weekday"), at)
	case f[2] == "L" && f[4] == "*":
		return phrase.Say(lang, "when.month_end", at)
	case f[2] == "*" && f[4] == "*":
		return phrase.Say(lang, "when.daily", at)
	case f[2] == "*" && f[4] == "1-5":
		return phrase.Say(lang, "when.weekdays", at)
	case f[2] == "*":
		if days, ok := weekdayNames(f[4], lang); ok {
			return phrase.Say(lang, "when.weekly", days, at)
		}
	case f[4] == "*":
		if days, ok := numbers(f[2], 1, 31); ok {
			return phrase.Say(lang, "when.monthly", join(days), at)
		}
	}
	return phrase.Say(lang, "when.cron", r.Cron)
}

// stepWords says a rule that is due only every so many days, weeks or months.
func (r Rule) stepWords(f []string, at, lang string) string {
	if days, ok := weekdayNames(f[4], lang); ok && f[2] == "*" {
		return phrase.Say(lang, "when.step_weeks", r.Step, days, at)
	}
	switch {
	case f[4] != "*":
	case f[2] == "*":
		return phrase.Say(lang, "when.step_days", r.Step, at)
	case f[2] == "L":
		return phrase.Say(lang, "when.step_month_end", r.Step, at)
	default:
		return phrase.Say(lang, "when.step_months", r.Step, f[2], at)
	}
	return phrase.Say(lang, "when.cron", r.Cron)
}

// numberedWeekday reads a field such as "5#2" and "5#2,5#4": the weekday, and the names of its numbers. ok is false for another field.
func numberedWeekday(field, lang string) (day, names string, ok bool) {
	var out []string
	for part := range strings.SplitSeq(field, ",") {
		of, nr, numbered := strings.Cut(part, "#")
		if !numbered || day != "" && of != day {
			return "", "", false
		}
		day = of
		out = append(out, nthName(nr, lang))
	}
	return day, strings.Join(out, ", "), true
}

// nthName names which weekday of a month it is: "1" to "5", "L" for the last.
func nthName(nr, lang string) string {
	names := strings.Fields(phrase.Say(lang, "when.nth"))
	n, err := strconv.Atoi(nr)
	if err != nil || n < 1 || n > len(names) {
		n = len(names)
	}
	return names[n-1]
}

// interval says a rule that is due every few minutes or hours.
func interval(f []string, lang string) string {
	if f[2] != "*" || f[3] != "*" || f[4] != "*" {
		return ""
	}
	if n, ok := strings.CutPrefix(f[0], "*/"); ok && f[1] == "*" {
		return phrase.Say(lang, "when.minutes", n)
	}
	minute, err := strconv.Atoi(f[0])
	if err != nil {
		return ""
	}
	if f[1] == "*" {
		return phrase.Say(lang, "when.hourly", minute)
	}
	if n, ok := strings.CutPrefix(f[1], "*/"); ok {
		return phrase.Say(lang, "when.hours", n, minute)
	}
	return ""
}

// clocks says the times of day of a rule with one minute and listed hours.
func clocks(minute, hours, lang string) (string, bool) {
	m, err := strconv.Atoi(minute)
	list, ok := numbers(hours, 0, 23)
	if err != nil || !ok {
		return "", false
	}
	var out []string
	for _, h := range list {
		out = append(out, Clock(time.Date(2000, 1, 1, h, m, 0, 0, time.UTC), lang))
	}
	return strings.Join(out, ", "), true
}

// Clock says a time of day: "9:00 am", "오전 9:00".
func Clock(t time.Time, lang string) string {
	half := "when.am"
	if t.Hour() >= 12 {
		half = "when.pm"
	}
	return phrase.Say(lang, half, t.Format("3:04"))
}

// Moment says a moment with its day: "27 November 2026 (Friday), 3:00 pm", "2026년 11월 27일(금요일) 오후 3:00".
func Moment(t time.Time, lang string, zone *time.Location) string {
	t = t.In(zone)
	day := dayName(int(t.Weekday()), lang)
	return phrase.Say(lang, "when.moment", t.Format(phrase.Say(lang, "when.date")), day, Clock(t, lang))
}

// Zoned is [Moment] with the zone, for readers in several.
func Zoned(t time.Time, lang string, zone *time.Location) string {
	return Moment(t, lang, zone) + t.In(zone).Format(" MST")
}

// Local is [Zoned] for the time zone of each reader.
func Local(t time.Time, lang string, zone *time.Location) phrase.Timed {
	return phrase.Local(t, Zoned(t, lang, zone))
}

// weekdayNames says the weekdays of a field: numbers, lists and ranges.
func weekdayNames(field, lang string) (string, bool) {
	list, ok := numbers(field, 0, 7)
	if !ok {
		return "", false
	}
	var out []string
	for _, d := range list {
		if d < 7 || list[0] != 0 { // 7 is Sunday too
			out = append(out, dayName(d%7, lang))
		}
	}
	return strings.Join(out, ", "), true
}

// numbers reads "1", "1,3" and "1-3".
func numbers(field string, least, most int) ([]int, bool) {
	var out []int
	for part := range strings.SplitSeq(field, ",") {
		from, to, ranged := strings.Cut(part, "-")
		a, err := strconv.Atoi(from)
		b := a
		if err == nil && ranged {
			b, err = strconv.Atoi(to)
		}
		if err != nil || a < least || b > most || b < a {
			return nil, false
		}
		for n := a; n <= b; n++ {
			out = append(out, n)
		}
	}
	slices.Sort(out)
	return slices.Compact(out), true
}

func join(list []int) string {
	var out []string
	for _, n := range list {
		out = append(out, strconv.Itoa(n))
	}
	return strings.Join(out, ", ")
}

// dayName names a weekday, 0 for Sunday.
func dayName(d int, lang string) string {
	names := strings.Fields(phrase.Say(lang, "when.days"))
	return names[d%len(names)]
}
