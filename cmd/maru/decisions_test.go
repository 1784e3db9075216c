package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// mostDecisions is how many records a newcomer can be expected to look through, and
// removedDecisions how many numbers older commits name whose records were removed.
const (
	mostDecisions    = 25
	removedDecisions = 165
	mostWords        = 350 // of a record: half a page
)

var (
	decisionHead = regexp.MustCompile(`^# (\d{4}) (\S.*)\n`)
	removedRow   = regexp.MustCompile(`(?m)^\| (\d{4}) \| (.+) \| (.+) \|$`)
	placeInTree  = regexp.MustCompile("`([a-zA-Z]+(?:[/.][a-zA-Z_.]+)*)`")
	decisionName = regexp.MustCompile(`[Dd]ecisions?[ /](\d{4})\b|\(\[?(0\d{3})[\]) ,;]`)
)

// TestDecisionsAreFewAndShort holds the records to their form, and the list in their
// README to the records.
func TestDecisionsAreFewAndShort(t *testing.T) {
	t.Parallel()
	records := decisionFiles(t)
	if len(records) > mostDecisions {
		t.Errorf("%d records, of at most %d: let a new one take the place of an old one", len(records), mostDecisions)
	}
	list := readDecisions(t, "README.md")
	for number, file := range records {
		text := readDecisions(t, file)
		head := decisionHead.FindStringSubmatch(text)
		if head == nil || head[1] != number {
			t.Errorf("%s does not begin with its number and title", file)
			continue
		}
		if line := fmt.Sprintf("- [%s](%s) %s\n", number, file, head[2]); !strings.Contains(list, line) {
			t.Errorf("README.md lacks the line %q", line)
		}
		for _, part := range []string{"**Decision.**", "**Rejected.**", "**Revisit when**", "**Shown by** `go test"} {
			if !strings.Contains(text, part) {
				t.Errorf("%s has no %s", file, part)
			}
		}
		if n := len(strings.Fields(text)); n > mostWords {
			t.Errorf("%s has %d words, of at most %d", file, n, mostWords)
		}
	}
	if got := strings.Count(list, "\n- ["); got != len(records) {
		t.Errorf("README.md lists %d records, there are %d", got, len(records))
	}
}

// TestRemovedDecisionsAreMapped: the README says of each removed number where its content
// is now, and what it names is there.
func TestRemovedDecisionsAreMapped(t *testing.T) {
	t.Parallel()
	records, mapped := decisionFiles(t), map[string]bool{}
	for _, row := range removedRow.FindAllStringSubmatch(readDecisions(t, "README.md"), -1) {
		number, now := row[1], row[3]
		if records[number] != "" || mapped[number] {
			t.Errorf("%s is mapped, and is there or mapped already", number)
		}
		mapped[number] = true
		for _, p := range placeInTree.FindAllStringSubmatch(now, -1) {
			if p[1] == "reply_messages" { // a table of the record
				continue
			}
			if _, err := os.Stat(filepath.Join("..", "..", filepath.FromSlash(p[1]))); err != nil {
				t.Errorf("%s: %v", number, err)
			}
		}
	}
	if len(mapped) < removedDecisions {
		t.Errorf("%d numbers are mapped, %d were removed", len(mapped), removedDecisions)
	}
}

// TestNoFileNamesARemovedDecision reads every text of the repository.
func TestNoFileNamesARemovedDecision(t *testing.T) {
	if testing.Short() {
		t.Skip("reads every file, and runs nothing")
	}
	t.Parallel()
	records, root, named := decisionFiles(t), filepath.Join("..", ".."), 0
	must(t, "walk", walkOwn(root, func(file string, d fs.DirEntry) error {
		texts := []string{".go", ".md", ".txt", ".sql", ".yaml", ".yml", ".js", ".css", ".sh", ".html", ""}
		if d.IsDir() || !d.Type().IsRegular() || !slices.Contains(texts, filepath.Ext(file)) {
			return nil
		}
		if info, err := d.Info(); err != nil || info.Size() > 1<<20 { // a data set, not a page
			return err
		}
		raw, err := os.ReadFile(file)
		for _, m := range decisionName.FindAllStringSubmatch(string(raw), -1) {
			named++
			if records[m[1]+m[2]] == "" {
				t.Errorf("%s names the removed decision %q: docs/decisions/README.md says where it went", file, m[0])
			}
		}
		return err
	}))
	if named < 15 {
		t.Errorf("only %d names of decisions were found", named)
	}
}

// decisionFiles returns the names of the records' files, by number.
func decisionFiles(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", "docs", "decisions", "[0-9]*.md"))
	must(t, "list", err)
	out := map[string]string{}
	for _, f := range files {
		number, _, _ := strings.Cut(filepath.Base(f), "-")
		if out[number] != "" {
			t.Errorf("two records have the number %s", number)
		}
		out[number] = filepath.Base(f)
	}
	return out
}

func readDecisions(t *testing.T, name string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("..", "..", "docs", "decisions", name))
	must(t, "read", err)
	return string(raw)
}
