// Package rendertest has cards for rendering tests: each has a golden file, and Discord must
// accept the result.
package rendertest

import (
	"strconv"
	"strings"

	"maru/bot"
)

// Cards returns cards of every kind by the name of their golden file.
func Cards() map[string]bot.Card {
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
		"many_choices":    {Kind: bot.CardChoices, Language: "en", Text: "Which one?", Buttons: Choices(30)},
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

// Choices returns n suggestion buttons, more than fit into rows.
func Choices(n int) []bot.Button {
	out := []bot.Button{{ID: "r", Verb: "reject", Label: "None of them", Style: bot.ButtonDanger}}
	for i := range n {
		out = append(out, bot.Button{ID: "r", Verb: "pick." + strconv.Itoa(i), Label: "Suggestion " + strconv.Itoa(i)})
	}
	return out
}
