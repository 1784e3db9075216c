package tally

import (
	"cmp"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"maru/bot"
)

// Record reads sums of usage and ratings.
type Record interface {
	Usage(ctx context.Context, q bot.UsageQuery) ([]bot.Used, error)
	Rated(ctx context.Context, team string, from, to time.Time) ([]bot.Rated, error)
}

// Read returns usage with the ratings of answers, on the day of the rating in a zone and for the person who
// asked. Deleted runs are in the sums, their ratings are not.
func Read(ctx context.Context, from Record, q bot.UsageQuery, zone *time.Location) ([]bot.Used, error) {
	rows, err := from.Usage(ctx, q)
	if err != nil {
		return nil, fmt.Errorf("read usage: %w", err)
	}
	since, err1 := time.ParseInLocation(time.DateOnly, q.From, zone)
	until, err2 := time.ParseInLocation(time.DateOnly, q.To, zone)
	if err1 != nil {
		since = time.Unix(0, 0)
	}
	if err2 != nil {
		until = farFuture
	}
	votes, err := from.Rated(ctx, q.Team, since, until.AddDate(0, 0, 1))
	if err != nil {
		return nil, fmt.Errorf("read ratings: %w", err)
	}
	return addVotes(rows, votes, q, zone), nil
}

// farFuture is later than every rating and within the range of all stores.
var farFuture = time.Date(9000, 1, 1, 0, 0, 0, 0, time.UTC)

// addVotes adds ratings to the rows of their day, place, person and agent.
func addVotes(rows []bot.Used, votes []bot.Rated, q bot.UsageQuery, zone *time.Location) []bot.Used {
	type group struct{ day, team, channel, user, column string }
	at := make(map[group]int, len(rows))
	for i, r := range rows {
		at[group{r.Day, r.Team, r.Channel, r.User, r.Column()}] = i
	}
	for _, v := range votes {
		th, err := bot.ParseThread(v.Thread)
		if err != nil || q.Channel != "" && th.Channel != q.Channel || q.User != "" && v.User != q.User {
			continue
		}
		g := group{v.At.In(zone).Format(time.DateOnly), th.TeamKey(), th.Channel, v.User, v.Agent}
		i, ok := at[g]
		if !ok { // rated on a later day
			i = len(rows)
			at[g] = i
			rows = append(rows, bot.Used{Day: g.day, Team: g.team, Channel: g.channel, User: g.user, Agent: g.column})
		}
		if v.Vote > 0 {
			rows[i].Up++
		} else {
			rows[i].Down++
		}
	}
	slices.SortStableFunc(rows, func(a, b bot.Used) int {
		return cmp.Or(cmp.Compare(a.Day, b.Day), cmp.Compare(a.Team, b.Team), cmp.Compare(a.Channel, b.Channel),
			cmp.Compare(a.User, b.User), cmp.Compare(a.Column(), b.Column()))
	})
	return rows
}

// Write writes rows as CSV with a header. The kind is "run", or the purpose of usage
// outside of runs.
func Write(to io.Writer, rows []bot.Used) error {
	w := csv.NewWriter(to)
	_ = w.Write([]string{
		"day", "team", "channel", "user", "agent", "runs", "failed", "seconds", "calls",
		"input_tokens", "output_tokens", "cached_tokens", "cost", "up", "down", "kind",
	}) // Flush reports
	for _, r := range rows {
		_ = w.Write([]string{
			r.Day, Cell(r.Team), Cell(r.Channel), Cell(r.User), Cell(r.Agent), strconv.Itoa(r.Runs), strconv.Itoa(r.Failed),
			strconv.FormatFloat(r.Took.Seconds(), 'f', 1, 64), strconv.Itoa(r.Calls), strconv.Itoa(r.Input), strconv.Itoa(r.Output),
			strconv.Itoa(r.Cached), strconv.FormatFloat(r.Cost, 'f', 6, 64), strconv.Itoa(r.Up), strconv.Itoa(r.Down), cmp.Or(string(r.Kind), "run"),
		})
	}
	w.Flush()
	return w.Error()
}

// formulaStarts are the characters that begin a formula in spreadsheets, with their
// full-width forms.
const formulaStarts = "=+-@\t\r\n＝＋－＠"

// Cell escapes a text for a CSV file, so that a spreadsheet does not read it as a formula.
func Cell(s string) string {
	if first, _ := utf8.DecodeRuneInString(strings.TrimLeft(s, " \u00a0\u3000")); s != "" && strings.ContainsRune(formulaStarts, first) {
		return "'" + s
	}
	return s
}
