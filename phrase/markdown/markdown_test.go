package markdown

import (
	"strings"
	"testing"

	"github.com/yuin/goldmark/ast"
)

// marked writes what is bold or italic in brackets, as the parser sees it.
func marked(src string) string {
	var b strings.Builder
	source := []byte(src)
	var walk func(n ast.Node, stack string)
	walk = func(n ast.Node, stack string) {
		for c := n.FirstChild(); c != nil; c = c.NextSibling() {
			switch c := c.(type) {
			case *ast.Emphasis:
				inner := deeper(stack, emphasis(c))
				b.WriteString("(" + inner + ":")
				walk(c, inner)
				b.WriteString(")")
			case *ast.CodeSpan:
				b.WriteString("`" + codeOf(c, source) + "`")
			case *ast.RawHTML:
				tag, ends := tagOf(c, source)
				if b.WriteString(tag); ends {
					b.WriteString("|")
				}
			case *ast.Text:
				b.Write(c.Segment.Value(source))
			default:
				walk(c, stack)
			}
		}
	}
	walk(parse(source), "")
	return b.String()
}

func TestBoldBeforeAParticle(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]string{
		`**"연차"**는 15일`:           `(s:"연차")는 15일`,
		"**연차(휴가)**는 **15일**입니다":  "(s:연차(휴가))는 (s:15일)입니다",
		"**연차**는":                 "(s:연차)는",
		"**a)**, then **b)** too": "(s:a)), then (s:b)) too",
		"`f(**x)**는`":             "`f(**x)**는`",
		"*a **b *c* d** e*":       "(e:a (es:b (es:c) d) e)",
		"a<br>b<BR />c<i>d":       "a<br>|b<BR />|c<i>d",
	} {
		if got := tighten(marked(loosen(src))); got != want {
			t.Errorf("%s is read as %q, want %q", src, got, want)
		}
	}
}

func TestTangled(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]bool{
		strings.Repeat("[", 2001):               true,
		strings.Repeat("> ", 101) + "x":         true,
		"a\n" + strings.Repeat("- ", 101) + "x": true,
		strings.Repeat("[a](b) ", 2000):         false,
		strings.Repeat("> x\n", 2000):           false,
		strings.Repeat("- ", 99) + "x":          false,
	} {
		if got := tangled(src); got != want {
			t.Errorf("tangled of %.20q… is %v", src, got)
		}
	}
}
