package markdown_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"

	"maru/phrase/fit"
	"maru/phrase/markdown"
)

// FuzzParts: no part is longer than its limit, opens a fence that it does not close, or
// strikes by one tilde.
func FuzzParts(f *testing.F) {
	for name, tt := range tildes {
		f.Add(tt.src, uint16(len(name)))
	}
	f.Add(longAnswer, uint16(100))
	f.Add("> - ```go\n>   a ~b\n>   ```\n~~~\n[x](y) ~c~ ~~~d~", uint16(9))
	f.Fuzz(func(t *testing.T, src string, limit uint16) {
		n := 60 + int(limit)%2000
		for _, p := range slackParts(src, n) {
			if fit.UTF16(p.Text) > n {
				t.Errorf("%d units for Slack, limit %d: %q", fit.UTF16(p.Text), n, p.Text)
			}
			if strings.Contains(p.Text, "<") {
				t.Errorf("an angle bracket for Slack: %q", p.Text)
			}
			if strings.Contains(struckIn(p.Text), "\x00") {
				t.Errorf("one tilde strikes on Slack: %q", p.Text)
			}
		}
		for _, p := range discordParts(src, n) {
			if utf8.RuneCountInString(p) > n {
				t.Errorf("%d characters for Discord, limit %d: %q", utf8.RuneCountInString(p), n, p)
			}
			if strings.Count(p, "```")%2 != 0 {
				t.Errorf("an open fence for Discord: %q", p)
			}
		}
		markdown.Mrkdwn(src)
	})
}

// struckIn reads Markdown as parsers do that strike by one tilde, and returns a NUL for
// each text that one tilde strikes.
func struckIn(src string) string {
	source := []byte(src)
	var b strings.Builder
	doc := goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough)).Parser().Parse(text.NewReader(source))
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if s, ok := n.(*east.Strikethrough); ok && entering {
			if first, ok := s.FirstChild().(*ast.Text); ok && first.Segment.Start >= 1 && !strings.HasSuffix(src[:first.Segment.Start], "~~") {
				b.WriteByte(0)
			}
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}
