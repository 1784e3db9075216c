package memtest

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"maru/memory/schema"
)

// RunMigrations checks a store's migrations: no step marked additive may break a program that runs beside it, and no
// released step may differ from its entry in SUMS.
func RunMigrations(t *testing.T, folder fs.FS) {
	t.Helper()
	steps, err := schema.Steps(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, fault := range Destructive(steps) {
		t.Error(fault)
	}
	raw, err := fs.ReadFile(folder, "migrations/SUMS")
	if err != nil {
		t.Fatal(err)
	}
	sums := strings.Split(strings.TrimSpace(string(raw)), "\n")
	for i, s := range steps {
		want := fmt.Sprintf("%x  %s.sql", sha256.Sum256([]byte(s.Script)), s.Name)
		switch {
		case i >= len(sums):
			t.Errorf("%s is not in SUMS; once it is, it stays as it is: add the line %q", s.Name, want)
		case sums[i] != want:
			t.Errorf("%s was changed: databases that have it would keep the old form; add a step instead", s.Name)
		}
	}
	if len(sums) > len(steps) {
		t.Errorf("%d steps, SUMS knows %d: a step was removed", len(steps), len(sums))
	}
}

// The allowlist of additive statements; everything else is refused.
var (
	createTable  = regexp.MustCompile(`(?is)^CREATE TABLE (?:IF NOT EXISTS )?(\w+)\s*\(.*\)[^()]*$`)
	createOther  = regexp.MustCompile(`(?is)^CREATE (?:OR REPLACE )?(?:SEQUENCE|VIEW|FUNCTION) `)
	createIndex  = regexp.MustCompile(`(?is)^CREATE (UNIQUE )?INDEX (?:IF NOT EXISTS )?\w+ ON (\w+)`)
	alterTable   = regexp.MustCompile(`(?is)^ALTER TABLE (?:IF EXISTS )?(\w+)\s+(.*)$`)
	addColumn    = regexp.MustCompile(`(?is)^ADD (?:COLUMN )?(?:IF NOT EXISTS )?\w+\s+[\w ]+?(?:\[\])?(?:\s+COLLATE\s+\S+)?((?:\s+(?:NOT\s+NULL|NULL|DEFAULT\s+(?:'[^']*'|-?[\w.]+)))*)$`)
	changeRows   = regexp.MustCompile(`(?is)^(?:UPDATE|INSERT INTO) (\w+)`)
	lineComment  = regexp.MustCompile(`--[^\n]*`)
	brief        = regexp.MustCompile(`(?m)^-- brief: \S`)
	notPlain     = regexp.MustCompile(`(?i)\b(?:UNIQUE|PRIMARY|REFERENCES|CHECK|GENERATED|SERIAL|BIGSERIAL|SMALLSERIAL)\b`)
	quoted       = regexp.MustCompile(`'[^']*'`)
	keptTogether = regexp.MustCompile(`(?s)\$\$.*?\$\$|'[^']*'|--[^\n]*|;`)
)

// Destructive returns the effects of additive steps that would break an older program: a dropped or renamed column, a
// changed type, a new required column or constraint, a long table lock. A statement with the comment "-- brief: why"
// before it may hold a lock.
func Destructive(steps []schema.Step) []string {
	var faults []string
	before := map[string]bool{}
	for _, s := range steps {
		fresh := map[string]bool{}
		for _, st := range statements(s.Script) {
			bare := strings.Join(strings.Fields(lineComment.ReplaceAllString(st, " ")), " ")
			if m := createTable.FindStringSubmatch(bare); m != nil {
				fresh[m[1]] = true
			}
			if s.Version == 1 || s.Least > 0 {
				continue
			}
			if why := notices(bare, before, brief.MatchString(st)); why != "" {
				faults = append(faults, fmt.Sprintf("%s: %q: %s", s.Name, bare, why))
			}
		}
		maps.Copy(before, fresh)
	}
	return faults
}

// statements splits a script at its semicolons.
func statements(script string) []string {
	var out []string
	start := 0
	for _, at := range keptTogether.FindAllStringIndex(script, -1) {
		if script[at[0]] == ';' {
			out = append(out, script[start:at[0]])
			start = at[1]
		}
	}
	out = append(out, script[start:])
	return slices.DeleteFunc(out, func(s string) bool { return strings.TrimSpace(lineComment.ReplaceAllString(s, "")) == "" })
}

// notices returns the effect of a statement on a running program, "" if none. before holds the tables known to it.
func notices(st string, before map[string]bool, brief bool) string {
	const long = `it may lock a table for long: put a comment "-- brief: why" before it if it does not`
	if createTable.MatchString(st) || createOther.MatchString(st) {
		return ""
	}
	if m := createIndex.FindStringSubmatch(st); m != nil && (!before[m[2]] || m[1] == "") {
		if before[m[2]] && !brief {
			return long
		}
		return ""
	}
	if m := changeRows.FindStringSubmatch(st); m != nil {
		if before[m[1]] && !brief {
			return long
		}
		return ""
	}
	if m := alterTable.FindStringSubmatch(st); m != nil {
		for _, part := range strings.Split(quoted.ReplaceAllString(m[2], "''"), ", ") {
			if why := noticesPart(part); why != "" {
				return why
			}
		}
		return ""
	}
	return "an additive step may only add tables, columns and indexes"
}

// noticesPart is notices for one part of ALTER TABLE.
func noticesPart(part string) string {
	m := addColumn.FindStringSubmatch(part)
	if m == nil || notPlain.MatchString(part) {
		return "an additive step may only add columns to a table, of a plain type with a constant default"
	}
	rest := strings.ToUpper(m[1])
	if strings.Contains(rest, "NOT NULL") && !strings.Contains(rest, "DEFAULT") {
		return "programs that do not know the column cannot insert any more: give it a default"
	}
	return ""
}

// Future returns a store's steps and two more, as a program two releases ahead might have them: adds ends with a step
// that gives every table a nullable column, a required one with a default and an index, and adds a table of its own;
// contracts drops the nullable columns again. Numbers continue the existing ones.
func Future(t *testing.T, folder fs.FS) (adds, contracts fstest.MapFS) {
	t.Helper()
	steps, err := schema.Steps(folder)
	if err != nil {
		t.Fatal(err)
	}
	adds = fstest.MapFS{}
	more, less := "-- additive\nCREATE TABLE future (a text);\n", fmt.Sprintf("-- contracts after %04d: it was an error\n", len(steps)+1)
	for _, s := range steps {
		adds["migrations/"+s.Name+".sql"] = &fstest.MapFile{Data: []byte(s.Script)}
		for _, st := range statements(s.Script) {
			if m := createTable.FindStringSubmatch(strings.TrimSpace(lineComment.ReplaceAllString(st, " "))); m != nil {
				more += fmt.Sprintf("ALTER TABLE %[1]s ADD COLUMN future_a text;\nALTER TABLE %[1]s ADD COLUMN future_b bigint NOT NULL DEFAULT 7;\n"+
					"-- brief: a test\nCREATE INDEX %[1]s_future ON %[1]s (future_b);\n", m[1])
				less += fmt.Sprintf("ALTER TABLE %s DROP COLUMN future_a;\n", m[1])
			}
		}
	}
	next := len(steps) + 1
	adds[fmt.Sprintf("migrations/%04d_future.sql", next)] = &fstest.MapFile{Data: []byte(more)}
	if faults := Destructive(append(steps, schema.Step{Version: next, Name: "future", Script: more})); len(faults) > 0 || strings.Count(more, "\n") < 40 {
		t.Fatalf("the future is not what it should be: %v\n%s", faults, more)
	}
	contracts = maps.Clone(adds)
	contracts[fmt.Sprintf("migrations/%04d_contract.sql", next+1)] = &fstest.MapFile{Data: []byte(less)}
	return adds, contracts
}
