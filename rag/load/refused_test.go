package load_test

import (
	"errors"
	"strings"
	"testing"

	"maru/phrase"
	"maru/rag/load"
	"maru/rag/load/loadtest"
)

// TestRefusedFiles loads what must be refused and reads the reason in both languages.
func TestRefusedFiles(t *testing.T) {
	t.Parallel()
	for _, f := range loadtest.Refused() {
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			_, _, err := newLoader().Load(t.Context(), f.Name, f.Data)
			var e *load.Error
			if !errors.As(err, &e) || string(e.Code) != f.Code {
				t.Fatalf("%v, want %s", err, f.Code)
			}
			for _, language := range phrase.Languages() {
				if say := e.PeopleText(language); !strings.Contains(say, f.Name) || strings.Contains(say, "%!") {
					t.Errorf("%s: %q", language, say)
				}
			}
		})
	}
}

// TestTitleOfAFileThatHides makes no title of what cannot be seen.
func TestTitleOfAFileThatHides(t *testing.T) {
	t.Parallel()
	if doc, _ := mustLoad(t, "\u202efdp.exe\n.txt", []byte("Some text.")); doc.Title != "fdp.exe" {
		t.Errorf("%q", doc.Title)
	}
}
