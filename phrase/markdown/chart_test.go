package markdown_test

import (
	"strings"
	"testing"

	"maru/phrase/markdown"
)

// TestChartBlocks: every dialect draws a chart with bars, wherever it stands; what is no chart stays code.
func TestChartBlocks(t *testing.T) {
	t.Parallel()
	const block = "```chart\n{\"title\":\"매출\",\"labels\":[\"1월\",\"2월\"],\"values\":[2,1]}\n```"
	for name, d := range map[string]*markdown.Dialect{"slack": markdown.Slack(), "discord": markdown.Discord(), "terminal": markdown.Terminal()} {
		for in, want := range map[string]string{
			block: "```\n매출\n1월 ██████████████████ 2\n2월 █████████ 1\n```",
			"- a\n\n  " + strings.ReplaceAll(block, "\n", "\n  "): "1월 ██████████████████ 2",
			"```chart\n{\"labels\":[\n```":                        "{\"labels\":[",
		} {
			if got := d.Join(d.Lines(in, nil)); !strings.Contains(got, want) {
				t.Errorf("%s: %q became %q", name, in, got)
			}
		}
	}
}
