// Command scorecard runs the 109 scenarios of reliability in rows.tsv and prints the result of each. A scenario passes if
// every test that stands for it ran and passed; its note says at what scale. A test that was skipped, or a scenario
// without tests, is not run, with the reason.
package main

import (
	"bufio"
	"bytes"
	_ "embed"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
)

//go:embed rows.tsv
var table string

// row is one scenario.
type row struct {
	id, scenario, holds string
	tests               []test
	note                string
	fast                bool
}

// module is the prefix of package names in events.
const module = "maru/"

// test names a test by its package below the module's root.
type test struct{ pkg, name string }

// rows reads the table.
func rows(table string) ([]row, error) {
	var out []row
	for i, line := range strings.Split(strings.TrimSpace(table), "\n") {
		if strings.HasPrefix(line, "#") || strings.HasPrefix(line, "id\t") {
			continue
		}
		f := strings.Split(line, "\t")
		if len(f) != 6 {
			return nil, fmt.Errorf("rows.tsv:%d: %d fields, want 6", i+1, len(f))
		}
		r := row{id: f[0], scenario: f[1], holds: f[2], note: f[4], fast: f[5] == "fast"}
		for _, part := range strings.FieldsFunc(f[3], func(c rune) bool { return c == ';' }) {
			pkg, names, ok := strings.Cut(strings.TrimSpace(part), ":")
			if !ok {
				return nil, fmt.Errorf("rows.tsv:%d: %q names no tests", i+1, part)
			}
			for _, name := range strings.Split(names, ",") {
				r.tests = append(r.tests, test{pkg, name})
			}
		}
		out = append(out, r)
	}
	return out, nil
}

// outcome is the result of a test.
type outcome struct {
	state string // "pass", "fail", "skip", as go test says it; "" if it did not run
	why   string // of one that was skipped
}

// verdict judges a row by its tests.
func verdict(r row, of map[test]outcome) (state, why string) {
	if len(r.tests) == 0 {
		return "not run", r.note
	}
	state, why = "passed", r.note
	for _, t := range r.tests {
		switch o := of[t]; o.state {
		case "pass":
		case "skip":
			if state == "passed" {
				state, why = "not run", t.name+": "+o.why
			}
		case "fail":
			return "failed", t.pkg + " " + t.name
		default:
			return "failed", t.pkg + " " + t.name + " did not run"
		}
	}
	return state, why
}

func main() {
	fast := flag.Bool("fast", false, "the subset that CI runs")
	events := flag.String("events", "", "judge by this file of go test -json events instead of running the tests")
	page := flag.String("write", "", "write the results into this Markdown page")
	flag.Parse()
	all, err := rows(table)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	if *fast {
		all = slices.DeleteFunc(all, func(r row) bool { return !r.fast })
	}
	var results map[test]outcome
	if *events == "" {
		results = run(all)
	} else if results, err = recorded(*events); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	count := map[string]int{}
	var list bytes.Buffer
	for _, r := range all {
		state, why := verdict(r, results)
		count[state]++
		fmt.Printf("%s  %-7s  %s\n", r.id, state, why)
		var names []string
		for _, t := range r.tests {
			names = append(names, "`"+t.name+"`")
		}
		fmt.Fprintf(&list, "| %s | %s | %s | %s | %s |\n", r.id, cell(r.scenario), strings.Join(names, " "), state, cell(why))
	}
	sum := fmt.Sprintf("%d passed, %d failed, %d not run of %d", count["passed"], count["failed"], count["not run"], len(all))
	fmt.Println(sum)
	if *page != "" {
		if err := write(*page, sum, list.String()); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
	}
	if count["failed"] > 0 {
		os.Exit(1)
	}
}

func cell(s string) string { return strings.ReplaceAll(s, "|", "\\|") }

// The marks around the results in the page.
const begin, end = "<!-- scorecard -->\n", "<!-- /scorecard -->"

func write(page, sum, list string) error {
	text, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	head, rest, ok := strings.Cut(string(text), begin)
	_, tail, closed := strings.Cut(rest, end)
	if !ok || !closed {
		return fmt.Errorf("%s: no place for the results between %q and %q", page, begin, end)
	}
	body := "\n" + sum + ".\n\n| row | scenario | tests | result | scale, or why not |\n|---|---|---|---|---|\n" + list + "\n"
	return os.WriteFile(page, []byte(head+begin+body+end+tail), 0o644)
}

// run runs the tests of the rows, one package after the other.
func run(all []row) map[test]outcome {
	byPkg := map[string][]string{}
	var pkgs []string
	for _, r := range all {
		for _, t := range r.tests {
			if byPkg[t.pkg] == nil {
				pkgs = append(pkgs, t.pkg)
			}
			if !slices.Contains(byPkg[t.pkg], t.name) {
				byPkg[t.pkg] = append(byPkg[t.pkg], t.name)
			}
		}
	}
	out := map[test]outcome{}
	for _, pkg := range pkgs {
		args := []string{"test", "-json", "-vet=off", "-parallel=10", "-timeout=60m", "-run=^(" + strings.Join(byPkg[pkg], "|") + ")$", "./" + pkg}
		runPackage(exec.Command("go", args...), out)
	}
	return out
}

// runPackage keeps the outcomes of a package's tests, and shows what failing tests printed.
func runPackage(cmd *exec.Cmd, out map[test]outcome) {
	cmd.Stderr = os.Stderr
	pipe, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	if err := read(pipe, os.Stderr, out); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	_ = cmd.Wait() // the outcomes say what failed
}

// recorded returns the outcomes in a file of go test -json events. Of a test that ran twice the later one counts.
func recorded(name string) (map[test]outcome, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // read only
	out := map[test]outcome{}
	return out, read(f, io.Discard, out)
}

// read collects the outcomes of top-level tests from go test -json events, and copies the output of failed tests and
// packages to failures.
func read(events io.Reader, failures io.Writer, out map[test]outcome) error {
	said := map[test]*strings.Builder{}
	lines := bufio.NewScanner(events)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var e struct{ Action, Package, Test, Output string }
		if json.Unmarshal(lines.Bytes(), &e) != nil {
			continue
		}
		name, _, sub := strings.Cut(e.Test, "/")
		t := test{strings.TrimPrefix(e.Package, module), name}
		if said[t] == nil {
			said[t] = &strings.Builder{}
		}
		switch e.Action {
		case "output", "build-output":
			said[t].WriteString(e.Output)
		case "pass", "fail", "skip":
			if sub {
				continue
			}
			if e.Action == "fail" {
				_, _ = io.WriteString(failures, said[t].String())
			}
			o := outcome{state: e.Action}
			if e.Action == "skip" {
				o.why = reason(said[t].String())
			}
			if name != "" {
				out[t] = o
			}
			delete(said, t)
		}
	}
	return lines.Err()
}

// reason returns the last message of a skipped test, without its position.
func reason(output string) string {
	why := "skipped"
	for _, line := range strings.Split(output, "\n") {
		if _, said, ok := strings.Cut(line, "_test.go:"); ok {
			_, why, _ = strings.Cut(said, ": ")
		} else if strings.HasPrefix(line, "    ") && !strings.Contains(line, "---") {
			why = strings.TrimSpace(line)
			if _, said, ok := strings.Cut(why, ".go:"); ok {
				_, why, _ = strings.Cut(said, ": ")
			}
		}
	}
	return why
}
