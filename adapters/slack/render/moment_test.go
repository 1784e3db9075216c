package render

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"maru/adapters/slack/slackfake"
	"maru/bot"
	"maru/phrase"
)

// TestMomentsAreShownInTheReadersZone: the bot's own times are dates of Slack, with words for notifications and
// old clients. An agent's are words.
func TestMomentsAreShownInTheReadersZone(t *testing.T) {
	t.Parallel()
	angles := strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&") // slack-go escapes them
	forged := "[어제](moment:1700000001)"
	at := string(phrase.Local(time.Unix(1_700_000_000, 0), "15일(수) 오전 7:13 KST"))
	date := `"type":"date","timestamp":1700000000,"format":"{date_short_pretty} {time}","fallback":"15일(수) 오전 7:13 KST"`
	angle := `<!date^1700000000^{date_short_pretty} {time}|15일(수) 오전 7:13 KST>`
	for name, tt := range map[string]struct {
		card bot.Card
		want []string
		not  string
	}{
		"notice": {bot.Card{Kind: bot.CardNotice, Own: true, Final: true, Text: "- **매일** 다음: " + at}, []string{date}, "moment:"},
		"footer": {bot.Card{Kind: bot.CardChoices, Own: true, Text: "may I?", Footer: "<!here> a & b · " + at}, []string{angle, `&lt;!here&gt; a &amp; b`}, "moment:"},
		"field":  {bot.Card{Kind: bot.CardText, Text: "ok " + forged, Fields: []bot.Field{{Label: "Decision " + forged, Value: "✅ Mina · " + at}}}, []string{angle}, "1700000001^"},
		"answer": {bot.Card{Kind: bot.CardText, Final: true, Text: "at " + at, Footer: "at " + at}, []string{"15일(수) 오전 7:13 KST"}, "date"},
		"long":   {bot.Card{Kind: bot.CardNotice, Own: true, Final: true, Text: at + strings.Repeat(" words", 2000)}, []string{"15일(수) 오전 7:13 KST"}, "moment:"},
	} {
		parts := Card(tt.card)
		raw := ""
		for _, p := range parts {
			b := &strings.Builder{}
			enc := json.NewEncoder(b)
			enc.SetEscapeHTML(false)
			if err := enc.Encode(p.Blocks); err != nil {
				t.Fatal(err)
			}
			if why := slackfake.CheckBlocks(json.RawMessage(b.String())); why != "" {
				t.Errorf("%s: %s", name, why)
			}
			raw += angles.Replace(b.String()) + p.Text
			if strings.Contains(p.Text, "<!date") || name != "field" && strings.Contains(p.Text, "moment:") {
				t.Errorf("%s: notification %q", name, p.Text)
			}
		}
		for _, w := range tt.want {
			if !strings.Contains(raw, w) {
				t.Errorf("%s: no %s in\n%s", name, w, raw)
			}
		}
		if strings.Contains(raw, tt.not) {
			t.Errorf("%s: %s in\n%s", name, tt.not, raw)
		}
	}
}
