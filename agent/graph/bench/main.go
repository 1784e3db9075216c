package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// work is something that both engines do.
type work struct {
	run     func(ctx context.Context) error // once
	again   int                             // prepare runs before each batch of this many runs; 0: never
	prepare func(ctx context.Context) error // not measured
	wrote   func() int64                    // bytes given to the store so far; nil: none
}

// engine makes works by their names.
type engine map[string]func() work

// histories are the lengths of threads, in messages.
var histories = []int{0, 200, 800}

// scenario is a line of the table.
type scenario struct {
	name, title, how string
	unit             float64 // runs of a node in one run, or threads
	per              string
}

var scenarios = []scenario{
	{"line", "3 nodes in a line", "", 1, "run"},
	{"loop", "loop of 100 steps", "", 100, "step"},
	{"loop-saved", "loop of 100 steps, each saved", "eino: an interrupt after each step and a call that goes on", 100, "step"},
	{"fan", "fan-out of 10 and join", "", 1, "run"},
	{"fan-saved", "fan-out of 10 and join, saved", ours1, 1, "run"},
	{"ask", "question, answer, end", "", 1, "run"},
	{"threads", "1,000 threads of 3 saved nodes", "eino: interrupts, as above", 1, "run"},
	{"turn0", "one more turn, no history", "eino: one interrupt a turn, saved once; ours is saved three times", 1, "turn"},
	{"turn200", "one more turn, 200 messages", "", 1, "turn"},
	{"turn800", "one more turn, 800 messages", "", 1, "turn"},
}

// ours1 is how a scenario is described that only we run.
const ours1 = "ours only"

// figures are the best of all rounds.
type figures struct{ ns, bytes, allocs, wrote float64 }

func main() {
	rounds := flag.Int("rounds", 6, "how often each work is measured; the best counts")
	slice := flag.Duration("slice", 80*time.Millisecond, "how long one measurement takes")
	only := flag.String("only", "", "only works whose name has this in it")
	flag.Parse()
	err := compare(os.Stdout, *rounds, *slice, *only)
	if err == nil && *only == "" {
		err = listeners(os.Stdout, *rounds, *slice)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func compare(out io.Writer, rounds int, slice time.Duration, only string) error {
	a, b := ours(), peer()
	fmt.Fprintf(out, "| work | ours | eino 0.9.12 | time | memory: ours, eino | saved: ours, eino |\n|---|---|---|---|---|---|\n")
	for _, s := range scenarios {
		if !strings.Contains(s.name, only) {
			continue
		}
		best, err := race(rounds, slice, a[s.name], b[s.name])
		if err != nil {
			return fmt.Errorf("%s: %w", s.title, err)
		}
		fmt.Fprintln(out, s.line(best[0], best[1]))
	}
	return nil
}

// race measures two works in turns, so that the machine is the same for both.
func race(rounds int, slice time.Duration, works ...func() work) (best [2]*figures, err error) {
	for range rounds {
		for i, w := range works {
			if w == nil {
				continue
			}
			f, err := measure(w(), slice)
			if err != nil {
				return best, err
			}
			best[i] = f.best(best[i])
		}
	}
	return best, nil
}

// listeners prints the cost of ten stuck event readers for a loop.
func listeners(out io.Writer, rounds int, slice time.Duration) error {
	e := ours()
	for _, name := range []string{"loop", "loop-saved"} {
		best, err := race(rounds, slice, e[name], e[name+"-heard"])
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "\nten stuck readers of events, %s: %.0f ns a step without, %.0f with: +%.0f %%\n",
			name, best[0].ns/100, best[1].ns/100, 100*(best[1].ns/best[0].ns-1))
	}
	return nil
}

func (f figures) best(o *figures) *figures {
	if o == nil {
		return &f
	}
	return &figures{min(f.ns, o.ns), min(f.bytes, o.bytes), min(f.allocs, o.allocs), min(f.wrote, o.wrote)}
}

// measure runs a work for about the given time.
func measure(w work, slice time.Duration) (figures, error) {
	ctx := context.Background()
	var total time.Duration
	var runs int
	var before, after runtime.MemStats
	var f figures
	for total < slice {
		if w.prepare != nil {
			if err := w.prepare(ctx); err != nil {
				return f, err
			}
		} else if runs == 0 {
			if err := w.run(ctx); err != nil { // warm
				return f, err
			}
		}
		n := max(w.again, 1)
		if w.again == 0 && runs > 0 {
			n = min(1000, max(1, int(float64(slice-total)/float64(total)*float64(runs)/2)))
		}
		var wrote int64
		if w.wrote != nil {
			wrote = w.wrote()
		}
		runtime.ReadMemStats(&before)
		began := time.Now()
		for range n {
			if err := w.run(ctx); err != nil {
				return f, err
			}
		}
		total += time.Since(began)
		runtime.ReadMemStats(&after)
		runs += n
		f.bytes += float64(after.TotalAlloc - before.TotalAlloc)
		f.allocs += float64(after.Mallocs - before.Mallocs)
		if w.wrote != nil {
			f.wrote += float64(w.wrote() - wrote)
		}
	}
	n := float64(runs)
	return figures{float64(total.Nanoseconds()) / n, f.bytes / n, f.allocs / n, f.wrote / n}, nil
}

func (s scenario) line(a, b *figures) string {
	title := s.title
	if s.how != "" {
		title += " (" + s.how + ")"
	}
	cells := []string{title, s.time(a), s.time(b), ratio(a, b), s.memory(a) + "; " + s.memory(b), s.saved(a) + "; " + s.saved(b)}
	return "| " + strings.Join(cells, " | ") + " |"
}

func (s scenario) time(f *figures) string {
	if f == nil {
		return "–"
	}
	ns := f.ns / s.unit
	switch {
	case ns >= 1e6:
		return fmt.Sprintf("%.1f ms a %s", ns/1e6, s.per)
	case ns >= 1e4:
		return fmt.Sprintf("%.1f µs a %s", ns/1e3, s.per)
	}
	return fmt.Sprintf("%.0f ns a %s", ns, s.per)
}

func ratio(a, b *figures) string {
	if a == nil || b == nil {
		return "–"
	}
	return strconv.FormatFloat(math.Round(b.ns/a.ns*10)/10, 'f', -1, 64) + " ×"
}

func (s scenario) memory(f *figures) string {
	if f == nil {
		return "–"
	}
	return fmt.Sprintf("%s, %.1f allocs", size(f.bytes/s.unit), f.allocs/s.unit)
}

func (s scenario) saved(f *figures) string {
	if f == nil || f.wrote == 0 {
		return "–"
	}
	return size(f.wrote / s.unit)
}

func size(b float64) string {
	switch {
	case b >= 1e6:
		return fmt.Sprintf("%.1f MB", b/1e6)
	case b >= 1e4:
		return fmt.Sprintf("%.1f kB", b/1e3)
	}
	return fmt.Sprintf("%.0f B", b)
}
