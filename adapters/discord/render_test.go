package discord

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"maru/adapters/discord/wire"
	"maru/bot"
	"maru/datatest"
	"maru/phrase/fit"
)

var update = flag.Bool("update", false, "write the goldens anew")

// cards are what people see; each has a golden of what is sent.
func cards() map[string]bot.Card {
	return map[string]bot.Card{
		"answer_with_sources": {Kind: bot.CardText, Language: "ko", Final: true,
			Text: "연차는 **15일**입니다 [1].\n\n- 1년 이상 근무: 15일\n- 3년 이상: 2년마다 하루 더\n    - 최대 25일\n\n자세한 내용은 [규정](https://intra.example.com/hr?a=1&b=(2)) 참고.",
			Sources: []bot.Source{
				{N: 1, Title: "취업규칙", Heading: "제15조 연차휴가", Page: 3, URL: "https://intra.example.com/doc/1"},
				{N: 2, Title: "handbook_v2.md", Heading: "Leave", URL: "javascript:alert(1)"},
			}, Footer: "마루 · 0.8 s · `/maru memory forget a_b*c` 로 *잊어요* `"},
		"progress":    {Kind: bot.CardProgress, Text: "찾아보니", Status: "문서를 읽고 있어요…", Language: "ko"},
		"status_only": {Kind: bot.CardProgress, Status: "Thinking…", Language: "en"},
		"empty":       {Kind: bot.CardText},
		"plan": {Kind: bot.CardPlan, Title: "배포 계획", Language: "ko",
			Steps: []bot.Step{
				{Text: "테스트 실행", State: bot.StepDone, Detail: "132개 통과"}, {Text: "이미지 빌드", State: bot.StepRunning},
				{Text: "배포", State: bot.StepWaiting}, {Text: "알림", State: bot.StepSkipped}, {Text: "복구", State: bot.StepFailed, Detail: "*권한* 없음"},
			},
			Fields: []bot.Field{{Label: "환경", Value: "production"}, {Label: "버전", Value: "v1.2.3\nbuild 7"}},
			Buttons: []bot.Button{
				{ID: "abc", Verb: "accept", Label: "실행", Style: bot.ButtonPrimary}, {ID: "abc", Verb: "reject", Label: "그만", Style: bot.ButtonDanger},
				{Label: "자세히", URL: "https://maru.example.com/runs/1"}, {Label: "bad", URL: "javascript:x"},
			}},
		"choices": {Kind: bot.CardChoices, Language: "ko", Title: "승인이 필요해요", Text: "`release.sh`를 **실행**할까요?\n\n```sh\n./release.sh --to production\n```",
			Steps:   []bot.Step{{Text: "빌드", State: bot.StepWaiting, Detail: "⚙️ 코드를 실행함"}},
			Footer:  "질문한 사람이 결정할 수 있어요.",
			Buttons: []bot.Button{{ID: "r1", Verb: "accept", Label: "승인", Style: bot.ButtonPrimary}, {ID: "r1", Verb: "edit", Label: "수정"}, {ID: "r1", Verb: "reject", Label: "거절", Style: bot.ButtonDanger}}},
		"choices_decided": {Kind: bot.CardChoices, Language: "ko", Text: "`release.sh`를 실행할까요?", Footer: "✅ 영희: 승인 · 11-21 14:05", Final: true},
		"many_choices":    {Kind: bot.CardChoices, Language: "en", Text: "Which one?", Buttons: many(30)},
		"feedback":        {Kind: bot.CardFeedback, Language: "ko", Text: "연차는 15일이에요.", Final: true, Buttons: []bot.Button{{ID: "fb", Verb: "up", Label: "👍"}, {ID: "fb", Verb: "down", Label: "👎"}}},
		"notice":          {Kind: bot.CardNotice, Language: "ko", Text: "이 버튼은 질문한 사람만 누를 수 있어요.", Final: true},
		"plan_done":       {Kind: bot.CardPlan, Language: "en", Title: "Plan", Final: true, Steps: []bot.Step{{Text: "a", State: bot.StepDone}, {Text: "b", State: bot.StepSkipped}}, Sources: []bot.Source{{N: 1, Title: "Doc", URL: "https://a.example/"}}},
		"table":           {Kind: bot.CardText, Final: true, Text: "| 이름 | 부서 | Days |\n|---|:-:|--:|\n| 김철수 | 개발 | 15 |\n| Ann | 디자인팀 | 7 |\n\n끝"},
		"wide_table":      {Kind: bot.CardText, Final: true, Text: "| 항목 | 설명 |\n|---|---|\n| 하나 | " + strings.Repeat("아주 긴 설명 ", 12) + "|\n| two | `x` |"},
		"code":            {Kind: bot.CardText, Final: true, Text: "```go\nfmt.Println(\"@everyone <@123>\")\n```\n\n````md\n```\ninner\n```\n````\n\n1. first\n   ```sh\n   ls\n   ```\n2. second"},
		"mentions":        {Kind: bot.CardText, Final: true, Text: "@everyone @here <@123456> <@!1> <@&42> <#9> </ask:77> <:x:123> <a:y:456> <t:0:R> <id:customize> @Everyone"},
		"links":           {Kind: bot.CardText, Final: true, Text: "[google.com](https://evil.example) [x](javascript:alert(1)) ![alt text](https://img.example/a.png) https://user:pw@evil.example/ ftp://a.example <https://ok.example/a_b_c> [https://bank.example](https://evil.example/a) http://snake_case.example/a_b_c, end [ref][r]\n\n[r]: http://192.168.0.1/x 'title'"},
		"headings":        {Kind: bot.CardText, Final: true, Text: "# One\n\n## Two\n\n### Three\n\n#### Four\n\ntext\n\n> # quoted\n> more\n>> deeper\n\n---\n\n~~gone~~ *it* __bold__ ***both***"},
		"escapes":         {Kind: bot.CardText, Final: true, Text: "snake_case 2 * 3 * 4 = 24, \\*not\\* a__b ||spoiler|| ~tilde~ C:\\dir \\# no\n\n\\- dash\n\n1\\. one\n\n\\> q &lt;b&gt; &amp;amp; <div>html</div>"},
	}
}

// many are a question's buttons with more suggestions than fit into rows.
func many(n int) []bot.Button {
	out := []bot.Button{{ID: "r", Verb: "reject", Label: "None of them", Style: bot.ButtonDanger}}
	for i := range n {
		out = append(out, bot.Button{ID: "r", Verb: "pick." + strconv.Itoa(i), Label: "Suggestion " + strconv.Itoa(i)})
	}
	return out
}

func TestGoldens(t *testing.T) {
	t.Parallel()
	for name, c := range cards() {
		var sent []outgoing
		for _, p := range render(c) {
			sent = append(sent, newOutgoing(p))
		}
		var got strings.Builder
		enc := json.NewEncoder(&got)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		if err := enc.Encode(sent); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join("testdata", name+".golden.json")
		if *update {
			if err := os.WriteFile(path, []byte(got.String()), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if got.String() != string(want) {
			t.Errorf("%s changed (run with -update):\n%s", name, got.String())
		}
	}
}

func TestFormGolden(t *testing.T) {
	t.Parallel()
	raw, err := json.MarshalIndent(modal(bot.Form{
		ID: "f1", Verb: "edit.form", Title: "계획 고치기", Submit: "보내기", Inputs: []bot.Input{
			{ID: "steps", Label: "단계", Hint: "한 줄에 하나씩", Value: "1. 빌드\n2. 배포", Long: true, Required: true, Max: 3000},
			{ID: "env", Label: "환경", Required: true, Value: "prod", Options: []bot.Option{{Value: "prod", Label: "운영"}, {Value: "dev", Label: "개발"}}},
			{ID: "note", Label: strings.Repeat("아주 긴 이름 ", 10)},
			{ID: "who", Label: "사람", Pick: true, Value: "111, 222"},
		},
	}, "", func(id string) bool { return id == "222" }), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("testdata", "modal.golden.json")
	if *update {
		if err := os.WriteFile(path, append(raw, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil || string(want) != string(raw)+"\n" {
		t.Errorf("the form changed (run with -update): %v\n%s", err, raw)
	}
}

var pings = regexp.MustCompile(`(?i)@(everyone|here)\b|<@[!&]?\d+>|<#\d+>|<a?:\w+:\d+>`)

// obeys checks everything that must hold for whatever is rendered.
func obeys(t *testing.T, name string, c bot.Card) {
	t.Helper()
	parts := render(c)
	if len(parts) == 0 || len(parts) > maxMessages {
		t.Fatalf("%s: %d messages", name, len(parts))
	}
	for _, p := range parts {
		most, all := maxContent, wire.Component{Components: p.blocks}
		if p.v2() {
			most = maxV2Text
		}
		switch {
		case strings.TrimSpace(p.text()) == "":
			t.Errorf("%s: an empty message", name)
		case size(strings.ReplaceAll(p.text(), "\n", "")) > most:
			t.Errorf("%s: %d characters", name, size(p.text()))
		case count(all)-1 > maxComponents:
			t.Errorf("%s: %d components", name, count(all)-1)
		case !utf8.ValidString(p.text()):
			t.Errorf("%s: broken UTF-8", name)
		case strings.Count(p.text(), "```")%2 != 0:
			t.Errorf("%s: an open fence in %q", name, p.text())
		case pings.MatchString(p.text()):
			t.Errorf("%s: mentions %q", name, pings.FindString(p.text()))
		case len(p.rows) > maxRows:
			t.Errorf("%s: %d rows", name, len(p.rows))
		}
		for _, m := range bareURL.FindAllString(p.text(), -1) {
			host := m[strings.Index(m, "://")+3:]
			if at := strings.IndexAny(host, "/?#"); at >= 0 {
				host = host[:at]
			}
			if strings.Contains(host, "@") {
				t.Errorf("%s: an address with a user name: %q", name, m)
			}
		}
	}
}

var bareURL = regexp.MustCompile(`(?i)https?://[^\s<>]+`)

func TestCommonMarkObeysTheLimits(t *testing.T) {
	t.Parallel()
	var examples []struct {
		Markdown string `json:"markdown"`
		Example  int    `json:"example"`
	}
	if err := json.Unmarshal(datatest.File(t, "commonmark/spec.json"), &examples); err != nil {
		t.Fatal(err)
	}
	if len(examples) < 600 {
		t.Fatalf("%d examples", len(examples))
	}
	var all strings.Builder
	for _, e := range examples {
		obeys(t, "example "+e.Markdown, bot.Card{Text: e.Markdown})
		obeys(t, "native example "+e.Markdown, bot.Card{Kind: bot.CardChoices, Text: e.Markdown})
		all.WriteString(e.Markdown + "\n\n")
	}
	obeys(t, "all at once", bot.Card{Text: fit.Cut(all.String(), 30000)})
	obeys(t, "all at once, native", bot.Card{Kind: bot.CardPlan, Text: fit.Cut(all.String(), 30000), Buttons: many(40)})
}

func TestNaughtyStringsObeyTheLimits(t *testing.T) {
	t.Parallel()
	var naughty []string
	if err := json.Unmarshal(datatest.File(t, "blns/blns.json"), &naughty); err != nil {
		t.Fatal(err)
	}
	for _, s := range datatest.Thin(naughty, 32) { // nothing is shared that could race
		for _, repeat := range []int{1, 120} {
			long := strings.Repeat(s+" ", repeat)
			for _, kind := range []bot.CardKind{bot.CardText, bot.CardChoices} {
				obeys(t, s, bot.Card{Kind: kind, Title: long, Text: long, Status: long, Footer: long,
					Steps: []bot.Step{{Text: long, Detail: long}}, Fields: []bot.Field{{Label: long, Value: long}},
					Sources: []bot.Source{{N: 1, Title: long, Heading: long, URL: long}},
					Buttons: []bot.Button{{ID: "a", Verb: "b", Label: long}, {Label: long, URL: long}}})
			}
		}
	}
}

// shapes are the ways in which a model may try to call people.
func shapes() []string {
	out := []string{}
	for _, m := range []string{"@everyone", "@here", "<@123456789>", "<@!123456789>", "<@&123456789>", "<#123456789>", "@EVERYONE", "&#64;everyone", "&lt;@123456789&gt;", `\@everyone`, `\<@123456789>`, "<\\@123456789>"} {
		for _, around := range []string{"%s", "**%s**", "`%s`", "```\n%s\n```", "> %s", "# %s", "- %s", "[%s](https://a.example)", "[x](https://a.example/%s)", "| a |\n|---|\n| %s |", "~~%s~~"} {
			out = append(out, strings.Replace(around, "%s", m, 1))
		}
	}
	return out
}

func TestNobodyIsCalled(t *testing.T) {
	t.Parallel()
	for _, s := range shapes() {
		obeys(t, s, bot.Card{Text: s, Title: s, Footer: s, Fields: []bot.Field{{Label: s, Value: s}}})
	}
}

func FuzzRender(f *testing.F) {
	for _, s := range shapes() {
		f.Add(s)
	}
	for _, c := range cards() {
		f.Add(c.Text)
	}
	f.Fuzz(func(t *testing.T, s string) {
		obeys(t, "native fuzz", bot.Card{Kind: bot.CardPlan, Text: s, Steps: []bot.Step{{Text: s, Detail: s}}, Footer: s})
		obeys(t, "fuzz", bot.Card{Text: s, Title: s, Sources: []bot.Source{{N: 1, Title: s, URL: s}}, Buttons: []bot.Button{{ID: "a", Verb: s, Label: s}}})
	})
}

func BenchmarkRender(b *testing.B) {
	c := cards()["answer_with_sources"]
	b.ReportAllocs()
	for b.Loop() {
		render(c)
	}
}
