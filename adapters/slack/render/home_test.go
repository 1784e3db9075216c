package render

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slack-go/slack"

	"maru/adapters/slack/slackfake"
	"maru/bot"
)

// TestHomeLooksAsItShould: a Home shows Markdown as what it means.
func TestHomeLooksAsItShould(t *testing.T) {
	t.Parallel()
	cards := []bot.Card{
		{Kind: bot.CardNotice, Text: "Saved.", Language: "en", Final: true},
		{Kind: bot.CardNotice, Title: "내 설정", Language: "ko", Final: true, Text: "- 답변 언어: **auto**는 (기본값)\n- _기억_: `on`\n  1. 하나\n  2. 둘\n\n# 제목\n첫 줄\n둘째 줄\n\n다음 문단 ~~끝~~",
			Buttons: []bot.Button{{ID: "c", Verb: "edit.me", Label: "바꾸기"}}},
		{Kind: bot.CardNotice, Title: "Others", Language: "en", Final: true, Text: "> quoted\n> twice\n\n```\na < b\n*c*\n```\n\n| day | runs |\n|---|---:|\n| 1 | **2** |\n\n" +
			"[the rules](https://docs.example.com/r) <https://x.example/> <!channel> @everyone *\\*star\\**", Sources: []bot.Source{{N: 1, Title: "the rules", URL: "https://docs.example.com/r"}}},
	}
	got, err := json.MarshalIndent(Home(cards), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	got = append(got, '\n')
	file := filepath.Join("testdata", "home.golden.json")
	if *update {
		if err := os.WriteFile(file, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("it looks different (go test ./adapters/slack/render -run HomeLooks -update after checking):\n%s", got)
	}
}

// TestHomeFits: however much there is, a Home has what Slack takes, says when
// something is left out, and calls nobody.
func TestHomeFits(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		cards int
		text  string
		cut   bool
	}{
		"few":      {3, "- **one**\n- two", false},
		"many":     {80, "- **one**\n- two", true},
		"just_fit": {33, "one", false},
		"one_over": {34, "one", true},
		"long":     {9, strings.Repeat("word <!here> ", 4000), true},
		"deep":     {1, strings.Repeat("> - ", 30) + "x\n" + strings.Repeat("    - y\n", 30), false},
		"lines":    {1, strings.Repeat("```\n\n```\n\n1. \n\n>\n\n", 100), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var cards []bot.Card
			for i := range c.cards {
				cards = append(cards, bot.Card{Kind: bot.CardNotice, Title: fmt.Sprint(i), Text: c.text, Language: "en", Final: true})
			}
			raw, err := json.Marshal(Home(cards))
			if err != nil {
				t.Fatal(err)
			}
			var blocks []json.RawMessage
			if err := json.Unmarshal(raw, &blocks); err != nil || len(blocks) == 0 || len(blocks) > maxHomeBlocks {
				t.Fatalf("%d blocks: %v", len(blocks), err)
			}
			if cut := strings.Contains(string(raw), "Cut off here"); cut != c.cut {
				t.Errorf("says that it is cut: %v, want %v", cut, c.cut)
			}
			if strings.Contains(string(raw), "<!here") || strings.Contains(string(raw), `\u003c!here`) {
				t.Error("somebody is called")
			}
			f := slackfake.Start(t, slackfake.Options{})
			_, err = slack.New(f.BotToken(), slack.OptionAPIURL(f.URL())).PublishViewContext(t.Context(), slack.PublishViewContextRequest{
				UserID: "U1", View: slack.HomeTabViewRequest{Type: slack.VTHomeTab, Blocks: slack.Blocks{BlockSet: Home(cards)}},
			})
			if err != nil {
				t.Errorf("Slack refuses it: %v", err)
			}
		})
	}
}
