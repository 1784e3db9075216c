package render

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"maru/adapters/slack/slackfake"
	"maru/bot"
)

// labels are n labels and values as JSON.
func labels(n int) string {
	var l, v []string
	for i := range n {
		l, v = append(l, strconv.Quote("아주 길고 똑같이 시작하는 이름표 "+strconv.Itoa(i))), append(v, strconv.Itoa(i+1))
	}
	return `"labels":[` + strings.Join(l, ",") + `],"values":[` + strings.Join(v, ",") + `]`
}

// TestCharts: an answer's chart is Slack's own block, with its values as text for notifications and for where Slack refuses
// it; what Slack cannot draw is bars.
func TestCharts(t *testing.T) {
	t.Parallel()
	fence := func(body string) string { return "```chart\n{" + body + "}\n```" }
	pie := fence(`"type":"pie","title":"인원 *팀별*","labels":["개발","인사"],"values":[3,1]`)
	for name, c := range map[string]struct {
		text          string
		native        int
		drawn, within string // the block, and the Markdown
	}{
		"bar":                    {"보세요.\n\n" + fence(`"type":"bar","title":"매출","unit":"만원","labels":["1월","2월"],"series":[{"name":"서울","values":[1,-2]}]`) + "\n\n끝", 1, `{"type":"data_visualization","title":"매출","chart":{"type":"bar","series":[{"name":"서울","data":[{"label":"1월","value":1},{"label":"2월","value":-2}]}],"axis_config":{"categories":["1월","2월"],"y_label":"만원"}}}`, "보세요.\n\n📊 매출\n\n끝"},
		"pie":                    {pie, 1, `{"type":"data_visualization","title":"인원 *팀별*","chart":{"type":"pie","segments":[{"label":"개발","value":3},{"label":"인사","value":1}]}}`, `📊 인원 \*팀별\*`},
		"many_slices_are_bars":   {fence(`"type":"pie",` + labels(7)), 1, `"type":"bar"`, "📊"},
		"line":                   {fence(`"type":"line","labels":["a","b"],"values":[1,2]`), 1, `"type":"line"`, "📊 꺾은선 그래프"},
		"area_of_long_labels":    {fence(`"type":"area",` + labels(20)), 1, `(2)"`, "📊"},
		"more_than_Slack_draws":  {fence(labels(21)), 0, "", "███"},
		"two_of_three":           {pie + "\n" + pie + "\n" + pie, 2, "", "███"},
		"in_a_list":              {"- 인원\n\n  " + strings.ReplaceAll(pie, "\n", "\n  "), 1, `"type":"pie"`, "- 인원\n\n📊"},
		"broken":                 {"```chart\n{oops\n```", 0, "", "{oops"},
		"seven_series_are_code":  {fence(`"labels":["a"],"series":[` + strings.Repeat(`{"values":[1]},`, 6) + `{"values":[1]}]`), 0, "", `"labels"`},
		"nothing_but_zero_slice": {fence(`"type":"pie","labels":["a","b"],"values":[1,0]`), 1, `"segments":[{"label":"a","value":1}]`, "📊"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			parts := Card(bot.Card{Kind: bot.CardText, Text: c.text, Language: "ko", Final: true})
			if len(parts) != 1 {
				t.Fatalf("%d messages", len(parts))
			}
			raw, err := json.Marshal(parts[0].Blocks)
			if err != nil {
				t.Fatal(err)
			}
			if n := strings.Count(string(raw), `"data_visualization"`); n != c.native || !strings.Contains(string(raw), c.drawn) {
				t.Errorf("%d native charts, want %d with %s: %s", n, c.native, c.drawn, raw)
			}
			var blocks []struct{ Type, Text string }
			_ = json.Unmarshal(raw, &blocks)
			if len(blocks) == 0 || !strings.Contains(blocks[0].Text, c.within) {
				t.Errorf("%s lacks %q", raw, c.within)
			}
			if why := slackfake.CheckBlocks(raw); why != "" {
				t.Error(why)
			}
			if c.native > 0 && !strings.Contains(parts[0].Text, "█") {
				t.Errorf("no values for notifications: %q", parts[0].Text)
			}
			plain, err := json.Marshal(parts[0].Plainer().Blocks)
			if err != nil || strings.Contains(string(plain), "data_visualization") || strings.Count(string(plain), "█") < c.native {
				t.Errorf("plainer: %s", plain)
			}
		})
	}
}
