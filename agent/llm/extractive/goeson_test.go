package extractive_test

import (
	"encoding/json"
	"strings"
	"testing"

	"maru/agent/llm"
	"maru/agent/llm/extractive"
	"maru/phrase"
)

// after asks the model with the tools of the bot behind a conversation: messages of the
// person and of the bot in turn.
func after(t *testing.T, said []string, question string) llm.Response {
	t.Helper()
	req := llm.Request{Purpose: llm.ForAnswer, Tools: []llm.Tool{
		{Name: "calculator", Parameters: json.RawMessage(`{"type":"object","properties":{"expression":{"type":"string"}},"required":["expression"]}`)},
		{Name: "current_time", Parameters: json.RawMessage(`{"type":"object","properties":{"place":{"type":"string"},"date":{"type":"string"},"weekday":{"type":"string"},"weeks":{"type":"integer"},"add_days":{"type":"integer"}}}`)},
	}}
	for i, text := range said {
		role := llm.User
		if i%2 == 1 {
			role = llm.Assistant
		}
		req.Messages = append(req.Messages, llm.Message{Role: role, Content: text})
	}
	req.Messages = append(req.Messages, llm.Message{Role: llm.User, Content: question})
	resp, err := extractive.New().Generate(t.Context(), req, nil)
	if err != nil {
		t.Fatal(err)
	}
	return resp
}

func TestSumsGoOnFromTheOneBefore(t *testing.T) {
	t.Parallel()
	ko, en := []string{"12*34는?", phrase.Say("ko", "extractive.tool.sum", "12 * 34 = 408")}, []string{"what is 10/3?", phrase.Say("en", "extractive.tool.sum", "10/3 ≈ 3.33333333")}
	documents := []string{"연차는 며칠이야?", "입사 첫해에는 15일의 연차를 받아요 [1]."}
	cases := []struct {
		said     []string
		question string
		want     string // the calculation, "" for no call
	}{
		{ko, "거기에 100을 더하면?", "(12 * 34)+100"},
		{ko, "거기서 8을 빼면 얼마야?", "(12 * 34)-8"},
		{ko, "그럼 그 값을 4로 나누면?", "(12 * 34)/4"},
		{ko, "3만을 더해줘", "(12 * 34)+(3*10000)"},
		{ko, "거기에 2를 곱하면 얼마예요?", "(12 * 34)*2"},
		{ko, "거기서 10%를 빼면?", "(12 * 34)-10%"},
		{ko, "그 결과의 15%는 얼마야?", "(12 * 34)*15/100"},
		{en, "add 100 to that", "(10/3)+100"},
		{en, "and what if I subtract 2 from it?", "(10/3)-2"},
		{en, "divide that by 4", "(10/3)/4"},
		{en, "times 3", "(10/3)*3"},
		{en, "what is 20% of that?", "(10/3)*20/100"},

		{ko, "거기에 주차하면 얼마야?", ""},
		{ko, "연차를 3일 더하면 승인은 누가 해?", ""},
		{ko, "휴가비에 100을 더하면 세금은?", ""},
		{en, "do I get 5 days added to my leave?", ""},
		{en, "what is 20% of my salary?", ""},
		{documents, "거기에 3을 더하면?", ""},
		{documents, "add 3 to that", ""},
		{nil, "거기에 100을 더하면?", ""},
	}
	for _, c := range cases {
		resp := after(t, c.said, c.question)
		got := ""
		for _, call := range resp.Message.ToolCalls {
			var args struct{ Expression string }
			if err := json.Unmarshal(call.Arguments, &args); err != nil {
				t.Fatal(err)
			}
			got += args.Expression
		}
		if got != c.want {
			t.Errorf("%q: calls %q, want %q", c.question, got, c.want)
		}
	}
}

func TestAWeekdaySomeWeeksAway(t *testing.T) {
	t.Parallel()
	for question, want := range map[string]string{
		"3주 뒤 금요일은 며칠이야?":                           `{"weekday":"friday","weeks":3}`,
		"2주 전 월요일이 며칠이었지?":                          `{"weekday":"monday","weeks":-2}`,
		"what date is Friday in 3 weeks?":           `{"weekday":"friday","weeks":3}`,
		"what day was the Monday 2 weeks ago?":      `{"weekday":"monday","weeks":-2}`,
		"3주 뒤는 며칠이야?":                               `{"add_days":21}`,
		"3주 뒤 금요일 회의실은 어디야?":                        "",
		"when is the meeting on Friday in 3 weeks?": "",
	} {
		got := ""
		for _, call := range after(t, nil, question).Message.ToolCalls {
			got += string(call.Arguments)
		}
		if got != want {
			t.Errorf("%q: calls %s, want %s", question, got, want)
		}
	}
}

// TestWhatWasSaidFirstAndWhichKind asks for the beginning of the conversation, and for what
// the person told under another word.
func TestWhatWasSaidFirstAndWhichKind(t *testing.T) {
	t.Parallel()
	ko := []string{"나는 디자인팀에서 일해", "알겠어요.", "연차는 며칠이야?", "15일이에요.", "주차는 어디에 해?", "지하 2층이에요."}
	en := []string{"I work in the design team", "All right.", "How many days of leave do I get?", "15 days.", "Where can I park?", "In the basement."}
	for _, c := range []struct {
		said           []string
		question, want string
	}{
		{ko, "처음에 물어본 게 뭐였지?", "연차는 며칠이야?"},
		{ko, "내가 처음에 한 말이 뭐였지?", "나는 디자인팀에서 일해"},
		{ko, "내 첫 질문이 뭐였어?", "연차는 며칠이야?"},
		{ko, "내가 어느 팀에서 일한다고 했지?", "나는 디자인팀에서 일해"},
		{en, "What was my first question?", "How many days of leave do I get?"},
		{en, "What did I ask first?", "How many days of leave do I get?"},
		{en, "Which team did I say I work in?", "I work in the design team"},
	} {
		if got := after(t, c.said, c.question).Message.Content; !strings.Contains(got, "“"+c.want+"”") {
			t.Errorf("%q is answered with %q", c.question, got)
		}
	}
	for _, question := range []string{"처음에 받는 장비는 뭐였지?", "첫 질문은 누구에게 해야 해?", "내가 어느 부서에 신청해야 해?", "what is the first question of the interview?"} {
		if got := after(t, ko, question).Message.Content; strings.Contains(got, "연차는 며칠이야?") || strings.Contains(got, "디자인팀") {
			t.Errorf("%q is taken for one about the conversation: %q", question, got)
		}
	}
}
