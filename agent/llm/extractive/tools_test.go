package extractive_test

import (
	"encoding/json"
	"strings"
	"testing"

	"maru/agent/llm"
)

func tools() []llm.Tool {
	obj := func(s string) json.RawMessage { return json.RawMessage(s) }
	return []llm.Tool{
		{Name: "calculator", Parameters: obj(`{"type":"object","properties":{"expression":{"type":"string"}},"required":["expression"]}`)},
		{Name: "current_time", Parameters: obj(`{"type":"object","properties":{"place":{"type":"string"},"add_days":{"type":"integer"}}}`)},
		{Name: "weather", Parameters: obj(`{"type":"object","properties":{"place":{"type":"string"},"days":{"type":"integer"}},"required":["place"]}`)},
		{Name: "wikipedia_search", Parameters: obj(`{"type":"object","properties":{"query":{"type":"string"}},"required":["query"]}`)},
		{Name: "web_search", Parameters: obj(`{"type":"object","properties":{"query":{"type":"string"}},"required":["query"]}`)},
		{Name: "search_messages", Parameters: obj(`{"type":"object","properties":{"query":{"type":"string"}},"required":["query"]}`)},
		{Name: "read_file", Parameters: obj(`{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`)},
	}
}

// call is a question and the one call that it is answered by.
type call struct{ q, tool, args string }

// expectCalls asks each question by itself.
func expectCalls(t *testing.T, calls []call) {
	t.Helper()
	for _, tt := range calls {
		t.Run(tt.q, func(t *testing.T) {
			t.Parallel()
			resp := generate(t, llm.Request{Purpose: llm.ForAnswer, Messages: said(tt.q), Tools: tools()})
			if len(resp.Message.ToolCalls) != 1 {
				t.Fatalf("%q: %d calls, text %q", tt.q, len(resp.Message.ToolCalls), resp.Message.Content)
			}
			c := resp.Message.ToolCalls[0]
			if c.Name != tt.tool || string(c.Arguments) != tt.args || c.ID == "" || resp.Finish != "tool_calls" {
				t.Errorf("%q: call %s%s finish %s, want %s%s", tt.q, c.Name, c.Arguments, resp.Finish, tt.tool, tt.args)
			}
		})
	}
}

func TestCalculatorCalls(t *testing.T) {
	t.Parallel()
	expectCalls(t, []call{
		{"123*456은?", "calculator", `{"expression":"123*456"}`},
		{"What is 15% of 240?", "calculator", `{"expression":"240*15/100"}`},
		{"240의 15%는 얼마야?", "calculator", `{"expression":"240*15/100"}`},
		{"200 + 10%는?", "calculator", `{"expression":"200+10%"}`},
		{"1000 - 20 % = ?", "calculator", `{"expression":"1000-20%"}`},
		{"3 더하기 5는?", "calculator", `{"expression":"3+5"}`},
		{"1,234,567 + 1 계산해줘", "calculator", `{"expression":"1234567+1"}`},
		{"(2+3)*4 =", "calculator", `{"expression":"(2+3)*4"}`},
		{"what is the square root of 144?", "calculator", `{"expression":"sqrt(144)"}`},
		{"2의 10제곱은?", "calculator", `{"expression":"2^10"}`},
		{"100 나누기 7은 얼마야", "calculator", `{"expression":"100/7"}`},
		{"12 × 12", "calculator", `{"expression":"12*12"}`},
		{"Calculate 1 plus 2 plus 3", "calculator", `{"expression":"1+2+3"}`},
		{"１２３＋４", "calculator", `{"expression":"123+4"}`},
		{"100만 곱하기 2는?", "calculator", `{"expression":"(100*10000)*2"}`},
		{"1,000원 + 2,000원은 얼마야?", "calculator", `{"expression":"1000+2000"}`},
		{"5!은?", "calculator", `{"expression":"5!"}`},
		{"sqrt 144?", "calculator", `{"expression":"sqrt(144)"}`},
		{"2+2 얼마게", "calculator", `{"expression":"2+2"}`},
		{"10 divided by 4", "calculator", `{"expression":"10/4"}`},
		{"1억 2천만 나누기 3", "calculator", `{"expression":"(1*100000000+2000*10000)/3"}`},
		{"3백만 곱하기 2", "calculator", `{"expression":"(300*10000)*2"}`},
		{"sin(30°)", "calculator", `{"expression":"sin(30°)"}`},
		{"log(100)", "calculator", `{"expression":"log(100)"}`},
		{"2 * round(2.5) + sqrt(16)", "calculator", `{"expression":"2*round(2.5)+sqrt(16)"}`},
		{"안녕! 7*8은?", "calculator", `{"expression":"7*8"}`},
	})
}

func TestMessageCalls(t *testing.T) {
	t.Parallel()
	expectCalls(t, []call{
		{"지난주에 배포 얘기 어디서 했지?", "search_messages", `{"query":"지난주에 배포 얘기 어디서 했지?"}`},
		{"What did Kim say about the launch?", "search_messages", `{"query":"What did Kim say about the launch?"}`},
	})
}

func TestClockCalls(t *testing.T) {
	t.Parallel()
	expectCalls(t, []call{
		{"올해 몇 년이야?", "current_time", `{}`},
		{"이번 달은 몇 월이야?", "current_time", `{}`},
		{"what year is it?", "current_time", `{}`},
		{"제주는 지금 몇 시야?", "current_time", `{"place":"Asia/Seoul"}`},
		{"뉴욕 시간 알려줘", "current_time", `{"place":"America/New_York"}`},
		{"지금 부산 시간", "current_time", `{"place":"Asia/Seoul"}`},
		{"time in London please", "current_time", `{"place":"Europe/London"}`},
		{"지금 몇 시야?", "current_time", `{}`},
		{"오늘 며칠이야?", "current_time", `{}`},
		{"뉴욕은 지금 몇 시야?", "current_time", `{"place":"America/New_York"}`},
		{"What time is it in London right now?", "current_time", `{"place":"Europe/London"}`},
		{"what day is it today", "current_time", `{}`},
		{"내일 무슨 요일이야?", "current_time", `{"add_days":1}`},
		{"100일 뒤는 며칠이야?", "current_time", `{"add_days":100}`},
		{"오늘부터 3주 후는 무슨 요일이야?", "current_time", `{"add_days":21}`},
		{"30일 전은 며칠이었어?", "current_time", `{"add_days":-30}`},
		{"What date is 100 days from now?", "current_time", `{"add_days":100}`},
		{"What day is it in 2 weeks?", "current_time", `{"add_days":14}`},
		{"What was the date 3 weeks ago?", "current_time", `{"add_days":-21}`},
		{"내일모레 무슨 요일이야?", "current_time", `{"add_days":2}`},
		{"글피는 며칠이야?", "current_time", `{"add_days":3}`},
		{"그글피는 무슨 요일이야?", "current_time", `{"add_days":4}`},
		{"그저께는 무슨 요일이었어?", "current_time", `{"add_days":-2}`},
		{"그제는 며칠이야?", "current_time", `{"add_days":-2}`},
		{"What day is the day after tomorrow?", "current_time", `{"add_days":2}`},
	})
}

func TestNoToolCall(t *testing.T) {
	t.Parallel()
	for _, q := range []string{"2024-01-15은?", "010-1234-5678", "24/7", "회의는 몇 시야?", "3층 회의실 예약 방법", "날씨", "연차 15일 중 3일을 쓰면?", "안녕", "v1.2.3", "연차가 15일!", "5개", "3만원 이하 경비 규정", "1억 원 계약 결재선", "2026-11-22 ?", "02-123-4567", "100%", "-5",
		"런던 지사의 근무 시간", "근무 시간 알려줘", "우리 회의는 한국 시간이야", "독일 시간 외 수당", "I was in London all the time",
		"올해 연차는 몇 년차부터 늘어?", "입사 100일 뒤는 며칠이야?", "퇴사 30일 전은 무슨 요일이야?",
		"다음 주 금요일에 쉬어?", "회식은 다음 주 금요일 며칠이야?", "금요일에 재택해도 돼?", "이번 달 말일까지 신청해야 해?", "12월 25일에 쉬나요?", "지원 마감 12월 25일까지 며칠 남았어?",
		"Is next Friday a holiday?", "How many days until the review?", "How many days until March is closed?", "What is due on December 25?", "When does the office close on Friday?", "급여일은 며칠이야?", "What is due in 2 weeks?", "When is the review, 3 weeks from now?", "이번 달 급여일은 몇 월 며칠이야?", "log(in) problems", "What is the year-end closing?", "which month is the review?"} {
		resp := generate(t, llm.Request{Purpose: llm.ForAnswer, Messages: said(q), Tools: tools()})
		if len(resp.Message.ToolCalls) != 0 || resp.Message.Content == "" {
			t.Errorf("%q: calls %v, text %q", q, resp.Message.ToolCalls, resp.Message.Content)
		}
	}
}

func TestTellsToolResult(t *testing.T) {
	t.Parallel()
	tests := []struct{ q, tool, args, result, want string }{
		{"123*456은?", "calculator", `{"expression":"123*456"}`, "123*456 = 56088", "123*456 = 56088"},
		{"What is 15% of 240?", "calculator", `{"expression":"240*15/100"}`, "240*15/100 = 36", "240*15/100 = 36"},
		{"지금 몇 시야?", "current_time", `{}`, "Now: 2026-11-21 20:05:09, Saturday (토요일), Asia/Seoul (UTC+09:00), week 47", "지금은 2026년 11월 21일 토요일 20:05예요. (Asia/Seoul)"},
		{"what day is it?", "current_time", `{}`, "Now: 2026-11-21 20:05:09, Saturday (토요일), Asia/Seoul (UTC+09:00), week 47", "It is now 20:05 on Saturday, 2026-11-21 (Asia/Seoul)."},
		{"내일 며칠이야?", "current_time", `{"add_days":1}`, "Now: 2026-11-21 20:05:09, Saturday (토요일), Asia/Seoul (UTC+09:00), week 47\n2026-11-21 +1 days = 2026-11-22, a Sunday (일요일)", "2026년 11월 22일 일요일이에요."},
		{"부산 날씨는?", "weather", `{"place":"부산"}`, "error (not_found): OpenWeather knows no place. Try its English name.", "찾지 못했어요."},
		{"1/3은?", "calculator", `{"expression":"1/3"}`, "1/3 ≈ 0.3333", "`1/3 ≈ 0.3333`"},
		{"what time is it", "current_time", `{}`, "Saturday 20:00", "It is now Saturday 20:00"},
		{"1/0은?", "calculator", `{"expression":"1/0"}`, "error (bad_argument): The expression is wrong at position 3: division by zero. Near: 1/⟪here⟫0.", "이대로는 도구를 쓸 수 없었어요"},
		{"1/0은?", "calculator", `{"expression":"1/0"}`, "error (bad_argument): The expression is wrong at position 2: division by zero. Near: 1⟪here⟫/0.\n" + llm.ForPerson + "계산식의 2번째 글자에서 막혔어요: 0으로 나눌 수 없어요.", "계산식의 2번째 글자에서 막혔어요: 0으로 나눌 수 없어요."},
		{"search wikipedia for Turing", "wikipedia_search", `{"query":"Turing"}`, "Alan Turing was an English mathematician. He was born in 1912.", "> Alan Turing was"},
		{"who mentioned the launch?", "search_messages", `{"query":"who mentioned the launch?"}`, "Messages that people wrote.\n- [Kim](https://chat.example/1)\n  > it is on Friday", "could read them:\n- [Kim](https://chat.example/1)"},
		{"누가 출시 얘기를 했어?", "search_messages", `{"query":"누가 출시 얘기를 했어?"}`, "맞는 메시지가 없어요.", "맞는 메시지가 없어요."},
	}
	for _, tt := range tests {
		t.Run(tt.q, func(t *testing.T) {
			t.Parallel()
			msgs := append(said(tt.q),
				llm.Message{Role: llm.Assistant, ToolCalls: []llm.ToolCall{{ID: "c1", Name: tt.tool, Arguments: json.RawMessage(tt.args)}}},
				llm.Message{Role: llm.ToolRole, Name: tt.tool, ToolCallID: "c1", Content: tt.result})
			resp := generate(t, llm.Request{Purpose: llm.ForAnswer, Messages: msgs, Tools: tools()})
			if !strings.Contains(resp.Message.Content, tt.want) || len(resp.Message.ToolCalls) > 0 {
				t.Errorf("got %q, want it to contain %q", resp.Message.Content, tt.want)
			}
		})
	}
}

// TestASumBesideADocument: a question for documents that asks for a sum too gets the
// calculator, and an answer from both.
func TestASumBesideADocument(t *testing.T) {
	t.Parallel()
	passages := []llm.Passage{{N: 1, Title: "취업규칙", Text: "연차 휴가는 1년에 15일이다."}, {N: 2, Title: "Travel", Text: "The daily allowance for a business trip is 80 dollars."}}
	for q, c := range map[string]struct{ sum, quotes string }{
		"연차 휴가 규정에 따라 15 * 8 계산해줘":                       {"15*8", "1년에 15일이다"},
		"calculate 80 x 3 from the daily trip allowance": {"80*3", "80 dollars"},
		"연차 휴가는 3-5일씩 나눠 쓸 수 있어?":                        {"", ""},
		"연차 휴가는 2026-01-02에도 쓸 수 있어?":                    {"", ""},
	} {
		req := llm.Request{Purpose: llm.ForAnswer, Passages: passages, Tools: tools(), Messages: said(q)}
		resp := generate(t, req)
		if c.sum == "" {
			if len(resp.Message.ToolCalls) > 0 {
				t.Errorf("%s: calls %s", q, resp.Message.ToolCalls[0].Arguments)
			}
			continue
		}
		if len(resp.Message.ToolCalls) != 1 || !strings.Contains(string(resp.Message.ToolCalls[0].Arguments), c.sum) {
			t.Errorf("%s: calls %+v", q, resp.Message)
			continue
		}
		req.Messages = append(req.Messages, resp.Message, llm.Message{Role: llm.ToolRole, Name: "calculator", ToolCallID: resp.Message.ToolCalls[0].ID, Content: c.sum + " = 42"})
		if said := generate(t, req).Message.Content; !strings.Contains(said, c.quotes) || !strings.Contains(said, "= 42") {
			t.Errorf("%s: says %q", q, said)
		}
	}
}
