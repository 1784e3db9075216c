package config_test

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"

	"maru/config"
)

func TestHelpNamesEverySetting(t *testing.T) {
	t.Parallel()
	var help, table bytes.Buffer
	if err := config.Help(&help); err != nil {
		t.Fatal(err)
	}
	if err := config.Markdown(&table); err != nil {
		t.Fatal(err)
	}
	for _, g := range config.Table() {
		for _, s := range g.Settings {
			if !strings.Contains(help.String(), "--"+s.Flag()+", "+s.Var+"\n") || !strings.Contains(help.String(), s.Default) {
				t.Errorf("--help does not name %s", s.Var)
			}
			if strings.Count(table.String(), "| `"+s.Var+"` |") != 1 || strings.Count(s.Help, "|") > 0 {
				t.Errorf("the table does not name %s", s.Var)
			}
		}
	}
}

// The table of docs/configuration.md is between these two lines.
const (
	tableBegins = "<!-- settings: generated from config/table.go, do not edit -->\n"
	tableEnds   = "<!-- settings end -->"
)

// TestManualHasTheTable fails when docs/configuration.md and the table have drifted. Run it
// with MARU_UPDATE=1 to write the table into the page.
func TestManualHasTheTable(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begins := strings.Cut(string(page), tableBegins)
	have, after, ends := strings.Cut(rest, tableEnds)
	if !begins || !ends {
		t.Fatalf("docs/configuration.md lacks the lines %q and %q", tableBegins, tableEnds)
	}
	var want bytes.Buffer
	if err := config.Markdown(&want); err != nil {
		t.Fatal(err)
	}
	if have == want.String() {
		return
	}
	if os.Getenv("MARU_UPDATE") == "" {
		t.Fatal("the settings of docs/configuration.md are not those of config/table.go: run MARU_UPDATE=1 go test ./config")
	}
	text := before + tableBegins + want.String() + tableEnds + after
	if err := os.WriteFile("../docs/configuration.md", []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("pipe closed") }

func TestHelpReportsABrokenPipe(t *testing.T) {
	t.Parallel()
	if config.Help(brokenWriter{}) == nil || config.Markdown(brokenWriter{}) == nil {
		t.Error("the writer's error is lost")
	}
}
