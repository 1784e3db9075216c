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

// TestFilesThatSpeakOfSubstitutes reads documents that mention what stands in for others elsewhere.
func TestFilesThatSpeakOfSubstitutes(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"lfs.md":     "# Large files\n\nA pointer begins with version https://git-lfs.github.com/spec/v1\n",
		"drm.txt":    "SCDSA files cannot be opened. A file may begin with <## NASCA DRM FILE.",
		"link.json":  `{"doc_id": "abc", "title": "Plan"}`,
		"page.html":  "<!DOCTYPE html><html><body><p>Sign in at the desk.</p></body></html>",
		"page.txt":   "<!DOCTYPE html><html><body><p>Sign in at the desk.</p></body></html>",
		"a.geojson":  `{"url": "https://docs.google.com/document", "type": "FeatureCollection", "name": "Office"}`,
		"parts.csv":  "SCDSA001,10\nSCDSA002,20\n",
		"drone.txt":  "SCDSA004",
		"README":     "Text without an extension.",
		"export.htm": "<html><body>Exported from Confluence.</body></html>",
	} {
		if _, chunks, err := newLoader().Load(t.Context(), name, []byte(text)); err != nil || len(chunks) == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestLinesBeyondTheLimit says how many lines there may be.
func TestLinesBeyondTheLimit(t *testing.T) {
	t.Parallel()
	_, _, err := newLoader().Load(t.Context(), "log.txt", []byte(strings.Repeat("\n", 2_000_001)))
	var e *load.Error
	if !errors.As(err, &e) || e.Code != load.Lines {
		t.Fatalf("%v", err)
	}
	for _, language := range phrase.Languages() {
		if say := e.PeopleText(language); !strings.Contains(say, "log.txt") || !strings.Contains(say, "2000000") {
			t.Errorf("%s: %q", language, say)
		}
	}
}
