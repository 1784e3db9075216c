package fit_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rivo/uniseg"
	"pgregory.net/rapid"

	"maru/phrase/fit"
)

func TestSizes(t *testing.T) {
	t.Parallel()
	for bytes, want := range map[int64]string{0: "0 B", 1023: "1023 B", 1024: "1 KB", 1536: "1.5 KB", 20 << 20: "20 MB", 1 << 40: "1 TB", 1 << 62: "4194304 TB"} {
		if got := fit.Size(bytes); got != want {
			t.Errorf("%d: %s, want %s", bytes, got, want)
		}
	}
	if size, most := fit.Over(30<<20, 20<<20); size != "30 MB" || most != "20 MB" {
		t.Error(size, most)
	}
	if size, most := fit.Over(20<<20+1, 20<<20); size != "20971521 B" || most != "20971520 B" {
		t.Error(size, most)
	}
}

func TestClipAndCut(t *testing.T) {
	t.Parallel()
	const family = "👨‍👩‍👧" // five characters, eight code units, one letter
	for _, c := range []struct {
		name, s   string
		limit     int
		m         fit.Measure
		clip, cut string
	}{
		{"fits", "마루", 2, utf8.RuneCountInString, "마루", "마루"},
		{"longer", "마루입니다", 3, utf8.RuneCountInString, "마루…", "마루입"},
		{"spaces before the end", "a b c", 3, utf8.RuneCountInString, "a…", "a b"},
		{"a number stays whole", "총액은 1,234,567원", 9, utf8.RuneCountInString, "총액은…", "총액은 1,234"},
		{"a date", "due on 2026-11-30 at noon", 14, utf8.RuneCountInString, "due on…", "due on 2026-11"},
		{"an address", "look at example.com/a/b for it", 20, utf8.RuneCountInString, "look at…", "look at example.com/"},
		{"cut before a number", "room for 12", 9, utf8.RuneCountInString, "room for…", "room for "},
		{"a number that is most of it", "# 1234567890", 8, utf8.RuneCountInString, "# 12345…", "# 123456"},
		{"letters stay whole", "ab" + family, 6, utf8.RuneCountInString, "ab…", "ab"},
		{"code units", "ab" + family, 10, fit.UTF16, "ab" + family, "ab" + family},
		{"code units, longer", "ab" + family, 9, fit.UTF16, "ab…", "ab"},
		{"columns", "마루 house", 6, uniseg.StringWidth, "마루…", "마루 h"},
		{"a stack of marks", "e" + strings.Repeat("\u0301", 50), 4, utf8.RuneCountInString, "e\u0301\u0301…", "e\u0301\u0301\u0301"},
		{"no room for two", "마루", 1, utf8.RuneCountInString, "", "마"},
		{"no room", "마루", 0, utf8.RuneCountInString, "", ""},
		{"empty", "", 0, utf8.RuneCountInString, "", ""},
	} {
		if got := fit.ClipBy(c.s, c.limit, c.m); got != c.clip {
			t.Errorf("%s: clipped to %q, want %q", c.name, got, c.clip)
		}
		if got := fit.CutBy(c.s, c.limit, c.m); got != c.cut {
			t.Errorf("%s: cut to %q, want %q", c.name, got, c.cut)
		}
	}
}

func TestClippedTextsFit(t *testing.T) {
	t.Parallel()
	measures := []fit.Measure{utf8.RuneCountInString, fit.UTF16, uniseg.StringWidth}
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringOf(rapid.SampledFrom([]rune("a가 \n👨\u200d👩\u0301ﬀ漢\u200b🇰🇷"))).Draw(t, "s")
		limit := rapid.IntRange(0, 20).Draw(t, "limit")
		m := rapid.SampledFrom(measures).Draw(t, "measure")
		cut, clip := fit.CutBy(s, limit, m), fit.ClipBy(s, limit, m)
		if !strings.HasPrefix(s, cut) || m(cut) > limit {
			t.Fatalf("cut to %q", cut)
		}
		if clip != s && (m(clip) > limit || !strings.HasPrefix(s, strings.TrimSuffix(clip, "…"))) {
			t.Fatalf("clipped to %q", clip)
		}
		if m(s) <= limit && (cut != s || clip != s) {
			t.Fatalf("%q fits, but became %q and %q", s, cut, clip)
		}
	})
}

func TestCleanAndOneLine(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"마루\tMaru\n": "마루\tMaru\n", "a\x1b[31mb\x00": "a[31mb", "a\r\nb\rc\u2028d\u0085e": "a\nb\nc\nd\ne",
		"\u202Eevil\u2066x": "evilx", "a\u200Bb\uFEFF\U000E0041": "ab", "👨\u200d👩": "👨\u200d👩", "a\xffb": "a\uFFFDb",
	} {
		if got := fit.Clean(in); got != want {
			t.Errorf("Clean(%q) = %q, want %q", in, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "s")
		if got := fit.Clean(s); !utf8.ValidString(got) || strings.IndexFunc(got, fit.Hidden) >= 0 || fit.Clean(got) != got {
			t.Fatalf("Clean(%q) = %q", s, got)
		}
	})
	if got := fit.OneLine("  a\n\tb \u3000c "); got != "a b c" {
		t.Errorf("one line is %q", got)
	}
}

func TestBlank(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]bool{
		"": true, " \n\t\u3000": true, "\u200b\u200d\ufe0f\u2060": true, "\u3164 \u2800": true, "\u202e\u202c": true,
		"?": false, "👨\u200d👩": false, "ㅇ": false, "\u200b안": false,
	} {
		if fit.Blank(s) != want {
			t.Errorf("Blank(%+q) is %t", s, !want)
		}
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]int{"": 0, " ": 1, "one": 1, "one two": 2, "one  two ": 2, " one": 2, "연차는 며칠?": 2} {
		words := fit.Words(s)
		if len(words) != want || strings.Join(words, "") != s {
			t.Errorf("Words(%q) = %q", s, words)
		}
	}
}
