package checkup

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"maru/agent/autonomous"
	"maru/agent/workflow"
	"maru/bot"
	"maru/bot/parking"
)

// Parked reports the number of items parked after crashes.
func Parked(ctx context.Context, s parking.Store) []bot.Finding {
	n, err := parking.Count(ctx, s)
	if err == nil && n == 0 {
		return nil
	}
	if err == nil {
		err = fmt.Errorf("%w: %d are parked because the program crashed on them; `/maru retry list` shows them, `/maru retry all` tries them again", bot.ErrLimited, n)
	}
	return []bot.Finding{{Part: "parked", Err: err}}
}

// Workflows lists the team's own workflows and their broken files, because authors look at the console rather
// than the log.
func Workflows(team *autonomous.Folder) []bot.Finding {
	faults, n := team.Faults(), len(team.IDs())
	if len(faults) == 0 && n == 0 {
		return nil
	}
	f := bot.Finding{Part: "workflows", Count: "bot.workflows.active", N: n}
	var broken []string
	for _, file := range slices.Sorted(maps.Keys(faults)) {
		what := "does not serve"
		if team.Keeps(file) {
			what = "serves as it was before"
		}
		var first workflow.Problems
		if errors.As(faults[file], &first) {
			i := max(0, slices.IndexFunc(first, func(p workflow.Problem) bool { return !p.Warning }))
			what += ": " + first[i].String()
		}
		broken = append(broken, file+" is broken and "+what)
	}
	if len(broken) > 0 {
		f.Err = fmt.Errorf("%w: %s", bot.ErrLimited, strings.Join(broken, "; "))
	}
	return []bot.Finding{f}
}
