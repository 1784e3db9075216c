package pgstore_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"maru/bot"
	"maru/memory/memtest"
)

// TestRecordOfStatements writes down what this program sends to the server, for
// TestStatementsOfEarlierPrograms.
func TestRecordOfStatements(t *testing.T) {
	t.Parallel()
	path := os.Getenv("MARU_RECORD_STATEMENTS")
	if path == "" {
		t.Skip("MARU_RECORD_STATEMENTS names no file to write")
	}
	sh := &shelf{parent: t}
	t.Run("suites", func(t *testing.T) {
		memtest.RunRecord(t, func(t *testing.T) bot.Record { return sh.take(t) })
		memtest.RunMemory(t, replicas(sh))
	})
	sent := map[string]statement{}
	for _, l := range sh.free {
		for sql, types := range l.Prepared(t.Context()) {
			// Where pgvector is, the program adds what it does with vectors.
			if !strings.Contains(sql, "vector") && !strings.Contains(sql, "embedding") {
				sent[sql] = statement{SQL: sql, Types: types}
			}
		}
	}
	var list []statement
	for _, s := range sent {
		list = append(list, s)
	}
	slices.SortFunc(list, func(a, b statement) int { return cmp.Compare(a.SQL, b.SQL) })
	var lines bytes.Buffer
	out := json.NewEncoder(&lines)
	out.SetEscapeHTML(false)
	for _, s := range list {
		if err := out.Encode(s); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(path, lines.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d statements in %s", len(list), path)
}
