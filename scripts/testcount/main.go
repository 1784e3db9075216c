// Testcount reads the events of `go test -json` and prints a summary for people: a line a package, the whole output
// of failed tests, the reasons of skipped ones, the tests running when their process died, and the numbers of passed,
// failed and skipped tests. It must not know Maru.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sort"
	"strings"
)

// event is a line of `go test -json`; see `go doc test2json`.
type event struct {
	Action, Package, ImportPath, Test, Output, FailedBuild string
	Elapsed                                                float64
}

// key names a test, or a package with an empty test.
type key struct{ pkg, test string }

type report struct {
	out    io.Writer
	output map[key][]string
	result map[key]string
	parent map[key]bool // tests with subtests, which are counted instead
}

func main() {
	failed, err := run(os.Stdin, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "testcount:", err)
		os.Exit(2)
	}
	if failed {
		os.Exit(1)
	}
}

// run reads events until in ends, and reports whether any test failed. Its error is that of
// reading.
func run(in io.Reader, out io.Writer) (failed bool, err error) {
	r := report{out: out, output: map[key][]string{}, result: map[key]string{}, parent: map[key]bool{}}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var e event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			fmt.Fprintln(out, lines.Text()) // not an event: what go itself has to say
			continue
		}
		r.take(e)
	}
	return r.close(), lines.Err()
}

// take records an event and prints its immediate output.
func (r *report) take(e event) {
	k := key{e.Package, e.Test}
	if i := strings.LastIndex(e.Test, "/"); i > 0 {
		r.parent[key{e.Package, e.Test[:i]}] = true
	}
	switch e.Action {
	case "build-output":
		fmt.Fprint(r.out, e.Output)
	case "output":
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

// reason is the last thing that a skipped test said.
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

// close prints tests that never ended, counts, and reports whether any failed.
func (r *report) close() bool {
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
	}
	if idle > 0 {
		fmt.Fprintf(r.out, "%d more tests did not end, since their process did\n", idle)
	}
	n := r.count()
	fmt.Fprintf(r.out, "%d passed, %d failed, %d skipped\n", n["pass"], n["fail"], n["skip"])
	return n["fail"] > 0
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
