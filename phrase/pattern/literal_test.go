package pattern

import (
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestLiterals(t *testing.T) {
	t.Parallel()
	for expr, want := range map[string][]string{
		`remember`:                       {"remember"},
		`(?i)\b(?:Remember|prefer)\b`:    {"prefer", "remember"},
		`(?:기억해|앞으로)\s*\d+`:              {"기억해", "앞으로"},
		`^\s*(?:a long word)?\d+ days`:   {" days"},
		`(ab)+c{2,3}`:                    {"ab"},
		`(?i)größen`:                     {"gr"},
		`[ \t]?(?:\[|【)\d+`:              {"[", "【"},
		`\s?[①-③]`:                       {"①", "②", "③"},
		`[a-c]x*`:                        nil, // most texts hold an a
		`[^x]`:                           nil,
		`[\x{fffd}]`:                     nil,
		`a*`:                             nil,
		`\d+`:                            strings.Split("0123456789", ""),
		`yes|`:                           nil,
		`(?:yes|[0-9])`:                  strings.Split("0 1 2 3 4 5 6 7 8 9 yes", " "),
		`(?i)ask`:                        {"ask"},
		"no\xffthing":                    nil, // not an expression
		`(?:I|me|remember)`:              nil, // most texts hold an i
		`[x-z]hello|(?:good )?morning`:   {"hello", "morning"},
		`(?:one|two)(?:three|four|five)`: {"one", "two"},
	} {
		if got := literals(expr); !slices.Equal(got, want) {
			t.Errorf("literals of %q are %q, want %q", expr, got, want)
		}
	}
}

// FuzzPattern compares a pattern with the expression it is made of.
func FuzzPattern(f *testing.F) {
	for _, c := range [][2]string{
		{`(?i)\b(?:ask|remember)\b`, "A\u017fK me"}, {`(?i)ask`, "as\u212a"}, {`(?i)ß|größe`, "GRÖẞE"}, {`기억(?:해|하세요)`, "이걸 기억해 줘"},
		{`\x{fffd}+x`, "\xff\xfex"}, {`(a|b)*c+d?`, "ababccd"}, {`(?i)K`, "k"}, {`(?s).*?END`, "the\nEnd END"}, {`x{0,2}y{1,}`, "Yyy"}, {`(?i)[ks=]+\d`, "\u212a1"}, {`[[【]\s*x`, "a【 x"}, {`(?i:İ)i`, "İi"},
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
