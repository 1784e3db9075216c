package main

import (
	"encoding/json"
	"io"
	"strings"
	"testing"
)

// says returns the event of a line that a test, or with "" a package, has printed.
func says(test, line string) event {
	return event{Action: "output", Package: "p", Test: test, Output: line + "\n"}
}

// ends returns the event of a test or package that passed, failed or was skipped.
func ends(how, test string) event {
	return event{Action: how, Package: "p", Test: test, Elapsed: 1}
}

// begins returns the event of a test that runs.
func begins(test string) event {
	return event{Action: "run", Package: "p", Test: test}
}

func TestReport(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		events []event
		want   string
		failed bool
	}{
		"passed tests say nothing": {
			events: []event{says("TestA", "=== RUN   TestA"), says("TestA", "loud"), ends("pass", "TestA"), ends("pass", "")},
			want:   "ok    p  1.0s\n1 passed, 0 failed, 0 skipped\n",
		},
		"a parent of subtests is not counted": {
			events: []event{ends("pass", "TestA/x"), ends("pass", "TestA/y"), ends("pass", "TestA"), ends("pass", "")},
			want:   "ok    p  1.0s\n2 passed, 0 failed, 0 skipped\n",
		},
		"a skipped test says why": {
			events: []event{says("TestA", "=== RUN   TestA"), says("TestA", "    a_test.go:3: no server"), says("TestA", "--- SKIP: TestA"), ends("skip", "TestA"), ends("pass", "")},
			want:   "skip  p TestA: a_test.go:3: no server\nok    p  1.0s\n0 passed, 0 failed, 1 skipped\n",
		},
		"a failed subtest counts once": {
			events: []event{says("TestA/x", "wrong"), ends("fail", "TestA/x"), ends("fail", "TestA"), ends("fail", "")},
			want:   "FAIL  p TestA/x\nwrong\nFAIL  p TestA\nFAIL  p  1.0s\n0 passed, 1 failed, 0 skipped\n",
			failed: true,
		},
		"a parent that fails by itself counts": {
			events: []event{ends("pass", "TestA/x"), says("TestA", "clean-up"), ends("fail", "TestA"), ends("fail", "")},
			want:   "FAIL  p TestA\nclean-up\nFAIL  p  1.0s\n1 passed, 1 failed, 0 skipped\n",
			failed: true,
		},
		"a package that does not build counts": {
			events: []event{{Action: "build-output", Output: "a.go:1: syntax error\n"}, {Action: "fail", Package: "p", FailedBuild: "p"}},
			want:   "a.go:1: syntax error\nFAIL  p  0.0s  [build failed]\n0 passed, 1 failed, 0 skipped\n",
			failed: true,
		},
		"what a killed process says is shown": {
			events: []event{
				says("TestA", "=== RUN   TestA"), says("TestB", "=== RUN   TestB"), says("TestB", "=== PAUSE TestB"),
				says("TestC", "=== RUN   TestC"), ends("pass", "TestC"), says("TestC", "SIGQUIT: quit"), ends("fail", ""),
			},
			want: "FAIL  p  1.0s\nSIGQUIT: quit\nFAIL  p TestA did not end\n=== RUN   TestA\n" +
				"1 more tests did not end, since their process did\n1 passed, 1 failed, 0 skipped\n",
			failed: true,
		},
		"of a test and its subtest the subtest is named": {
			events: []event{says("TestA", "=== RUN   TestA"), says("TestA/x", "=== RUN   TestA/x"), ends("fail", "")},
			want: "FAIL  p  1.0s\nFAIL  p TestA/x did not end\n=== RUN   TestA/x\n" +
				"1 more tests did not end, since their process did\n0 passed, 1 failed, 0 skipped\n",
			failed: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out strings.Builder
			failed, _, err := run(strings.NewReader(""), strings.NewReader(lines(t, c.events)), &out, rerun{})
			if err != nil {
				t.Fatal(err)
			}
			if out.String() != c.want || failed != c.failed {
				t.Errorf("failed %v, printed:\n%s\nwant %v:\n%s", failed, out.String(), c.failed, c.want)
			}
		})
	}
}

// TestFailedTestsRunAgain forgives tests that pass at the second try, and nothing else.
func TestFailedTestsRunAgain(t *testing.T) {
	t.Parallel()
	broken := []event{says("TestA/x", "wrong"), ends("fail", "TestA/x"), ends("fail", "TestA"), ends("pass", "TestB"), ends("fail", "")}
	for name, c := range map[string]struct {
		first, second []event
		again         string // the patterns of the second run
		end           string
		failed        bool
	}{
		"passes then":     {broken, []event{ends("pass", "TestA/x"), ends("pass", "TestA"), ends("pass", "")}, "^TestA$", "flaky p TestA: failed, then passed\n2 passed, 0 failed, 0 skipped\n", false},
		"fails again":     {broken, broken, "^TestA$", "\n1 passed, 1 failed, 0 skipped\n", true},
		"runs nothing":    {broken, []event{ends("pass", "")}, "^TestA$", "\n1 passed, 1 failed, 0 skipped\n", true},
		"too many failed": {[]event{ends("fail", "TestA"), ends("fail", "TestB"), ends("fail", "TestC"), ends("fail", "")}, nil, "", "0 passed, 3 failed, 0 skipped\n", true},
		"a data race":     {[]event{says("TestA", "WARNING: DATA RACE"), ends("fail", "TestA"), ends("fail", "")}, nil, "", "0 passed, 1 failed, 0 skipped\n", true},
		"another's race":  {[]event{says("TestB", "WARNING: DATA RACE"), ends("pass", "TestB"), ends("fail", "TestA"), ends("fail", "")}, nil, "", "1 passed, 1 failed, 0 skipped\n", true},
		"did not end":     {[]event{says("TestA", "=== RUN   TestA"), ends("fail", "")}, nil, "", "0 passed, 1 failed, 0 skipped\n", true},
		"a clean-up":      {[]event{ends("pass", "TestA"), ends("fail", "")}, nil, "", "1 passed, 1 failed, 0 skipped\n", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asked := ""
			var out strings.Builder
			failed, forgiven, err := run(strings.NewReader(""), strings.NewReader(lines(t, c.first)), &out, rerun{most: 2, events: func(pkg, pattern string) io.Reader {
				asked += pattern
				return strings.NewReader(lines(t, c.second))
			}})
			if err != nil || failed != c.failed || forgiven == failed || asked != c.again || !strings.HasSuffix(out.String(), c.end) {
				t.Errorf("failed %v (%v), ran %q again, printed:\n%s", failed, err, asked, out.String())
			}
		})
	}
}

// lines writes events as go test does.
func lines(t *testing.T, events []event) string {
	t.Helper()
	var b strings.Builder
	for _, e := range events {
		if err := json.NewEncoder(&b).Encode(e); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

// TestEarlierResultsAreCounted, without a word about them.
func TestEarlierResultsAreCounted(t *testing.T) {
	t.Parallel()
	earlier := []event{
		says("TestA", "    a_test.go:3: in one goroutine"), ends("skip", "TestA"), ends("pass", "TestB"),
		says("TestC", "wrong"), ends("fail", "TestC"), ends("fail", ""),
		ends("pass", "TestC"), ends("pass", ""), // it was flaky
		ends("skip", "TestD"),
	}
	now := []event{begins("TestA"), ends("pass", "TestA"), begins("TestD"), says("TestD", "no server"), ends("skip", "TestD"), ends("pass", "")}
	for name, c := range map[string]struct {
		now  []event
		want string
	}{
		"some run again": {now, "skip  p TestD: no server\nok    p  1.0s\n3 passed, 0 failed, 1 skipped\n"},
		"none runs":      {nil, "2 passed, 0 failed, 2 skipped\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out strings.Builder
			failed, forgiven, err := run(strings.NewReader(lines(t, earlier)), strings.NewReader(lines(t, c.now)), &out, rerun{most: 3})
			if out.String() != c.want || failed || forgiven || err != nil {
				t.Errorf("failed %v, forgiven %v, error %v, printed:\n%s\nwant:\n%s", failed, forgiven, err, &out, c.want)
			}
		})
	}
}

// TestWhatIsNoEventIsShown: what go says before it gives up. Then nothing ran, which is an error.
func TestWhatIsNoEventIsShown(t *testing.T) {
	t.Parallel()
	for _, said := range []string{"", "go: no such module\n"} {
		var out strings.Builder
		if failed, _, err := run(strings.NewReader(""), strings.NewReader(said), &out, rerun{}); !failed || err == nil || out.String() != said {
			t.Errorf("of %q failed %v, error %v, printed %q", said, failed, err, &out)
		}
	}
}
