package load_test

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"maru/rag/load"
	"maru/rag/load/confine"
	"maru/rag/load/loadtest"
	"maru/rag/load/pdf"
)

// TestBatchSharesAChild reads files of all text formats in one child, which is replaced after a file that may have
// harmed it.
func TestBatchSharesAChild(t *testing.T) {
	t.Parallel()
	command, held := watched(t)
	l := load.New(load.Config{Command: command, MaxPassages: 100, Timeout: patient})
	batch, done := l.Batch()
	for i, f := range []struct {
		name, data string
		want       load.Code
	}{
		{"a.md", "# Leave\n\n15 days.\n", ""}, {"a.txt", "15 days.\n", ""}, {"a.csv", "name,days\nleave,15\n", ""},
		{"a.json", `{"days":15}`, ""}, {"a.jsonl", "{\"days\":15}\n", ""}, {"a.html", "<p>15 days</p>", ""},
		{"empty.md", "#\n", load.Blank},
		{"many.md", strings.Repeat("# a\n", 101), load.Passages},
		{"broken.json", `{"days":`, load.Broken}, // and another child after it
		{"b.md", "# Leave\n\n15 days.\n", ""},
	} {
		_, chunks, err := batch.Load(t.Context(), f.name, []byte(f.data))
		var e *load.Error
		if errors.As(err, &e) != (f.want != "") || e != nil && e.Code != f.want || f.want == "" && len(chunks) != 1 {
			t.Errorf("%d %s: %d passages, %v, want %q", i, f.name, len(chunks), err, f.want)
		}
	}
	done()
	if _, children := held.largest(t); runtime.GOOS == "linux" && children != 2 {
		t.Errorf("%d children read the batch, want 2", children)
	}
	if _, _, err := batch.Load(t.Context(), "late.md", []byte("# Leave\n\n15 days.\n")); err != nil {
		t.Errorf("a file that comes after the end of its batch: %v", err)
	}
}

// TestTooManyPassages tells how many there are, in both languages.
func TestTooManyPassages(t *testing.T) {
	t.Parallel()
	_, _, err := load.New(load.Config{Command: child("parse-child"), Timeout: patient}).Load(t.Context(), "notes.md", []byte(strings.Repeat("# a\n", 30_000)))
	var e *load.Error
	if !errors.As(err, &e) || e.Code != load.Passages {
		t.Fatalf("got %v", err)
	}
	for _, lang := range []string{"ko", "en"} {
		if s := e.PeopleText(lang); !strings.Contains(s, "30000") || !strings.Contains(s, "20000") || !strings.Contains(s, "notes.md") {
			t.Errorf("%s: %s", lang, s)
		}
	}
}

// TestTextsOfAnyShape reads or refuses 20 MB of text of shapes that cost more memory than their letters: those that cost
// most, all of them in make long.
func TestTextsOfAnyShape(t *testing.T) {
	if testing.Short() {
		t.Skip("as TestBombs")
	}
	t.Parallel()
	worst := []string{"headings.md", "sections.md", "quotes.csv", "objects.json", "headings.html"}
	const size = 20 << 20
	fill := func(unit string) string { return strings.Repeat(unit, size/len(unit)) }
	for name, text := range map[string]string{
		"headings.md": fill("# a\n"), "sections.md": fill("# long heading of a section\ntext\n"), "letters.txt": fill("a\n\n"),
		"newlines.txt": fill("\n"), "line.txt": fill("word "), "word.md": fill("가"), "links.md": fill("[a](b) ")[:size/4],
		"quote.csv": `"` + fill("a\n"), "wide.csv": fill("a,"),
		"quotes.csv": fill("\"a\n"), "objects.json": "[" + fill(`{"a":1},`) + `{"a":1}]`, "inner.json": `{"a":[` + fill("1,") + "1]}",
		"deep.json": fill("["), "broken.jsonl": fill("{\"a\":\n"), "headings.html": fill("<h1>a</h1>"),
	} {
		if os.Getenv("MARU_TEST_LONG") == "" && !slices.Contains(worst, name) {
			continue
		}
		command, held := watched(t)
		l := load.New(load.Config{Command: command, Timeout: patient})
		began := time.Now()
		_, chunks, err := l.Load(t.Context(), name, []byte(text))
		var e *load.Error
		if err != nil && (!errors.As(err, &e) || e.Code == load.Crashed || e.Code == load.Timeout) {
			t.Errorf("%s: %v", name, err)
		}
		most, _ := held.largest(t)
		t.Log(fmt.Sprintf("%-14s %6d passages, %s, %3d MiB", name, len(chunks), time.Since(began).Round(time.Millisecond), most>>10), err)
		if most>>10 > 240 && !confine.RaceDetector {
			t.Errorf("%s: the child held %d MiB", name, most>>10)
		}
	}
}

// TestBatchOfPDFs gives every PDF of a batch a process of its own, within its memory: the engine's memory is not given
// back within a process.
func TestBatchOfPDFs(t *testing.T) {
	if testing.Short() {
		t.Skip("as TestBombs")
	}
	t.Parallel()
	command, held := watched(t)
	batch, done := load.New(load.Config{Command: command, Timeout: patient, PDF: pdf.Config{Cache: loadtest.PDFCache()}}).Batch()
	data := handbook()
	const files = 2
	for i := range files {
		if _, _, err := batch.Load(t.Context(), fmt.Sprintf("%d.pdf", i), data); err != nil {
			t.Fatalf("file %d: %v", i, err)
		}
		data = pdfOf([]string{"Annual leave is fifteen days."})
	}
	done()
	largest, children := held.largest(t)
	if runtime.GOOS == "linux" && children < files {
		t.Errorf("%d children read %d PDFs", children, files)
	}
	if most := 512; largest>>10 > most && !confine.RaceDetector {
		t.Errorf("a child held %d MiB, at most %d may be", largest>>10, most)
	}
}
