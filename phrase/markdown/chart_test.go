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

// TestChartKeepsItsFence: a label with backticks, which JSON can escape, does not close the block.
func TestChartKeepsItsFence(t *testing.T) {
	t.Parallel()
	const in = "```chart\n{\"labels\":[\"\\u0060\\u0060\\u0060 <!channel>\",\"b\"],\"values\":[2,1]}\n```"
	for name, d := range map[string]*markdown.Dialect{"slack": markdown.Slack(), "discord": markdown.Discord(), "terminal": markdown.Terminal()} {
		got := d.Join(d.Lines(in, nil))
		lines := strings.Split(got, "\n")
		fence := lines[0]
		if len(lines) != 4 || lines[3] != fence || strings.Contains(strings.Join(lines[1:3], "\n"), fence) {
			t.Errorf("%s: %q", name, got)
		}
	}
}
