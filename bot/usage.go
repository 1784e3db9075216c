package bot

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"maru/agent"
	"maru/config"
)

// dayForm is how days are written.
const dayForm = time.DateOnly

// today is the day that usage counts to.
func (b *Bot) today() string { return b.cfg.Now().In(b.cfg.Zone).Format(dayForm) }

// budget is what a place may still spend today, in tokens or in money.
type budget struct {
	limit float64 // a day, 0 for no limit
	spent float64
	money bool
}

// warnAt is the part of a budget from which on answers say how much is used.
const warnAt = 0.8

func (b budget) gone() bool  { return b.limit > 0 && b.spent >= b.limit }
func (b budget) short() bool { return b.limit > 0 && b.spent >= b.limit*warnAt }

// nearer reports whether b is nearer to its end than another budget.
func (b budget) nearer(other budget) bool {
	return other.limit == 0 || b.spent*other.limit > other.spent*b.limit
}

// budgetOf returns the daily budget that is nearest to its end: the workspace's
// counts what the workspace used, a channel's what the channel did. Each holds,
// that of tokens and that of money.
func (b *Bot) budgetOf(ctx context.Context, t Thread, set config.Resolved) (budget, error) {
	var tightest budget
	for level := range set.Budgets {
		limits := []budget{{limit: float64(set.Budgets[level])}, {limit: set.Costs[level], money: true}}
		if limits[0].limit <= 0 && limits[1].limit <= 0 {
			continue
		}
		day := b.today()
		q := UsageQuery{Team: t.TeamKey(), From: day, To: day}
		if config.Level(level) == config.Channel {
			q.Channel = t.Channel
		}
		rows, err := b.cfg.Record.Usage(ctx, q)
		if err != nil {
			return budget{}, fmt.Errorf("read usage: %w", err)
		}
		total := sum(rows)
		limits[0].spent, limits[1].spent = float64(total.Input+total.Output), total.Cost
		for _, this := range limits {
			if this.limit > 0 && this.nearer(tightest) {
				tightest = this
			}
		}
	}
	return tightest, nil
}

// note is the line under an answer when a budget runs low, "" before.
func (b budget) note(lang string) string {
	if !b.short() {
		return ""
	}
	key := "bot.tokens_run_low"
	if b.money {
		key = "bot.money_runs_low"
	}
	return say(lang, key, int(min(100, b.spent*100/b.limit)))
}

// cmdUsage sums what the place used over some days, with a small chart.
func (b *Bot) cmdUsage(ctx context.Context, c Invocation, lang string) (*Card, error) {
	days := 7
	if w := cmp.Or(c.Options["days"], strings.TrimSpace(c.Args)); w != "" {
		n, err := strconv.Atoi(w)
		if err != nil || n < 1 || n > 366 {
			return nil, &Error{Code: CodeBadCommand, Say: say(lang, "bot.write_a_number_of_days")}
		}
		days = n
	}
	now := b.cfg.Now().In(b.cfg.Zone)
	q := UsageQuery{Team: c.Thread.TeamKey(), From: now.AddDate(0, 0, 1-days).Format(dayForm), To: now.Format(dayForm)}
	whose := say(lang, "bot.this_workspace_2")
	if !b.may(c.Thread, c.User, config.Admin) {
		q.User, whose = c.User.ID, say(lang, "bot.me")
	}
	rows, err := b.cfg.Record.Usage(ctx, q)
	if err != nil {
		return nil, fmt.Errorf("read usage: %w", err)
	}
	card := Card{
		Kind: CardNotice, Language: lang, Final: true,
		Title: say(lang, "bot.usage_of_the_last_days", days, whose),
	}
	if len(rows) == 0 {
		card.Text = say(lang, "bot.nothing_was_used_yet")
		return &card, nil
	}
	card.Text = usageText(rows, q, lang)
	return &card, nil
}

// usageText is the chart of days and the sums by agent, channel and person.
func usageText(rows []Used, q UsageQuery, lang string) string {
	var s strings.Builder
	total := sum(rows)
	s.WriteString(say(lang, "bot.runs_failed_model_calls_input",
		total.Runs, total.Failed, total.Calls, thousands(total.Input), thousands(total.Output)))
	if total.Cost > 0 {
		fmt.Fprintf(&s, " · $%.4f", total.Cost)
	}
	if total.Runs > 0 {
		s.WriteString(say(lang, "bot.s_on_average", total.Took.Seconds()/float64(total.Runs)))
	}
	s.WriteString("\n\n```\n" + chart(rows, q) + "```\n")
	for _, by := range []struct {
		label string
		key   func(Used) string
	}{
		{"bot.by_agent", func(u Used) string { return u.Agent }},
		{"bot.by_channel", func(u Used) string { return u.Channel }},
		{"bot.by_person", func(u Used) string { return u.User }},
	} {
		if parts := grouped(rows, by.key); len(parts) > 1 {
			fmt.Fprintf(&s, "**%s**: %s\n", say(lang, by.label), strings.Join(parts, " · "))
		}
	}
	return s.String()
}

// sum adds up.
func sum(rows []Used) Used {
	var out Used
	for _, r := range rows {
		out.Runs += r.Runs
		out.Failed += r.Failed
		out.Took += r.Took
		out.Usage.Add(agent.Usage{Calls: r.Calls, Input: r.Input, Output: r.Output, Cached: r.Cached, Cost: r.Cost})
	}
	return out
}

// chartWidth is the longest bar, chartDays the most days that get one each.
const (
	chartWidth = 24
	chartDays  = 14
)

// chart draws a bar for every day: its tokens, or its runs where a model counts
// none.
func chart(rows []Used, q UsageQuery) string {
	byDay, most := map[string]int{}, 1
	runs := sum(rows).Input+sum(rows).Output == 0
	for _, r := range rows {
		n := r.Input + r.Output
		if runs {
			n = r.Runs
		}
		byDay[r.Day] += n
		most = max(most, byDay[r.Day])
	}
	last, err := time.Parse(dayForm, q.To)
	if err != nil {
		return ""
	}
	var s strings.Builder
	for i := chartDays - 1; i >= 0; i-- {
		day := last.AddDate(0, 0, -i).Format(dayForm)
		if day < q.From {
			continue
		}
		n := byDay[day]
		bar := n * chartWidth / most
		if n > 0 {
			bar = max(bar, 1)
		}
		fmt.Fprintf(&s, "%s %-*s %s\n", day[5:], chartWidth, strings.Repeat("█", bar), thousands(n))
	}
	return s.String()
}

// mostGroups is how many groups are listed.
const mostGroups = 5

// grouped lists the groups with the most runs.
func grouped(rows []Used, key func(Used) string) []string {
	by := map[string]int{}
	for _, r := range rows {
		by[key(r)] += r.Runs
	}
	type group struct {
		name string
		runs int
	}
	var list []group
	for name, n := range by {
		list = append(list, group{name, n})
	}
	slices.SortFunc(list, func(a, b group) int { return cmp.Or(b.runs-a.runs, strings.Compare(a.name, b.name)) })
	var out []string
	for _, g := range list[:min(len(list), mostGroups)] {
		out = append(out, fmt.Sprintf("`%s` %d", cmp.Or(g.name, "–"), g.runs))
	}
	return out
}

// thousands writes a number with separators.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
