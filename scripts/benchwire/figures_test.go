package benchwire

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// figures are what was measured of one bot in one round.
type figures struct {
	persecond     float64 // messages answered
	p50, p95, p99 float64 // ms from a message to its answer
	cpu, database float64 // ms of CPU a message
	anon          float64 // MB, the most that was seen
	calls         float64 // of the platform, a message
}

// of computes the figures that follow from how long the answers took.
func of(took []time.Duration, wall time.Duration) figures {
	slices.Sort(took)
	at := func(p int) float64 { return float64(took[(len(took)-1)*p/100].Microseconds()) / 1000 }
	return figures{persecond: float64(len(took)) / wall.Seconds(), p50: at(50), p95: at(95), p99: at(99)}
}

// columns are the figures in the order in which they are printed.
var columns = []struct {
	name string
	of   func(figures) float64
}{
	{"msg/s", func(f figures) float64 { return f.persecond }},
	{"p50 ms", func(f figures) float64 { return f.p50 }},
	{"p95 ms", func(f figures) float64 { return f.p95 }},
	{"p99 ms", func(f figures) float64 { return f.p99 }},
	{"CPU ms", func(f figures) float64 { return f.cpu }},
	{"database CPU ms", func(f figures) float64 { return f.database }},
	{"RssAnon MB", func(f figures) float64 { return f.anon }},
	{"calls", func(f figures) float64 { return f.calls }},
}

// table renders the median of each figure over the rounds and, behind the first bot, the median of
// its ratio to the first bot in the same round.
func table(names []string, rounds map[string][]figures) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-24s", "")
	for _, c := range columns {
		fmt.Fprintf(&b, "%18s", c.name)
	}
	b.WriteByte('\n')
	for i, name := range names {
		fmt.Fprintf(&b, "%-24s", name)
		for _, c := range columns {
			var own, ratio []float64
			for n, f := range rounds[name] {
				own = append(own, c.of(f))
				if bare := c.of(rounds[names[0]][n]); bare > 0 {
					ratio = append(ratio, c.of(f)/bare)
				}
			}
			cell := fmt.Sprintf("%.2f", median(own))
			if i > 0 && len(ratio) > 0 {
				cell += fmt.Sprintf(" (%.2f ×)", median(ratio))
			}
			fmt.Fprintf(&b, "%18s", cell)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func median(v []float64) float64 {
	if len(v) == 0 {
		return 0
	}
	v = slices.Sorted(slices.Values(v))
	return v[len(v)/2]
}

func TestTableShowsMediansAndRatios(t *testing.T) {
	t.Parallel()
	f := of([]time.Duration{3 * time.Millisecond, time.Millisecond, 2 * time.Millisecond}, time.Second)
	if want := (figures{persecond: 3, p50: 2, p95: 2, p99: 2}); f != want {
		t.Errorf("figures are %+v, want %+v", f, want)
	}
	got := table([]string{"bare", "maru"}, map[string][]figures{
		"bare": {{persecond: 100}, {persecond: 200}, {persecond: 300}},
		"maru": {{persecond: 50}, {persecond: 50}, {persecond: 90}},
	})
	for _, want := range []string{"msg/s", "200.00", "50.00 (0.30 ×)"} {
		if !strings.Contains(got, want) {
			t.Errorf("the table lacks %q:\n%s", want, got)
		}
	}
}
