package pattern

import (
	"math/rand/v2"
	"reflect"
	"regexp"
	"testing"
)

// TestFewStates: an expression whose states grow exponentially keeps a bounded number of them, still answers right, and decides
// other texts by states again.
func TestFewStates(t *testing.T) {
	t.Parallel()
	const expr = `a[ab]{14}c`
	unsure := 0
	p, re, random := New(expr), regexp.MustCompile(expr), rand.New(rand.NewPCG(1, 2))
	for range 5 {
		text := make([]byte, 20_000)
		for i := range text {
			text[i] = "ab"[random.IntN(2)]
		}
		if _, sure := p.decide().holds(string(text)); !sure {
			unsure++
		}
		for _, s := range []string{string(text), string(text) + "c"} {
			if got := p.MatchString(s); got != re.MatchString(s) {
				t.Fatalf("%v for %q", got, s)
			}
		}
	}
	if unsure == 0 {
		t.Error("no text filled it")
	}
	held := 0
	for _, s := range p.decide().known {
		held += len(s.next)
	}
	if held > mostKept {
		t.Errorf("%d transitions", held)
	}
	if _, sure := p.decide().holds(string(make([]byte, 1000))); !sure {
		t.Error("it never recovers")
	}
	if found, sure := p.decide().holds("aaaaaaaaaaaaaaaac"); !found || !sure {
		t.Error("after that it misses a match")
	}
}

// FuzzPattern compares a pattern with the expression it is made of.
func FuzzPattern(f *testing.F) {
	for _, c := range [][2]string{
		{`(?i)\b(?:ask|remember)\b`, "A\u017fK me"}, {`(?i)ask`, "as\u212a"}, {`(?i)ß|größe`, "GRÖẞE"}, {`기억(?:해|하세요)`, "이걸 기억해 줘"},
		{`\x{fffd}+x`, "\xff\xfex"}, {`(a|b)*c+d?`, "ababccd"}, {`(?i)K`, "k"}, {`(?s).*?END`, "the\nEnd END"}, {`x{0,2}y{1,}`, "Yyy"}, {`(?i)[ks=]+\d`, "\u212a1"}, {`[[【]\s*x`, "a【 x"}, {`(?i:İ)i`, "İi"},
		{`^a|b$`, "ca"}, {`(?m)^x\B|y$\n\bz`, "y\nz\nxx"}, {`\A\bab\z`, "ab"}, {`$^`, ""}, {`\b`, "é_"}, {`[^\x00-\x{10FFFF}]`, "a"},
	} {
		f.Add(c[0], c[1])
	}
	f.Fuzz(func(t *testing.T, expr, text string) {
		re, err := regexp.Compile(expr)
		if err != nil || len(expr) > 200 || len(text) > 1000 {
			t.Skip()
		}
		p := New(expr)
		with := func(s string) string { return "<" + s + ">" }
		for what, pair := range map[string][2]any{
			"MatchString":                {p.MatchString(text), re.MatchString(text)},
			"FindString":                 {p.FindString(text), re.FindString(text)},
			"FindStringIndex":            {p.FindStringIndex(text), re.FindStringIndex(text)},
			"FindStringSubmatch":         {p.FindStringSubmatch(text), re.FindStringSubmatch(text)},
			"FindStringSubmatchIndex":    {p.FindStringSubmatchIndex(text), re.FindStringSubmatchIndex(text)},
			"FindAllString":              {p.FindAllString(text, -1), re.FindAllString(text, -1)},
			"FindAllStringIndex":         {p.FindAllStringIndex(text, 2), re.FindAllStringIndex(text, 2)},
			"FindAllStringSubmatch":      {p.FindAllStringSubmatch(text, -1), re.FindAllStringSubmatch(text, -1)},
			"FindAllStringSubmatchIndex": {p.FindAllStringSubmatchIndex(text, -1), re.FindAllStringSubmatchIndex(text, -1)},
			"ReplaceAllString":           {p.ReplaceAllString(text, "[$0]"), re.ReplaceAllString(text, "[$0]")},
			"ReplaceAllStringFunc":       {p.ReplaceAllStringFunc(text, with), re.ReplaceAllStringFunc(text, with)},
			"Split":                      {p.Split(text, -1), re.Split(text, -1)},
		} {
			if !reflect.DeepEqual(pair[0], pair[1]) {
				t.Errorf("%s of %q in %q is %q, want %q", what, expr, text, pair[0], pair[1])
			}
		}
	})
}

// BenchmarkPattern is a rule for people's words on a message that has none of them.
func BenchmarkPattern(b *testing.B) {
	p := New(`(?i)비교|차이|달라|다르|대비|compar|differ|versus|\b(?:today|tonight|yesterday|this\s+(?:morning|week|month)|right\s+now)\b`)
	for _, run := range []struct {
		name  string
		match func(string) bool
	}{{"pattern", p.MatchString}, {"regexp", p.Regexp().MatchString}} {
		b.Run(run.name, func(b *testing.B) {
			for b.Loop() {
				run.match("And how many vacation days are left in the second quarter?")
			}
		})
	}
}
