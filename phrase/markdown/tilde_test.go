package markdown_test

import (
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"

	"maru/phrase/chart"
	"maru/phrase/markdown"
)

// tildes are texts with ranges and strikethrough: how they read, with struck words in
// brackets, and how Slack and Discord get them.
var tildes = map[string]struct{ src, reads, slack, discord string }{
	"korean_hours":   {"점심은 11:30~13:00이고 저녁은 17:30~19:00", "점심은 11:30~13:00이고 저녁은 17:30~19:00", `점심은 11:30\~13:00이고 저녁은 17:30\~19:00`, "점심은 11:30~13:00이고 저녁은 17:30~19:00"},
	"korean_dates":   {"12월 1~2일 또는 8~9일", "12월 1~2일 또는 8~9일", `12월 1\~2일 또는 8\~9일`, "12월 1~2일 또는 8~9일"},
	"about":          {"costs ~$58k, not ~$16k", "costs ~$58k, not ~$16k", `costs \~$58k, not \~$16k`, "costs ~$58k, not ~$16k"},
	"spoken":         {"안녕하세요~ 반가워요~", "안녕하세요~ 반가워요~", `안녕하세요\~ 반가워요\~`, "안녕하세요~ 반가워요~"},
	"between_spaces": {"9시 ~ 10시, 1시 ~ 2시", "9시 ~ 10시, 1시 ~ 2시", "9시 ~ 10시, 1시 ~ 2시", "9시 ~ 10시, 1시 ~ 2시"},
	"one_pair":       {"a ~b~ c", "a ~b~ c", `a \~b\~ c`, "a ~b~ c"},
	"escaped":        {`a \~b\~ c`, "a ~b~ c", `a \~b\~ c`, "a ~b~ c"},
	"struck":         {"a ~~b c~~ d", "a [b c] d", "a ~~b c~~ d", "a ~~b c~~ d"},
	"struck_range":   {"~~1~2일~~ 3~4일", "[1~2일] 3~4일", `~~1\~2일~~ 3\~4일`, "~~1~2일~~ 3~4일"},
	"bold":           {"**1~2일**과 **3~4일**", "1~2일과 3~4일", `**1\~2일**과 **3\~4일**`, "**1~2일**과 **3~4일**"},
	"around_bold":    {"~**15**와 ~**16**", "~15와 ~16", `\~**15**와 \~**16**`, "~**15**와 ~**16**"},
	"heading":        {"# 1~2일 3~4일", "1~2일 3~4일", `# 1\~2일 3\~4일`, "# 1~2일 3~4일"},
	"list":           {"- 1~2일\n- 3~4 days, 5~6", "1~2일|3~4 days, 5~6", "- 1\\~2일\n- 3\\~4 days, 5\\~6", "- 1~2일\n- 3~4 days, 5~6"},
	"quote":          {"> 1~2 3~4", "1~2 3~4", `> 1\~2 3\~4`, "> 1~2 3~4"},
	"table":          {"| 일 | 시 |\n|---|---|\n| 1~2 | 3~4 |", "일|시|1~2|3~4", "| 일 | 시 |\n| --- | --- |\n| 1\\~2 | 3\\~4 |", "```\n일  │ 시\n────┼────\n1~2 │ 3~4\n```"},
	"code":           {"`1~2 3~4` 5~6", "1~2 3~4 5~6", "`1~2 3~4` 5\\~6", "`1~2 3~4` 5~6"},
	"code_block":     {"```\n1~2 3~4\n```", "1~2 3~4", "```\n1~2 3~4\n```", "```\n1~2 3~4\n```"},
	"tilde_fence":    {"~~~\n1~2\n~~~", "1~2", "```\n1~2\n```", "```\n1~2\n```"},
	"link":           {"[1~2일](https://a.example/x) 3~4", "1~2일 (a.example) 3~4", `[1\~2일 (a.example)](https://a.example/x) 3\~4`, "[1~2일](https://a.example/x) (a.example) 3~4"},
	"address":        {"<https://a.example/~me> 3~4", "https://a.example/~me 3~4", `[https://a.example/\~me](https://a.example/%7Eme) 3\~4`, "<https://a.example/%7Eme> 3~4"},
	"bare_address":   {"https://a.example/~me/ 3~4", "https://a.example/~me/ 3~4", `https://a.example/~me/ 3\~4`, "https://a.example/%7Eme/ 3~4"},
	"path":           {"~/docs and ~/mail", "~/docs and ~/mail", `\~/docs and \~/mail`, "~/docs and ~/mail"},
}

// strict reads Markdown as those parsers do that strike by one tilde, and returns its
// words, with struck ones in brackets and a bar between blocks.
func strict(src string) string {
	source := []byte(src)
	md := goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough))
	var b strings.Builder
	var walk func(n ast.Node)
	walk = func(n ast.Node) {
		if struck, ok := n.(*east.Strikethrough); ok {
			b.WriteString("[")
			defer b.WriteString("]")
			n = struck
		}
		if n.Type() == ast.TypeBlock && n.FirstChild() == nil || n.Kind() == ast.KindFencedCodeBlock {
			b.WriteString("|" + strings.TrimSpace(string(n.Lines().Value(source))))
		}
		for c := n.FirstChild(); c != nil; c = c.NextSibling() {
			switch t := c.(type) {
			case *ast.Text:
				if t.PreviousSibling() == nil && t.Parent().Type() == ast.TypeBlock {
					b.WriteString("|")
				}
				b.WriteString(unescaped.Replace(string(t.Segment.Value(source))))
			default:
				if c.PreviousSibling() == nil && c.Type() == ast.TypeInline && n.Type() == ast.TypeBlock {
					b.WriteString("|")
				}
				walk(c)
			}
		}
	}
	walk(md.Parser().Parse(text.NewReader(source)))
	return strings.Trim(b.String(), "|")
}

var unescaped = strings.NewReplacer(`\~`, "~")

func TestOnlyTwoTildesStrikeOnSlack(t *testing.T) {
	t.Parallel()
	for name, tt := range tildes {
		got := whole(tt.src, 1000)
		if got != tt.slack {
			t.Errorf("%s: Slack gets %q, want %q", name, got, tt.slack)
		}
		if r := strict(got); name != "bare_address" && r != tt.reads {
			t.Errorf("%s: Slack shows %q, want %q", name, r, tt.reads)
		}
	}
}

func TestOnlyTwoTildesStrikeOnDiscord(t *testing.T) {
	t.Parallel()
	for name, tt := range tildes {
		if got := strings.Join(discordParts(tt.src, 1000), "\n"); got != tt.discord {
			t.Errorf("%s: Discord gets %q, want %q", name, got, tt.discord)
		}
	}
}

// page is a page without sources.
type page struct{}

func (page) Cite([]int) (string, bool) { return "", false }

func (page) Timed() bool { return false }

func (page) Chart(c chart.Chart) string { return c.HTML("en") }

func (page) Link(_, host string) (before, after string) {
	if host != "" {
		after = " (" + host + ")"
	}
	return "<a>", after + "</a>"
}

func TestOnlyTwoTildesStrikeOnPages(t *testing.T) {
	t.Parallel()
	words := strings.NewReplacer("<del>", "[", "</del>", "]", "</p>", "|", "</li>", "|", "</th>", "|", "</td>", "|", "\n", "")
	for name, tt := range tildes {
		var b strings.Builder
		for i, s := range strings.Split(words.Replace(markdown.HTML(tt.src, page{})), "<") {
			if _, after, ok := strings.Cut(s, ">"); ok {
				s = after
			} else if i > 0 {
				s = "<" + s
			}
			b.WriteString(s)
		}
		if got := strings.Trim(b.String(), "|"); got != tt.reads {
			t.Errorf("%s: a page shows %q, want %q", name, got, tt.reads)
		}
	}
}

// Plain words in Slack's mrkdwn, such as a notification: what would strike there reads
// the same and does not.
func TestNothingStrikesInMrkdwn(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]string{
		"11:30~13:00이고 저녁은 17:30~19:00": "11:30~13:00이고 저녁은 17:30~19:00",
		"12월 1~2일 또는 8~9일":              "12월 1~2일 또는 8~9일",
		"안녕하세요~ 반가워요~":                  "안녕하세요~ 반가워요~",
		"9시 ~ 10시, 1시 ~ 2시":             "9시 ~ 10시, 1시 ~ 2시",
		"~$58k, ~$16k":                  "∼$58k, ~$16k",
		"a ~b~ c":                       "a ∼b~ c",
		"only ~5\nand ~6":               "only ~5\nand ~6",
		"<!channel> ~5 & @here":         "&lt;!channel&gt; ~5 &amp; @\u200bhere",
	} {
		if got := markdown.Mrkdwn(src); got != want {
			t.Errorf("%q is written %q, want %q", src, got, want)
		}
	}
	if got := markdown.Unmarked(`1\~2일, \~3일 \~4일`); got != "1~2일, ∼3일 ~4일" {
		t.Errorf("Markdown in mrkdwn is %q", got)
	}
}
