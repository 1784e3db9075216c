package markdown_test

import (
	"html"
	"math/rand/v2"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"

	"maru/phrase/chart"
	"maru/phrase/fit"
	"maru/phrase/markdown"
)

// marksUp are pieces of the syntaxes of Markdown, Slack, Discord, HTML and terminals, beside ordinary words.
var marksUp = []string{
	"a", "b", "돈", "보내기", " ", " ", "\n", "\n", "\n\n", "    ", "\t", "*", "**", "_", "__", "~", "~~", "`", "``", "```", "```sh", "~~~", "\\", "\\*",
	"[", "]", "(", ")", "[x]", "[x]: ", "](", "![", "<", ">", "<!-- ", " -->", "<details>", "<summary>", "<br>", "</b>", "&", "&lt;", "&#8203;", "&#x202e;", "&amp;copy;",
	"http://a.example/x", "https://b.example/?q=1&copy=2", "https://c.example/_n_*", "javascript:x", "[^1]: ", "[^1]", "\"title\"", "|", "| |", "|---|", "---", "===", "***",
	"# ", "## ", "-# ", "> ", ">>> ", "- ", "+ ", "* ", "1. ", "5000. ", "3) ", "||", "<!channel>", "<!channel|x>", "<@U1|kim>", "<#C1>", "<t:1:R>", "@everyone", ":smile:",
	"\u200b", "\u202e", "\u2066", "\U000e0041", "\ufe0f", "\U000e0101", "\u034f", "\u3164", "\u2800", "\r", "\x1b[8m", "1", ".", ":", "!", "=", "…", "❤️", "葛󠄀", "{", "}", "\"", ",",
}

// scramble makes a text of pieces.
func scramble(r *rand.Rand, pieces []string) string {
	var b strings.Builder
	for range 1 + r.IntN(14) {
		b.WriteString(pieces[r.IntN(len(pieces))])
	}
	return b.String()
}

// solid returns the characters of a text that take ink; an address may write some of its own as "%2A".
func solid(s string) string {
	s = percent.ReplaceAllStringFunc(s, func(code string) string {
		plain, _ := url.PathUnescape(code)
		return plain
	})
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || string(r) == markdown.Breaker {
			return -1
		}
		return r
	}, s)
}

// readers return what people see of Markdown on each surface.
var readers = map[string]func(src string) string{
	"slack": func(src string) string {
		d := markdown.Slack()
		return strings.ReplaceAll(inkOf(d.Join(d.Lines(src, nil))), tildeOperator, "~")
	},
	"discord": func(src string) string {
		d := markdown.Discord()
		return inkOfDiscord(d.Join(d.Lines(src, nil)))
	},
	"terminal": func(src string) string {
		d := markdown.Terminal()
		return regexp.MustCompile(`\x1b\[[0-9]+m`).ReplaceAllString(d.Join(d.Lines(src, nil)), "")
	},
	"web": func(src string) string {
		return inkOfPage(markdown.HTML(src, barePage{}))
	},
}

// commonMark reads what Slack documents of its Markdown.
var commonMark = goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.TaskList))

const tildeOperator = "\u223c"

var percent = regexp.MustCompile(`%[0-9A-F]{2}`)

var autoForm = regexp.MustCompile(`<(https?://[^\s<>]*)>`)

// inkOf reads CommonMark as Slack does.
func inkOf(md string) string {
	var b strings.Builder
	src := []byte(md)
	_ = ast.Walk(commonMark.Parser().Parse(text.NewReader(src)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Text:
			b.WriteString(markdown.Resolve(string(n.Segment.Value(src))))
			b.WriteByte(' ')
		case *ast.String:
			b.Write(n.Value)
		case *ast.ListItem:
			if list, ok := n.Parent().(*ast.List); ok && list.IsOrdered() {
				number := list.Start
				for before := n.PreviousSibling(); before != nil; before = before.PreviousSibling() {
					number++
				}
				b.WriteString(strconv.Itoa(number) + ". ")
			}
		case *ast.AutoLink:
			b.Write(n.Label(src))
		case *ast.CodeBlock, *ast.FencedCodeBlock:
			for i := range n.Lines().Len() {
				l := n.Lines().At(i)
				b.WriteString(strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&").Replace(string(l.Value(src)))) // all that Slack reads in code
			}
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

var tag = regexp.MustCompile(`<[^>]*>`)

// inkOfPage reads HTML, with the numbers that a browser writes before items.
func inkOfPage(page string) string {
	var next []int // number of the next item of each open list, -1 without numbers
	return html.UnescapeString(tag.ReplaceAllStringFunc(page, func(t string) string {
		name, start, _ := strings.Cut(strings.Trim(t, "<>"), " ")
		switch {
		case name == "ul":
			next = append(next, -1)
		case name == "ol":
			_, start, _ = strings.Cut(start, `start="`)
			n, err := strconv.Atoi(strings.TrimRight(strings.SplitN(start, `"`, 2)[0], " "))
			if err != nil {
				n = 1
			}
			next = append(next, n)
		case name == "/ul", name == "/ol":
			next = next[:len(next)-1]
		case name == "li" && next[len(next)-1] >= 0:
			next[len(next)-1]++
			return strconv.Itoa(next[len(next)-1]-1) + ". "
		}
		return ""
	}))
}

// inkOfDiscord reads Discord's escapes, bold text and links in angle brackets.
func inkOfDiscord(md string) string {
	var b strings.Builder
	for md = autoForm.ReplaceAllString(md, "$1"); md != ""; md = md[min(1, len(md)):] {
		switch {
		case len(md) > 1 && md[0] == '\\' && (unicode.IsPunct(rune(md[1])) || unicode.IsSymbol(rune(md[1]))):
			md = md[1:]
		case strings.HasPrefix(md, "**"):
			md = md[2:]
		}
		if md != "" {
			b.WriteByte(md[0])
		}
	}
	return b.String()
}

// barePage is a page without sources.
type barePage struct{}

func (barePage) Cite([]int) (string, bool)               { return "", false }
func (barePage) Link(_, _ string) (before, after string) { return "", "" }
func (barePage) Timed() bool                             { return false }
func (barePage) Chart(chart.Chart) string                { return "" }

// TestLiteralHidesNothing: every character of a value can be read on every surface, in order and as it is written.
func TestLiteralHidesNothing(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 3_000 {
		value := fit.Visible(scramble(r, marksUp))
		if solid(value) == "" {
			continue
		}
		for name, read := range readers {
			for around, src := range map[string]string{"alone": fit.Literal(value), "bold": "**Step 1 · " + fit.Literal(fit.OneLine(value)) + "** — shall I run it?"} {
				want := solid(value)
				if around == "bold" {
					want = solid("Step 1 · " + value + " — shall I run it?")
				}
				if got := solid(read(src)); got != want {
					t.Fatalf("%s, %s: %q\nas Markdown %q\n got %q\nwant %q", name, around, value, src, got, want)
				}
			}
		}
	}
}

// letters returns the letters and digits of a text.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, solid(s))
}
