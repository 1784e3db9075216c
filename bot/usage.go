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

// budget is what a place may still spend today.
type budget struct {
	limit int // tokens a day, 0 for no limit
	spent int
}

// warnAt is the part of a budget from which on answers say how much is used.
const warnAt = 80 // per cent

func (b budget) gone() bool  { return b.limit > 0 && b.spent >= b.limit }
func (b budget) short() bool { return b.limit > 0 && b.spent*100 >= b.limit*warnAt }

// budgetOf returns the daily budget that is nearest to its end: the workspace's
// counts what the workspace used, a channel's what the channel did. Each holds.
func (b *Bot) budgetOf(ctx context.Context, t Thread, set config.Resolved) (budget, error) {
	var tightest budget
	for level, limit := range set.Budgets {
		if limit <= 0 {
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
		this := budget{limit: limit, spent: total.Input + total.Output}
		if tightest.limit == 0 || this.spent*tightest.limit > tightest.spent*this.limit {
			tightest = this
		}
	}
	return tightest, nil
}

// note is the line under an answer when a budget runs low, "" before.
func (b budget) note(lang string) string {
	if !b.short() {
		return ""
	}
	return fmt.Sprintf(say(lang, "오늘 토큰 한도의 %d%%를 썼어요.", "%d%% of today's token budget is used."), min(100, b.spent*100/b.limit))
}

// cmdUsage sums what the place used over some days, with a small chart.
func (b *Bot) cmdUsage(ctx context.Context, c Invocation, lang string) (*Card, error) {
	days := 7
	if w := cmp.Or(c.Options["days"], strings.TrimSpace(c.Args)); w != "" {
		n, err := strconv.Atoi(w)
		if err != nil || n < 1 || n > 366 {
			return nil, &Error{Code: CodeBadCommand, Say: say(lang, "`/maru usage 7`처럼 1에서 366 사이의 날 수를 적어 주세요.", "Write a number of days from 1 to 366, as in `/maru usage 7`.")}
		}
		days = n
	}
	now := b.cfg.Now().In(b.cfg.Zone)
	q := UsageQuery{Team: c.Thread.TeamKey(), From: now.AddDate(0, 0, 1-days).Format(dayForm), To: now.Format(dayForm)}
	whose := say(lang, "이 워크스페이스", "this workspace")
	if !b.may(c.Thread, c.User, config.Admin) {
		q.User, whose = c.User.ID, say(lang, "나", "me")
	}
	rows, err := b.cfg.Record.Usage(ctx, q)
	if err != nil {
		return nil, fmt.Errorf("read usage: %w", err)
	}
	card := Card{
		Kind: CardNotice, Language: lang, Final: true,
		Title: fmt.Sprintf(say(lang, "최근 %d일 사용량 (%s)", "Usage of the last %d days (%s)"), days, whose),
	}
	if len(rows) == 0 {
		card.Text = say(lang, "아직 쓴 것이 없어요.", "Nothing was used yet.")
		return &card, nil
	}
	card.Text = usageText(rows, q, lang)
	return &card, nil
}

// usageText is the chart of days and the sums by agent, channel and person.
func usageText(rows []Used, q UsageQuery, lang string) string {
	var s strings.Builder
	total := sum(rows)
	fmt.Fprintf(&s, say(lang, "실행 %d번 · 실패 %d번 · 모델 호출 %d번 · 입력 %s · 출력 %s 토큰", "%d runs · %d failed · %d model calls · %s input · %s output tokens"),
		total.Runs, total.Failed, total.Calls, thousands(total.Input), thousands(total.Output))
	if total.Cost > 0 {
		fmt.Fprintf(&s, " · $%.4f", total.Cost)
	}
	if total.Runs > 0 {
		fmt.Fprintf(&s, say(lang, " · 평균 %.1f초", " · %.1f s on average"), total.Took.Seconds()/float64(total.Runs))
	}
	s.WriteString("\n\n```\n" + chart(rows, q) + "```\n")
	for _, by := range []struct {
		ko, en string
		key    func(Used) string
	}{
		{"에이전트별", "By agent", func(u Used) string { return u.Agent }},
		{"채널별", "By channel", func(u Used) string { return u.Channel }},
		{"사람별", "By person", func(u Used) string { return u.User }},
	} {
		if parts := grouped(rows, by.key); len(parts) > 1 {
			fmt.Fprintf(&s, "**%s**: %s\n", say(lang, by.ko, by.en), strings.Join(parts, " · "))
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
