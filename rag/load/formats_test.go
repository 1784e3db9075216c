package load

import (
	"slices"
	"strings"
	"testing"

	"maru/phrase"
)

// TestFormats: the list for people names each format that has a reader, and the refusal of a file has the list.
func TestFormats(t *testing.T) {
	t.Parallel()
	for ext, kind := range byExtension {
		if !slices.ContainsFunc(labels, func(l label) bool { return slices.Contains(l.of, kind) }) {
			t.Errorf("%s (%s) has no name for people", ext, kind)
		}
	}
	for language, want := range map[string]string{"en": "Markdown, text, code, HTML", "ko": "Markdown, 텍스트, 코드, HTML"} {
		list := Formats(language, false)
		if !strings.HasPrefix(list, want) {
			t.Errorf("%s: %s", language, list)
		}
		if said := fault(Unsupported, "virus.exe", nil).PeopleText(language); !strings.Contains(said, list) || !strings.Contains(said, "virus.exe") {
			t.Errorf("%s: a refusal says %s", language, said)
		}
		if with := Formats(language, true); !strings.HasSuffix(with, ", "+phrase.Say(language, "load.format.pictures")) {
			t.Errorf("%s: with pictures %s", language, with)
		}
	}
}
