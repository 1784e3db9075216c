package console_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"maru/adapters/console"
	"maru/bot"
)

// uploading is a bot that hands over a file after its answer, and once more.
func uploading(t *testing.T, e *echo) {
	t.Helper()
	e.answer = func(m bot.Message) []bot.Card {
		file := bot.Artifact{Run: ran, Name: "결과.md", Size: 8, Data: []byte("# 결과")}
		e.work.Go(func() {
			for range 2 {
				if err := e.adapter.(bot.Uploader).Upload(t.Context(), bot.Parcel{To: bot.Target{Thread: m.Thread}, Files: []bot.Artifact{file}, Key: bot.JobFiles + "-" + ran}); err != nil {
					t.Error(err)
				}
			}
		})
		named := file
		named.Data = nil
		return []bot.Card{{Kind: bot.CardProgress}, {Kind: bot.CardText, Text: "made", Run: ran, Final: true, Files: []bot.Artifact{named}}}
	}
}

func TestFilesAreWrittenAndNamed(t *testing.T) {
	t.Parallel()
	for name, asJSON := range map[string]bool{"text": false, "json": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, dir := newEcho(), filepath.Join(t.TempDir(), "files")
			uploading(t, e)
			var out, errs strings.Builder
			a := console.NewAsker(console.Config{In: strings.NewReader(""), Out: &out, Err: &errs, Files: dir, NewID: func() string { return "1" }}, asJSON)
			e.adapter = a
			if code := a.Ask(t.Context(), e, "make it"); code != console.ExitAnswered {
				t.Errorf("code %d, %s", code, errs.String())
			}
			e.work.Wait()
			at := filepath.Join(dir, ran, "결과.md")
			if raw, err := os.ReadFile(at); err != nil || string(raw) != "# 결과" {
				t.Errorf("file %q, %v", raw, err)
			}
			if !strings.Contains(out.String(), at) {
				t.Errorf("out %q does not name %s", out.String(), at)
			}
		})
	}
}

// TestAQuestionsFileIsNamed: the path of the file with the run's long question is printed, another run's is not.
func TestAQuestionsFileIsNamed(t *testing.T) {
	t.Parallel()
	e, dir := newEcho(), t.TempDir()
	e.answer = func(m bot.Message) []bot.Card {
		for _, run := range []string{m.Run(), "another"} {
			file := bot.Artifact{Run: run, Name: "question-" + run + ".txt", Size: 2, Data: []byte("hi")}
			if err := e.adapter.(bot.Uploader).Upload(t.Context(), bot.Parcel{To: bot.Target{Thread: m.Thread}, Files: []bot.Artifact{file}, Key: "whole/" + file.Name, Again: true}); err != nil {
				t.Error(err)
			}
		}
		return []bot.Card{{Kind: bot.CardText, Text: "read it", Run: m.Run(), Final: true}}
	}
	var out strings.Builder
	a := console.NewAsker(console.Config{In: strings.NewReader(""), Out: &out, Err: &out, Files: dir, NewID: func() string { return "1" }}, false)
	e.adapter = a
	if code := a.Ask(t.Context(), e, "write it"); code != console.ExitAnswered {
		t.Errorf("code %d", code)
	}
	e.work.Wait()
	if !strings.Contains(out.String(), dir) || strings.Contains(out.String(), "another") {
		t.Errorf("told %q", out.String())
	}
}

func TestFilesThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "a file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	a := console.New(console.Config{In: strings.NewReader(""), Out: &strings.Builder{}, Files: file})
	for _, f := range []bot.Artifact{{Run: "r1", Name: "a.md", Data: []byte("x")}, {Run: "..", Name: "../../a.md", Data: []byte("x")}} {
		if err := a.Upload(t.Context(), bot.Parcel{Files: []bot.Artifact{f}}); err == nil {
			t.Errorf("%+v was written", f)
		}
	}
}

// A command's file is written as it is given, and again over itself.
func TestFileOfACommand(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "files")
	out := chat(t, newEcho(), "/usage csv\n/usage csv\n", func(c *console.Config) { c.Files, c.Width = dir, func() int { return 400 } })
	at := filepath.Join(dir, "exports", "usage.csv")
	raw, err := os.ReadFile(at)
	if err != nil || string(raw) != "day\n" || strings.Count(out, at) != 2 {
		t.Errorf("file %q, %v; printed %q", raw, err, out)
	}
	blocked := filepath.Join(t.TempDir(), "a file")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	out = chat(t, newEcho(), "/usage csv\nhi\n", func(c *console.Config) { c.Files = blocked })
	if !strings.Contains(out, "You wrote hi") || strings.Contains(out, "A file.") {
		t.Errorf("a folder that cannot be made: %q", out)
	}
}
