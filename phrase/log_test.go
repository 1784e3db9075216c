package phrase_test

import (
	"go/ast"
	"regexp"
	"slices"
	"testing"
)

// logMethods are the calls that write to the log, by where their keys begin.
var logMethods = map[string]int{
	".Info": 1, ".Warn": 1, ".Error": 1, ".Debug": 1,
	".InfoContext": 2, ".WarnContext": 2, ".ErrorContext": 2, ".DebugContext": 2,
}

// otherNames are what a thing that has a key in docs/operating.md might be called too.
var otherNames = map[string]string{
	"error": "err", "cause": "err", "attempt": "tries", "attempts": "tries", "retries": "tries", "retry_after": "wait", "delay": "wait",
	"workspace": "team", "team_id": "team", "guild": "team", "guild_id": "team", "tenant": "team", "channel_id": "channel", "place": "channel",
	"thread_id": "thread", "run_id": "run", "approval_id": "approval", "job_id": "job", "user_id": "user", "reference": "ref",
}

// TestOneThingHasOneLogKey finds keys that are not simple words, and those that
// call by another name what has a key already: a search of the log for one would
// miss the other. It finds keys written out, which nearly all are.
func TestOneThingHasOneLogKey(t *testing.T) {
	t.Parallel()
	simple, seen := regexp.MustCompile(`^[a-z]+(_[a-z]+)*$`), 0
	for _, s := range sources(t) {
		if s.tree == nil {
			continue
		}
		ast.Inspect(s.tree, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			from, ok := logMethods[funcName(call)]
			if !ok || len(call.Args) <= from {
				return true
			}
			if _, ok := literal(call.Args[from-1]); !ok {
				return true // not a log line
			}
			for args := range slices.Chunk(call.Args[from:], 2) {
				key, ok := literal(args[0])
				if !ok {
					break // attributes made elsewhere
				}
				seen++
				if name := otherNames[key]; name != "" {
					t.Errorf("%s: the log key %q is %q elsewhere", s.set.Position(call.Pos()), key, name)
				} else if !simple.MatchString(key) {
					t.Errorf("%s: the log key %q is not a simple word", s.set.Position(call.Pos()), key)
				}
			}
			return true
		})
	}
	if seen < 300 {
		t.Errorf("only %d keys were found: the test looks in the wrong place", seen)
	}
}
