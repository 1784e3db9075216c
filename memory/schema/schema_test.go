package schema_test

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"maru/memory/schema"
)

// folder makes a folder of migrations from name, script pairs.
func folder(pairs ...string) fstest.MapFS {
	out := fstest.MapFS{}
	for i := 0; i < len(pairs); i += 2 {
		out["migrations/"+pairs[i]] = &fstest.MapFile{Data: []byte(pairs[i+1])}
	}
	return out
}

func TestSteps(t *testing.T) {
	t.Parallel()
	list, err := schema.Steps(folder(
		"0003_end.sql", "-- contracts after 0002: nothing reads x any more\nDROP TABLE x",
		"0001_record.sql", "CREATE TABLE x (a int)",
		"0002_more.sql", "-- additive\nCREATE TABLE y (a int)",
		"README.md", "not a step"))
	if err != nil || len(list) != 3 {
		t.Fatalf("steps: %+v, %v", list, err)
	}
	for i, want := range []schema.Step{
		{Version: 1, Name: "0001_record", Least: 1}, {Version: 2, Name: "0002_more"}, {Version: 3, Name: "0003_end", Least: 2},
	} {
		if got := list[i]; got.Version != want.Version || got.Name != want.Name || got.Least != want.Least || got.Script == "" {
			t.Errorf("step %d: %+v, want %+v", i, got, want)
		}
	}
	for name, files := range map[string]fstest.MapFS{
		"a gap":           folder("0001_a.sql", "", "0003_b.sql", "-- additive\n"),
		"a number twice":  folder("0001_a.sql", "", "0001_b.sql", "-- additive\n"),
		"no name":         folder("0001.sql", ""),
		"no header":       folder("0001_a.sql", "", "0002_b.sql", "CREATE TABLE y (a int)"),
		"a header below":  folder("0001_a.sql", "", "0002_b.sql", "\n-- additive\n"),
		"more in it":      folder("0001_a.sql", "", "0002_b.sql", "-- additive, nearly\n"),
		"no reason":       folder("0001_a.sql", "", "0002_b.sql", "-- contracts after 0001\n"),
		"after itself":    folder("0001_a.sql", "", "0002_b.sql", "-- contracts after 0002: why\n"),
		"after nothing":   folder("0001_a.sql", "", "0002_b.sql", "-- contracts after 0000: why\n"),
		"after the later": folder("0001_a.sql", "", "0002_b.sql", "-- contracts after 0009: why\n"),
	} {
		if list, err := schema.Steps(files); err == nil {
			t.Errorf("%s: taken as %+v", name, list)
		}
	}
}

func TestMerge(t *testing.T) {
	t.Parallel()
	known, err := schema.Steps(folder("0001_record.sql", "", "0002_more.sql", "-- additive\n"))
	if err != nil {
		t.Fatal(err)
	}
	first := schema.Migration{Version: 1, Name: "0001_record", Least: 1}
	second := schema.Migration{Version: 2, Name: "0002_more"}
	for name, c := range map[string]struct {
		taken []schema.Migration
		done  int
		err   string // "" if the program works with it
	}{
		"nothing":             {nil, 0, ""},
		"behind":              {[]schema.Migration{first}, 1, ""},
		"level":               {[]schema.Migration{first, second}, 2, ""},
		"before names":        {[]schema.Migration{{Version: 1}, {Version: 2}}, 2, ""},
		"newer, adds":         {[]schema.Migration{first, second, {Version: 3, Name: "0003_x"}}, 3, ""},
		"newer, ours is left": {[]schema.Migration{first, second, {Version: 3, Name: "0003_x"}, {Version: 4, Name: "0004_y", Least: 2}}, 4, ""},
		"newer, ours is gone": {[]schema.Migration{first, second, {Version: 3, Name: "0003_x"}, {Version: 4, Name: "0004_y", Least: 3}}, 4, "0004_y needs a program that knows step 0003, and this one ends with 0002"},
		"another history":     {[]schema.Migration{first, {Version: 2, Name: "0002_other"}}, 1, "step 2 is 0002_other"},
	} {
		list, err := schema.Merge(known, c.taken)
		done := 0
		for _, m := range list {
			if m.Done {
				done++
			}
			if m.Newer != (m.Version > len(known)) {
				t.Errorf("%s: %+v", name, m)
			}
		}
		if done != c.done {
			t.Errorf("%s: %d steps done, want %d", name, done, c.done)
		}
		if (err == nil) != (c.err == "") || err != nil && (!errors.Is(err, schema.ErrNewer) || !strings.Contains(err.Error(), c.err)) {
			t.Errorf("%s: %v, want %q", name, err, c.err)
		}
	}
}
