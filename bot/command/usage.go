package command

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"maru/bot"
	"maru/bot/place"
	"maru/bot/tally"
	"maru/config"
	"maru/phrase"
)

// usageMost is the longest period in days.
const usageMost = 366

// usageForms returns the formats besides a card.
func usageForms() []string { return []string{"csv", "people", "models"} }

// usageRequest is a parsed usage command.
type usageRequest struct {
	days int
	file bool // as a CSV file
	each bool // by person
	ask  bool // by model
}

// parseUsage parses `[DAYS] [csv]` in either order, or a platform's typed options.
func parseUsage(c bot.Invocation) (usageRequest, bool) {
	call, counted := usageRequest{days: 7}, false
	words := strings.Fields(c.Args)
	if len(c.Options) > 0 {
		words = strings.Fields(c.Options["days"] + " " + c.Options["form"])
	}
	for _, w := range words {
		switch choiceFor(w, usageForms()) {
		case "csv":
			call.file = true
			continue
		case "people":
			call.each = true
			continue
		case "models":
			call.ask = true
			continue
		}
		n, err := strconv.Atoi(withoutUnit(w, phrase.All("bot.word.days")))
		if err != nil || n < 1 || n > usageMost || counted {
			return call, false
		}
		call.days, counted = n, true
	}
	return call, true
}

// withoutUnit strips a unit in any language from a number.
func withoutUnit(w string, units map[string]string) string {
	w = strings.ToLower(w)
	for _, unit := range listedNames(units, ",") {
		if n, ok := strings.CutSuffix(w, unit); ok {
			return n
		}
	}
	return w
}

// Usage shows the usage of a workspace or a person.
type Usage struct {
	rules     *place.Rules
	record    tally.Record
	platforms bot.Platforms
	zone      *time.Location
	now       func() time.Time
}

// command shows the usage of some days with a chart, or exports it as a file that only the
// caller sees.
func (us *Usage) command(ctx context.Context, c bot.Invocation, lang string) (*bot.Card, error) {
	call, ok := parseUsage(c)
	if !ok {
		return nil, &bot.Error{Code: bot.CodeBadCommand, Say: phrase.Say(lang, "bot.usage.how")}
	}
	now := us.now().In(us.zone)
	q := bot.UsageQuery{Team: c.Thread.TeamKey(), From: now.AddDate(0, 0, 1-call.days).Format(time.DateOnly), To: now.Format(time.DateOnly)}
	whose := phrase.Say(lang, "bot.usage.workspace")
	if !us.rules.May(c.Thread, c.User, config.Admin) {
		if call.each || call.ask {
			return nil, &bot.Error{Code: bot.CodeMayNot, Detail: place.Whom(config.Admin, lang)}
		}
		q.User, whose = c.User.ID, phrase.Say(lang, "bot.level.me")
	}
	rows, err := tally.Read(ctx, us.record, q, us.zone)
	if err != nil {
		return nil, err
	}
	card := bot.Card{
		Kind: bot.CardNotice, Language: lang, Final: true,
		Title: phrase.Say(lang, "bot.usage.title", call.days, whose),
	}
	own, err := us.programUsage(ctx, c, q, lang)
	if err != nil {
		return nil, err
	}
	switch {
	case len(rows) == 0:
		card.Text = strings.TrimSpace(phrase.Say(lang, "bot.usage.nothing") + "\n\n" + own)
	case call.file:
		file, err := us.export(ctx, c.Thread, c.User, q)
		if err != nil {
			return nil, err
		}
		card.Text, card.Files = phrase.Say(lang, "bot.usage.export", len(rows)), []bot.Artifact{file}
	case call.ask:
		models, err := us.models(ctx, c, q)
		if err != nil {
			return nil, err
		}
		card.Text = cmp.Or(tally.Models(models, lang), phrase.Say(lang, "bot.usage.nothing"))
	case call.each:
		people, known := tally.By(rows, tally.Person), namesOf(us.platforms, c.Thread)
		known.find(ctx, tally.Names(people))
		set, err := us.rules.Settings(ctx, c.Thread, c.User)
		if err != nil {
			return nil, err
		}
		card.Text = tally.People(people, known.of, set.PerPerson, call.days, lang)
	default:
		known := namesOf(us.platforms, c.Thread)
		known.find(ctx, topUsers(rows))
		card.Text = usageText(rows, q, known, lang) + own
		if q.User == "" {
			models, err := us.models(ctx, c, q)
			if err != nil {
				return nil, err
			}
			if line := tally.ModelLine(models, lang); line != "" {
				card.Text += fmt.Sprintf("**%s**: %s\n", phrase.Say(lang, "bot.usage.by_model"), line)
			}
		}
	}
	return &card, nil
}

// models returns usage by model: that of the workspace, and for operators that of no workspace.
func (us *Usage) models(ctx context.Context, c bot.Invocation, q bot.UsageQuery) ([]bot.Used, error) {
	q.Models = true
	rows, err := us.record.Usage(ctx, q)
	if err == nil && us.rules.Operates(c.Thread, c.User) {
		var own []bot.Used
		own, err = us.record.Usage(ctx, bot.UsageQuery{From: q.From, To: q.To, Own: true, Models: true})
		rows = append(rows, own...)
	}
	if err != nil {
		return nil, fmt.Errorf("read usage by model: %w", err)
	}
	return rows, nil
}

// programUsage returns the line with usage of no workspace, such as the indexing of public
// documents, for operators only; "" if there is none.
func (us *Usage) programUsage(ctx context.Context, c bot.Invocation, q bot.UsageQuery, lang string) (string, error) {
	if !us.rules.Operates(c.Thread, c.User) {
		return "", nil
	}
	rows, err := us.record.Usage(ctx, bot.UsageQuery{From: q.From, To: q.To, Own: true})
	if err != nil {
		return "", fmt.Errorf("read usage: %w", err)
	}
	_, beside := splitByKind(rows)
	if len(beside) == 0 {
		return "", nil
	}
	return fmt.Sprintf("**%s**: %s\n", phrase.Say(lang, "bot.usage.all_workspaces"), strings.Join(kindLines(beside, lang), " · ")), nil
}

// usageText renders the chart and the sums by agent, channel and person.
func usageText(rows []bot.Used, q bot.UsageQuery, known *names, lang string) string {
	var s strings.Builder
	total := place.Sum(rows)
	s.WriteString(phrase.Say(lang, "bot.usage.totals",
		total.Runs, total.Failed, total.Calls, tally.Thousands(total.Input), tally.Thousands(total.Output)))
	if total.Cost > 0 {
		s.WriteString(phrase.Say(lang, "bot.usage.cost_total", total.Cost))
	}
	if total.Runs > 0 {
		s.WriteString(phrase.Say(lang, "bot.usage.average", total.Took.Seconds()/float64(total.Runs)))
	}
	if total.Up+total.Down > 0 {
		fmt.Fprintf(&s, " · 👍 %d · 👎 %d", total.Up, total.Down)
	}
	s.WriteString("\n\n" + tally.Chart(rows, q, lang))
	asked, beside := splitByKind(rows)
	for _, by := range []struct {
		label string
		key   func(bot.Used) string
	}{
		{"bot.usage.by_agent", func(u bot.Used) string { return u.Agent }},
		{"bot.usage.by_channel", func(u bot.Used) string { return u.Channel }},
		{"bot.usage.by_person", func(u bot.Used) string { return u.User }},
	} {
		if parts := groupLines(asked, by.key, known); len(parts) > 1 || total.Up+total.Down > 0 && by.label == "bot.usage.by_agent" {
			fmt.Fprintf(&s, "**%s**: %s\n", phrase.Say(lang, by.label), strings.Join(parts, " · "))
		}
	}
	if len(beside) > 0 {
		fmt.Fprintf(&s, "**%s**: %s\n", phrase.Say(lang, "bot.usage.besides_answers"), strings.Join(kindLines(beside, lang), " · "))
	}
	return s.String()
}

// topUsers returns the people with the most runs.
func topUsers(rows []bot.Used) []string {
	runs := map[string]int{}
	for _, r := range rows {
		runs[r.User] += r.Runs
	}
	people := slices.SortedFunc(maps.Keys(runs), func(x, y string) int { return cmp.Or(runs[y]-runs[x], strings.Compare(x, y)) })
	return people[:min(len(people), mostGroups)]
}

// splitByKind separates the usage of runs from usage outside of runs.
func splitByKind(rows []bot.Used) (asked, beside []bot.Used) {
	for _, r := range rows {
		if r.Kind == "" {
			asked = append(asked, r)
		} else {
			beside = append(beside, r)
		}
	}
	return asked, beside
}

// kindLines lists usage outside of runs by kind, in tokens and money.
func kindLines(rows []bot.Used, lang string) []string {
	by := map[bot.SpentOn][]bot.Used{}
	for _, r := range rows {
		by[r.Kind] = append(by[r.Kind], r)
	}
	var out []string
	for _, kind := range slices.Sorted(maps.Keys(by)) {
		used := place.Sum(by[kind])
		part := phrase.Say(lang, "bot.usage.tokens_of", phrase.Say(lang, kind.Key()), tally.Thousands(used.Input+used.Output))
		if used.Cost > 0 {
			part += phrase.Say(lang, "bot.usage.cost_of", used.Cost)
		}
		out = append(out, part)
	}
	return out
}

// mostGroups is how many groups a sum lists.
const mostGroups = 5

// groupLines lists the groups with the most runs, with their ratings.
func groupLines(rows []bot.Used, key func(bot.Used) string, known *names) []string {
	by := map[string][]bot.Used{}
	for _, r := range rows {
		by[key(r)] = append(by[key(r)], r)
	}
	type group struct {
		name string
		bot.Used
	}
	var list []group
	for name, rows := range by {
		list = append(list, group{name, place.Sum(rows)})
	}
	slices.SortFunc(list, func(a, b group) int { return cmp.Or(b.Runs-a.Runs, strings.Compare(a.name, b.name)) })
	var out []string
	for _, g := range list[:min(len(list), mostGroups)] {
		part := fmt.Sprintf("%s %d", known.short(cmp.Or(g.name, "–")), g.Runs)
		if g.Up+g.Down > 0 {
			part += fmt.Sprintf(" (👍 %d 👎 %d)", g.Up, g.Down)
		}
		out = append(out, part)
	}
	return out
}
