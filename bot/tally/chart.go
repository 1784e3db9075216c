package tally

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"maru/bot"
	"maru/bot/place"
	"maru/phrase"
)

// chartWidth is the length of the longest bar, chartBars the maximum number of bars for days or weeks; longer
// periods are drawn by month.
const (
	chartWidth = 24
	chartBars  = 14
)

// bar is one bar of the chart.
type bar struct {
	label string
	n     int
}

// Chart draws a bar for every day, week or month: its tokens, or its runs if no tokens are
// counted.
func Chart(rows []bot.Used, q bot.UsageQuery, lang string) string {
	from, err1 := time.Parse(time.DateOnly, q.From)
	to, err2 := time.Parse(time.DateOnly, q.To)
	if err1 != nil || err2 != nil {
		return ""
	}
	days := int(to.Sub(from).Hours()/24) + 1
	runs := place.Sum(rows).Input+place.Sum(rows).Output == 0
	titles := []string{"bot.usage.tokens_by_day", "bot.usage.tokens_by_week", "bot.usage.tokens_by_month"}
	if runs {
		titles = []string{"bot.usage.runs_by_day", "bot.usage.runs_by_week", "bot.usage.runs_by_month"}
	}
	title, label := titles[0], func(day time.Time) string { return day.Format("01-02") }
	switch {
	case days <= chartBars:
	case days <= 7*chartBars: // weeks end with the last day, so that the newest is whole
		title, label = titles[1], func(day time.Time) string {
			last := to.AddDate(0, 0, -int(to.Sub(day).Hours()/24)/7*7)
			first := last.AddDate(0, 0, -6)
			if first.Before(from) {
				first = from
			}
			return first.Format("01-02") + "–" + last.Format("01-02")
		}
	default:
		title, label = titles[2], func(day time.Time) string { return day.Format("2006-01") }
	}
	byDay := map[string]int{}
	for _, r := range rows {
		if runs {
			byDay[r.Day] += r.Runs
		} else {
			byDay[r.Day] += r.Input + r.Output
		}
	}
	var bars []bar
	for day := from; !day.After(to); day = day.AddDate(0, 0, 1) {
		if l := label(day); len(bars) == 0 || bars[len(bars)-1].label != l {
			bars = append(bars, bar{label: l})
		}
		bars[len(bars)-1].n += byDay[day.Format(time.DateOnly)]
	}
	return phrase.Say(lang, title) + "\n```\n" + drawBars(bars) + "```\n"
}

// drawBars renders bars one per line, scaled to the longest.
func drawBars(bars []bar) string {
	most := 1
	for _, b := range bars {
		most = max(most, b.n)
	}
	var s strings.Builder
	for _, b := range bars {
		long := b.n * chartWidth / most
		if b.n > 0 {
			long = max(long, 1)
		}
		fmt.Fprintf(&s, "%s %-*s %s\n", b.label, chartWidth, strings.Repeat("█", long), Thousands(b.n))
	}
	return s.String()
}

// Thousands formats a number with separators.
func Thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
