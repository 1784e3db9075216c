package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// leftOf is left of the events in a file and the packages in the standard input.
func leftOf(file string) error {
	f, err := os.Open(file) //nolint:gosec // named by the caller
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // read only
	return left(f, os.Stdin, os.Stdout)
}

// left prints what a run under the race detector left to run without it: in the first line a pattern of the tests that it
// skipped or made shorter (those with the attribute "short"), in the second the packages of these tests, and then, a line
// each, the packages to run whole: those that did not pass and those with test files for builds without the detector.
// packages has lines of import path and folder.
func left(raced, packages io.Reader, out io.Writer) error {
	passed, partly := map[string]bool{}, map[string]map[string]bool{}
	lines := bufio.NewScanner(raced)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var e event
		if json.Unmarshal(lines.Bytes(), &e) != nil {
			continue // what go itself has to say
		}
		switch {
		case e.Test == "" && (e.Action == "pass" || e.Action == "fail"): // the later one counts, if tests ran again
			passed[e.Package] = e.Action == "pass"
		case e.Test != "" && (e.Action == "skip" || e.Action == "attr" && e.Key == "short"):
			if partly[e.Package] == nil {
				partly[e.Package] = map[string]bool{}
			}
			top, _, _ := strings.Cut(e.Test, "/")
			partly[e.Package][top] = true
		}
	}
	if err := lines.Err(); err != nil {
		return err
	}
	names := map[string]bool{}
	var some, whole []string
	for lines = bufio.NewScanner(packages); lines.Scan(); {
		pkg, dir, _ := strings.Cut(lines.Text(), " ")
		switch unraced, err := hasUnraced(dir); {
		case err != nil:
			return err
		case !passed[pkg] || unraced:
			whole = append(whole, pkg)
		case partly[pkg] != nil:
			some = append(some, pkg)
			maps.Copy(names, partly[pkg])
		}
	}
	fmt.Fprintf(out, "^(%s)$\n%s\n", strings.Join(slices.Sorted(maps.Keys(names)), "|"), strings.Join(some, " "))
	for _, pkg := range whole {
		fmt.Fprintln(out, pkg)
	}
	return lines.Err()
}

var withoutRace = regexp.MustCompile(`(?m)^//go:build .*!race`)

// hasUnraced reports whether a folder has test files for builds without the race detector.
func hasUnraced(dir string) (bool, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	for _, file := range files {
		text, err := os.ReadFile(file) //nolint:gosec // of a package that go lists
		if err != nil || withoutRace.Match(text) {
			return err == nil, err
		}
	}
	return false, err
}
