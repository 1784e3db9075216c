// Command testcount reads the events of `go test -json` and prints a summary for people: a line a package, the whole output
// of failed tests, the reasons of skipped ones, the tests running when their process died, and the numbers of passed,
// failed and skipped tests. It must not know Maru.
//
//	testcount [-replay FILE] [-events FILE] [-again N] [go test FLAGS]
//
//	testcount -left FILE
//
// With -left, it prints what the run of FILE's events left to run without the race detector, of the packages in its
// input; see left.
// With -replay, the results of an earlier run, FILE's events, are counted with those of the input. They are not printed
// again, and a result in the input replaces that of the same test.
// With -events, all events are copied to FILE for other programs.
// With -again, up to N failed tests run once more with the command given; those that pass then are listed as flaky and
// do not count as failures, and the exit status is 3. A data race, a test that did not end and a package that did not build are never forgiven.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"sort"
	"strings"
)

// event is a line of `go test -json`; see `go doc test2json`.
type event struct {
	Action, Package, ImportPath, Test, Output, FailedBuild string
	Key                                                    string // of an attribute
	Elapsed                                                float64
}

// key names a test, or a package with an empty test.
type key struct{ pkg, test string }

type report struct {
	out    io.Writer
	output map[key][]string
	result map[key]string
	parent map[key]bool // tests with subtests, which are counted instead
	grave  bool         // something failed that a second run does not excuse
}

func main() {
	most := flag.Int("again", 0, "failed tests that may run once more, with the command given")
	replay := flag.String("replay", "", "count the results of this file of events too")
	copyTo := flag.String("events", "", "copy all events to this file")
	raced := flag.String("left", "", "print what a run under the race detector with these events left to run")
	flag.Parse()
	if *raced != "" {
		if err := leftOf(*raced); err != nil {
			fmt.Fprintln(os.Stderr, "testcount:", err)
			os.Exit(2)
		}
		return
	}
	events := io.Discard
	if *copyTo != "" {
		f, err := os.Create(*copyTo)
		if err != nil {
			fmt.Fprintln(os.Stderr, "testcount:", err)
			os.Exit(2)
		}
		defer func() { _ = f.Close() }() // written by unbuffered writes
		events = f
	}
	again := rerun{most: *most, events: func(pkg, pattern string) io.Reader {
		cmd := exec.Command(flag.Arg(0), append(slices.Clone(flag.Args()[1:]), "-json", "-run", pattern, pkg)...)
		cmd.Stderr = os.Stderr
		out, _ := cmd.Output() // a failure is among the events
		return io.TeeReader(bytes.NewReader(out), events)
	}}
	if flag.NArg() < 2 {
		again.most = 0
	}
	earlier := io.Reader(strings.NewReader(""))
	if *replay != "" {
		f, err := os.Open(*replay)
		if err != nil {
			fmt.Fprintln(os.Stderr, "testcount:", err)
			os.Exit(2)
		}
		defer func() { _ = f.Close() }() // read only
		earlier = io.TeeReader(f, events)
	}
	failed, forgiven, err := run(earlier, io.TeeReader(os.Stdin, events), os.Stdout, again)
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "testcount:", err)
		os.Exit(2)
	case failed:
		os.Exit(1)
	case forgiven:
		os.Exit(3)
	}
}

// rerun runs failed tests once more.
type rerun struct {
	most   int                                 // more failed top-level tests than this do not count as flakes
	events func(pkg, pattern string) io.Reader // runs a package's tests whose names match
}

// run reads the events of an earlier run, which were printed then, and events until in ends. It reports whether any test
// failed for good and whether any passed at its second run only. Its error is that of reading, or that nothing ran.
func run(earlier, in io.Reader, out io.Writer, again rerun) (failed, forgiven bool, err error) {
	r := newReport(io.Discard)
	if err := r.read(earlier); err != nil {
		return true, false, err
	}
	r.close()
	r.out = out
	clear(r.output)
	if err := r.read(in); err != nil {
		return true, false, err
	}
	r.close()
	if len(r.result) == 0 {
		return true, false, errors.New("no package and no test ran")
	}
	for _, k := range r.forgivable(again.most) {
		second := newReport(io.Discard)
		if err := second.read(again.events(k.pkg, "^"+k.test+"$")); err != nil {
			return true, false, err
		}
		second.close()
		if n := second.count(); n["fail"] == 0 && n["pass"] > 0 {
			fmt.Fprintf(out, "flaky %s %s: failed, then passed\n", k.pkg, k.test)
			r.forgive(k)
			forgiven = true
		}
	}
	n := r.count()
	fmt.Fprintf(out, "%d passed, %d failed, %d skipped\n", n["pass"], n["fail"], n["skip"])
	return n["fail"] > 0, forgiven, nil
}

func newReport(out io.Writer) *report {
	return &report{out: out, output: map[key][]string{}, result: map[key]string{}, parent: map[key]bool{}}
}

// read takes all events of a run.
func (r *report) read(in io.Reader) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var e event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			fmt.Fprintln(r.out, lines.Text()) // not an event: what go itself has to say
			continue
		}
		r.take(e)
	}
	return lines.Err()
}

// forgivable returns the top-level tests that failed; none if there are more than most, or if something failed that
// is not the failure of a test.
func (r *report) forgivable(most int) []key {
	if r.grave {
		return nil
	}
	tops, pkgs := map[key]bool{}, map[string]bool{}
	for k, res := range r.result {
		if res == "fail" && k.test != "" {
			top, _, _ := strings.Cut(k.test, "/")
			tops[key{k.pkg, top}] = true
			pkgs[k.pkg] = true
		}
	}
	for k, res := range r.result {
		if res == "fail" && k.test == "" && !pkgs[k.pkg] { // it failed outside of its tests
			return nil
		}
	}
	out := slices.Collect(maps.Keys(tops))
	if len(out) > most {
		return nil
	}
	sort.Slice(out, func(i, j int) bool { return out[i].pkg+out[i].test < out[j].pkg+out[j].test })
	return out
}

// forgive counts a failed top-level test, what failed below it and, if nothing else failed there, its package as
// passed.
func (r *report) forgive(k key) {
	rest := false
	for at, res := range r.result {
		switch {
		case at.pkg != k.pkg || res != "fail" || at.test == "":
		case at.test == k.test || strings.HasPrefix(at.test, k.test+"/"):
			r.result[at] = "pass"
		default:
			rest = true
		}
	}
	if !rest {
		r.result[key{pkg: k.pkg}] = "pass"
	}
}

// take records an event and prints its immediate output.
func (r *report) take(e event) {
	k := key{e.Package, e.Test}
	if i := strings.LastIndex(e.Test, "/"); i > 0 {
		r.parent[key{e.Package, e.Test[:i]}] = true
	}
	switch e.Action {
	case "run":
		delete(r.result, k) // of an earlier run
	case "build-output":
		fmt.Fprint(r.out, e.Output)
	case "output":
		// Whichever test it is attributed to: that of a parallel test may go to one that passes.
		r.grave = r.grave || strings.Contains(e.Output, "WARNING: DATA RACE")
		// go gives what a process says as a whole, the goroutines of one that was killed,
		// to the test that spoke last, which may have ended.
		if r.result[k] != "" {
			k.test = ""
		}
		r.output[k] = append(r.output[k], e.Output)
	case "pass", "skip":
		r.result[k] = e.Action
		if e.Action == "skip" && e.Test != "" {
			fmt.Fprintf(r.out, "skip  %s %s: %s\n", e.Package, e.Test, r.reason(k))
		}
		if e.Test == "" && e.Action == "pass" {
			fmt.Fprintf(r.out, "ok    %s  %.1fs\n", e.Package, e.Elapsed)
		}
		delete(r.output, k)
	case "fail":
		r.result[k] = e.Action
		r.fail(k, e)
		delete(r.output, k)
	}
}

// reason returns the last thing that a skipped test said.
func (r *report) reason(k key) string {
	why := ""
	for _, line := range r.output[k] {
		if s := strings.TrimSpace(line); !strings.HasPrefix(s, "===") && !strings.HasPrefix(s, "---") {
			why = s
		}
	}
	return why
}

// fail prints all that a test or package said.
func (r *report) fail(k key, e event) {
	r.grave = r.grave || e.FailedBuild != ""
	if k.test != "" {
		fmt.Fprintf(r.out, "FAIL  %s %s\n%s", k.pkg, k.test, strings.Join(r.output[k], ""))
		return
	}
	why := ""
	if e.FailedBuild != "" {
		why = "  [build failed]"
	}
	fmt.Fprintf(r.out, "FAIL  %s  %.1fs%s\n%s", k.pkg, e.Elapsed, why, strings.Join(r.output[k], ""))
}

// paused reports whether a test's turn had not come: parallel tests wait for those that are not.
func (r *report) paused(k key) bool {
	lines := r.output[k]
	return len(lines) > 0 && strings.HasPrefix(lines[len(lines)-1], "=== PAUSE")
}

// close prints tests that never ended.
func (r *report) close() {
	above := map[key]bool{} // tests that wait for one below them
	for k := range r.output {
		for i, c := range k.test {
			if c == '/' {
				above[key{k.pkg, k.test[:i]}] = true
			}
		}
	}
	var open []key
	idle := 0
	for k := range r.output {
		switch {
		case k.test == "":
		case above[k] || r.paused(k):
			idle++
		default:
			open = append(open, k)
		}
	}
	sort.Slice(open, func(i, j int) bool { return open[i].pkg+open[i].test < open[j].pkg+open[j].test })
	for _, k := range open { // a panic or a time-out ended the process
		fmt.Fprintf(r.out, "FAIL  %s %s did not end\n%s", k.pkg, k.test, strings.Join(r.output[k], ""))
		r.result[k] = "fail"
		r.grave = true
	}
	if idle > 0 {
		fmt.Fprintf(r.out, "%d more tests did not end, since their process did\n", idle)
	}
}

// count counts tests without subtests, and whatever failed by itself although
// all below it passed: a parent in its clean-up, a package that did not build.
func (r *report) count() map[string]int {
	below := map[key]bool{} // something below it failed
	for k, res := range r.result {
		if res != "fail" || k.test == "" {
			continue
		}
		below[key{k.pkg, ""}] = true
		for i, c := range k.test {
			if c == '/' {
				below[key{k.pkg, k.test[:i]}] = true
			}
		}
	}
	n := map[string]int{}
	for k, res := range r.result {
		leaf := k.test != "" && !r.parent[k]
		if leaf || res == "fail" && !below[k] {
			n[res]++
		}
	}
	return n
}
