package extractive_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"maru/agent/llm"
	"maru/agent/llm/extractive"
)

const routeSchema = `{"type":"object","additionalProperties":false,"required":["route","reason"],
 "properties":{"route":{"type":"string","enum":["rag","agent"]},"reason":{"type":"string"}}}`

// said makes a conversation: messages take turns, the person begins and ends.
func said(texts ...string) []llm.Message {
	var out []llm.Message
	for i, s := range texts {
		role := llm.User
		if i%2 == 1 {
			role = llm.Assistant
		}
		out = append(out, llm.Message{Role: role, Content: s})
	}
	return out
}

func generate(t *testing.T, req llm.Request) llm.Response {
	t.Helper()
	var streamed strings.Builder
	resp, err := extractive.New().Generate(context.Background(), req, func(s string) { streamed.WriteString(s) })
	if err != nil {
		t.Fatalf("Generate: %v", err)
	}
	if streamed.String() != resp.Message.Content {
		t.Errorf("streamed %q, returned %q", streamed.String(), resp.Message.Content)
	}
	return resp
}

func TestRoute(t *testing.T) {
	t.Parallel()
	tests := []struct {
		want  string
		turns []string
	}{
		{"rag", []string{"연차는 며칠이야?"}},
		{"rag", []string{"How many days of annual leave do I have?"}},
		{"rag", []string{"재택근무는 일주일에 몇 번 할 수 있어?"}},
		{"rag", []string{"출장비 정산은 어떻게 해?"}},
		{"rag", []string{"육아휴직 신청하려면 뭐가 필요해?"}},
		{"rag", []string{"What is the remote work policy?"}},
		{"rag", []string{"expense policy"}},
		{"rag", []string{"연차 규정"}},
		{"rag", []string{"회의는 몇 시야?"}},
		{"rag", []string{"What time does the office open?"}},
		{"rag", []string{"What is the inclement weather policy?"}},
		{"rag", []string{"비가 오면 재택 가능해?"}},
		{"rag", []string{"제17조 내용 알려줘"}},
		{"rag", []string{"회의실 예약해 줘"}}, // the documents say how
		{"rag", []string{"병가 쓸 때 메일은 누구에게 보내?"}},
		{"rag", []string{"How do I send an email from abroad?"}},
		{"rag", []string{"What should I prepare for my first day?"}},
		{"agent", []string{"remind me of the deadline on Friday"}},
		{"agent", []string{"이 문장 영어로 번역해 줘"}},
		{"agent", []string{"'안녕'을 영어로 번역하면?"}},
		{"agent", []string{"농담 하나 해 줘"}},
		{"agent", []string{"메일 초안 좀 잡아 줘"}},
		{"agent", []string{"노래 불러 줘"}},
		{"rag", []string{"번역료는 얼마예요?"}}, // a thing that is made has a fee and a deadline
		{"rag", []string{"초안은 언제까지 내야 해?"}},
		{"rag", []string{"소설의 저작권은 누구한테 있어?"}},
		{"rag", []string{"영어로 번역한 계약서와 다르면 어느 쪽이 우선해?"}},
		{"agent", []string{"3시에 회의라고 알려 줘"}},
		{"rag", []string{"우리 회사 점심시간은 언제야"}},
		{"rag", []string{"Who approves travel requests?"}},
		{"rag", []string{"안녕? 연차는 며칠이야?"}},
		{"rag", []string{"병가를 쓰려면 진단서가 필요해?"}},
		{"rag", []string{"Can I leave work earlier on Fridays?"}},
		{"rag", []string{"vpn 접속 방법"}},
		{"rag", []string{"비밀번호는 며칠마다 바꿔야 하나요?"}},
		{"rag", []string{"Tell me about the security training."}},
		{"rag", []string{"내 이름은 철수야", "반가워요", "연차는 며칠이야?"}},
		{"agent", []string{"안녕"}},
		{"agent", []string{"안녕하세요!"}},
		{"agent", []string{"hello there"}},
		{"agent", []string{"Good morning!"}},
		{"agent", []string{"고마워"}},
		{"agent", []string{"thanks a lot!"}},
		{"agent", []string{"넌 누구야?"}},
		{"agent", []string{"뭐 할 수 있어?"}},
		{"agent", []string{"What can you do?"}},
		{"agent", []string{"123*456은?"}},
		{"agent", []string{"What is 15% of 240?"}},
		{"agent", []string{"240의 15%는 얼마야?"}},
		{"agent", []string{"3 더하기 5는?"}},
		{"agent", []string{"지금 몇 시야?"}},
		{"agent", []string{"오늘 무슨 요일이야?"}},
		{"agent", []string{"what time is it in Tokyo?"}},
		{"agent", []string{"What's today's date?"}},
		{"agent", []string{"서울 날씨 어때?"}},
		{"agent", []string{"What's the weather like in London today?"}},
		{"agent", []string{"위키백과에서 세종대왕 찾아줘"}},
		{"agent", []string{"search the web for go 1.26 release notes"}},
		{"agent", []string{"handbook.md 읽어줘"}},
		{"agent", []string{"파이썬으로 정렬 함수 짜줘"}},
		{"agent", []string{"write a poem about autumn"}},
		{"agent", []string{"내 이름은 철수야"}},
		{"agent", []string{"My name is Alice."}},
		{"agent", []string{"내 이름은 철수야", "반가워요", "내 이름이 뭐라고 했지?"}},
		{"agent", []string{"hi", "hello", "What did I say?"}},
		{"agent", []string{"배포 담당자는 민수야", "네", "배포 담당자가 누구야?"}},
		{"agent", []string{"remember that the build code is 7421"}},
		{"agent", []string{"😀"}},
		{"agent", []string{""}},
		{"agent", []string{"ㅋㅋㅋ"}},
		{"agent", []string{"좋아"}},
		{"agent", []string{"너 사람이야?"}},
		{"agent", []string{"무슨 모델 써?"}},
		{"agent", []string{"누가 너를 만들었어?"}},
		{"agent", []string{"are you a real person?"}},
		{"agent", []string{"Are you a human or a bot?"}},
		{"agent", []string{"who made you?"}},
		{"agent", []string{"what model are you?"}},
		{"agent", []string{"마루야"}},
		{"agent", []string{"test"}},
		{"agent", []string{"심심해"}},
		{"agent", []string{"바보야"}},
		{"agent", []string{"fuck you"}},
		{"agent", []string{"lol"}},
		{"rag", []string{"노트북은 무슨 모델 써?"}},
		{"rag", []string{"담당자는 어떤 사람이야?"}},
		{"rag", []string{"Are you open on Sundays?"}},
		{"rag", []string{"which model do new laptops have?"}},
		{"rag", []string{"쓰레기는 어디에 버려?"}},
		{"rag", []string{"test environment"}},
		{"rag", []string{"tag:hr since:2026-01 연차는 며칠이야?"}},
		{"agent", []string{"태그:인사 너 누구야?"}},
	}
	for _, tt := range tests {
		q := tt.turns[len(tt.turns)-1]
		t.Run(q, func(t *testing.T) {
			t.Parallel()
			resp := generate(t, llm.Request{
				Purpose: llm.ForRoute, Messages: said(tt.turns...),
				Schema: &llm.Schema{Name: "route", JSON: json.RawMessage(routeSchema), Strict: true},
			})
			var got struct {
				Route  string `json:"route"`
				Reason string `json:"reason"`
			}
			if err := llm.MustShape("route", routeSchema).Decode(resp.Message.Content, &got); err != nil {
				t.Fatal(err)
			}
			if got.Route != tt.want {
				t.Errorf("%q: route %s (%s), want %s", q, got.Route, got.Reason, tt.want)
			}
		})
	}
}

func tools() []llm.Tool {
	obj := func(s string) json.RawMessage { return json.RawMessage(s) }
	return []llm.Tool{
		{Name: "calculator", Parameters: obj(`{"type":"object","properties":{"expression":{"type":"string"}},"required":["expression"]}`)},
		{Name: "current_time", Parameters: obj(`{"type":"object","properties":{"place":{"type":"string"},"add_days":{"type":"integer"},"date":{"type":"string"},"until":{"type":"string"},"weekday":{"type":"string"},"weeks":{"type":"integer"},"month_end":{"type":"integer"}}}`)},
		{Name: "weather", Parameters: obj(`{"type":"object","properties":{"place":{"type":"string"},"days":{"type":"integer"}},"required":["place"]}`)},
		{Name: "wikipedia_search", Parameters: obj(`{"type":"object","properties":{"query":{"type":"string"}},"required":["query"]}`)},
		{Name: "web_search", Parameters: obj(`{"type":"object","properties":{"query":{"type":"string"}},"required":["query"]}`)},
		{Name: "read_file", Parameters: obj(`{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`)},
	}
}

func TestToolCalls(t *testing.T) {
	t.Parallel()
	tests := []struct{ q, tool, args string }{
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
		{"2 + * 3", "calculator", `{"expression":"2 + * 3"}`},
		{"2 ++", "calculator", `{"expression":"2 ++"}`},
		{"1e3*1e2=?", "calculator", `{"expression":"1e3*1e2=?"}`},
		{"sin(30°)", "calculator", `{"expression":"sin(30°)"}`},
		{"max(1, 2, 3)", "calculator", `{"expression":"max(1, 2, 3)"}`},
		{"log(100)", "calculator", `{"expression":"log(100)"}`},
		{"2 * round(2.5) + sqrt(16)", "calculator", `{"expression":"2 * round(2.5) + sqrt(16)"}`},
		{"5의 팩토리얼은?", "calculator", `{"expression":"5!"}`},
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
		{"다음 주 금요일은 며칠이야?", "current_time", `{"weekday":"friday","weeks":1}`},
		{"다음주 금요일 날짜 알려줘", "current_time", `{"weekday":"friday","weeks":1}`},
		{"이번 주 일요일이 며칠이에요?", "current_time", `{"weekday":"sunday","weeks":0}`},
		{"지난주 수요일은 며칠이었어?", "current_time", `{"weekday":"wednesday","weeks":-1}`},
		{"다다음 주 월요일은 몇 일이야?", "current_time", `{"weekday":"monday","weeks":2}`},
		{"금요일은 며칠이야?", "current_time", `{"weekday":"friday"}`},
		{"What date is next Friday?", "current_time", `{"weekday":"friday","weeks":1}`},
		{"what is the date of this Sunday?", "current_time", `{"weekday":"sunday","weeks":0}`},
		{"What date was Monday last week?", "current_time", `{"weekday":"monday","weeks":-1}`},
		{"What date is the coming Tuesday?", "current_time", `{"weekday":"tuesday"}`},
		{"이번 달 말일은 며칠이야?", "current_time", `{"month_end":0}`},
		{"다음 달 마지막 날은 무슨 요일이야?", "current_time", `{"month_end":1}`},
		{"What day is the last day of this month?", "current_time", `{"month_end":0}`},
		{"12월 25일은 무슨 요일이야?", "current_time", `{"date":"12-25"}`},
		{"2027년 3월 1일은 무슨 요일이야?", "current_time", `{"date":"2027-03-01"}`},
		{"What day is December 25?", "current_time", `{"date":"12-25"}`},
		{"what day of the week is 1 March 2027?", "current_time", `{"date":"2027-03-01"}`},
		{"오늘부터 12월 25일까지 며칠 남았어?", "current_time", `{"until":"12-25"}`},
		{"12월 25일까지 며칠?", "current_time", `{"until":"12-25"}`},
		{"How many days until December 25?", "current_time", `{"until":"12-25"}`},
		{"how many days are left until the 25th of December, 2027?", "current_time", `{"until":"2027-12-25"}`},
		{"내일모레 무슨 요일이야?", "current_time", `{"add_days":2}`},
		{"글피는 며칠이야?", "current_time", `{"add_days":3}`},
		{"그글피는 무슨 요일이야?", "current_time", `{"add_days":4}`},
		{"그저께는 무슨 요일이었어?", "current_time", `{"add_days":-2}`},
		{"그제는 며칠이야?", "current_time", `{"add_days":-2}`},
		{"What day is the day after tomorrow?", "current_time", `{"add_days":2}`},
		{"서울 날씨 어때?", "weather", `{"place":"서울"}`},
		{"내일 서울 날씨 어때?", "weather", `{"days":2,"place":"서울"}`},
		{"글피 서울 날씨", "weather", `{"days":4,"place":"서울"}`},
		{"weather in Berlin tomorrow", "weather", `{"days":2,"place":"Berlin"}`},
		{"Weather in Berlin the day after tomorrow", "weather", `{"days":3,"place":"Berlin"}`},
		{"오늘 부산의 날씨 알려줘", "weather", `{"place":"부산"}`},
		{"What's the weather in New York today?", "weather", `{"place":"New York"}`},
		{"Seoul weather", "weather", `{"place":"Seoul"}`},
		{"위키백과에서 세종대왕 찾아줘", "wikipedia_search", `{"query":"세종대왕"}`},
		{"search wikipedia for Alan Turing", "wikipedia_search", `{"query":"Alan Turing"}`},
		{"웹에서 고 1.26 검색해줘", "web_search", `{"query":"고 1.26"}`},
		{"search the web for go generics", "web_search", `{"query":"go generics"}`},
		{"handbook.md 읽어줘", "read_file", `{"name":"handbook.md"}`},
		{"read the file notes.txt", "read_file", `{"name":"notes.txt"}`},
		{"안녕! 7*8은?", "calculator", `{"expression":"7*8"}`},
	}
	for _, tt := range tests {
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
		{"123*456은?", "calculator", `{"expression":"123*456"}`, "56088", "123*456 = 56088"},
		{"What is 15% of 240?", "calculator", `{"expression":"240*15/100"}`, "240*15/100 = 36", "240*15/100 = 36"},
		{"지금 몇 시야?", "current_time", `{}`, "Now: 2026-11-21 20:05:09, Saturday (토요일), Asia/Seoul (UTC+09:00), week 47", "지금은 2026년 11월 21일 토요일 20:05예요. (Asia/Seoul)"},
		{"what day is it?", "current_time", `{}`, "Now: 2026-11-21 20:05:09, Saturday (토요일), Asia/Seoul (UTC+09:00), week 47", "It is now 20:05 on Saturday, 2026-11-21 (Asia/Seoul)."},
		{"내일 며칠이야?", "current_time", `{"add_days":1}`, "Now: 2026-11-21 20:05:09, Saturday (토요일), Asia/Seoul (UTC+09:00), week 47\n2026-11-21 +1 days = 2026-11-22, a Sunday (일요일)", "2026년 11월 22일 일요일이에요."},
		{"다음 주 금요일은 며칠이야?", "current_time", `{"weekday":"friday","weeks":1}`, "Now: 2026-11-21 20:05:09, Saturday (토요일), Asia/Seoul (UTC+09:00), week 47\nfriday, +1 weeks = 2026-11-27, a Friday (금요일), 6 days from today", "2026년 11월 27일 금요일이에요."},
		{"12월 25일은 무슨 요일이야?", "current_time", `{"date":"12-25"}`, "Now: 2026-11-21 20:05:09, Saturday (토요일), Asia/Seoul (UTC+09:00), week 47\n2026-12-25 is a Friday (금요일), 34 days from today", "2026년 12월 25일 금요일이에요."},
		{"12월 25일까지 며칠 남았어?", "current_time", `{"until":"12-25"}`, "Now: 2026-11-21 20:05:09, Saturday (토요일), Asia/Seoul (UTC+09:00), week 47\nFrom 2026-11-21 to 2026-12-25: 34 days", "2026년 12월 25일까지 34일 남았어요."},
		{"How many days until December 25?", "current_time", `{"until":"12-25"}`, "Now: 2026-11-21 20:05:09, Saturday (토요일), Asia/Seoul (UTC+09:00), week 47\nFrom 2026-11-21 to 2026-12-25: 34 days", "34 days until 2026-12-25."},
		{"2020년 1월 1일까지 며칠 남았어?", "current_time", `{"until":"2020-01-01"}`, "Now: 2026-11-21 20:05:09, Saturday (토요일), Asia/Seoul (UTC+09:00), week 47\nFrom 2026-11-21 to 2020-01-01: -2516 days", "2020년 1월 1일은 2516일 전이에요."},
		{"How many days until January 1, 2020?", "current_time", `{"until":"2020-01-01"}`, "Now: 2026-11-21 20:05:09, Saturday (토요일), Asia/Seoul (UTC+09:00), week 47\nFrom 2026-11-21 to 2020-01-01: -2516 days", "2020-01-01 was 2516 days ago."},
		{"부산 날씨는?", "weather", `{"place":"부산"}`, "error (not_found): OpenWeather knows no place. Try its English name.", "찾지 못했어요."},
		{"1/3은?", "calculator", `{"expression":"1/3"}`, "1/3 ≈ 0.3333", "`1/3 ≈ 0.3333`"},
		{"what time is it", "current_time", `{}`, "Saturday 20:00", "It is now Saturday 20:00"},
		{"서울 날씨 어때?", "weather", `{"place":"서울"}`, "맑음, 7 °C", "맑음, 7 °C"},
		{"1/0은?", "calculator", `{"expression":"1/0"}`, "error (bad_argument): The expression is wrong at position 3: division by zero. Near: 1/⟪here⟫0.", "이대로는 도구를 쓸 수 없었어요"},
		{"1/0은?", "calculator", `{"expression":"1/0"}`, "error (bad_argument): The expression is wrong at position 2: division by zero. Near: 1⟪here⟫/0.\n" + llm.ForPerson + "계산식의 2번째 글자에서 막혔어요: 0으로 나눌 수 없어요.", "계산식의 2번째 글자에서 막혔어요: 0으로 나눌 수 없어요."},
		{"search wikipedia for Turing", "wikipedia_search", `{"query":"Turing"}`, "Alan Turing was an English mathematician. He was born in 1912.", "> Alan Turing was"},
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

func TestConversation(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		system string
		turns  []string
		want   string
		not    string
	}{
		{"name_ko", "", []string{"내 이름은 철수야", "반가워요", "내 이름이 뭐라고 했지?"}, "철수라고", ""},
		{"name_ko_closed", "", []string{"제 이름은 지은이에요", "네", "내 이름이 뭐야?"}, "지은이라고", ""},
		{"name_ko_polite", "", []string{"제 이름은 김민수입니다.", "네", "제 이름이 뭐라고 했죠?"}, "김민수라고", ""},
		{"name_changed", "", []string{"내 이름은 철수야", "네", "아니 내 이름은 영희야", "네", "내 이름 기억나?"}, "영희", "철수"},
		{"name_in_summary", "역할\n\n## 요약\n1. - 사용자: 내 이름은 철수야\n", []string{"내 이름이 뭐라고 했지?"}, "철수", ""},
		{"name_in_chat_prompt", "You are Maru.\n\nWhat was said earlier in this conversation, oldest first:\n1. - 사용자 kim: 내 이름은 철수야\n- 마루: 반가워요, 영희 님.\n2. - 사용자: 배포는 5월 3일이야\n\nUse the tools when they give a better answer.", []string{"내 이름이 뭐라고 했지?"}, "철수라고", "영희"},
		{"summary_by_a_model", "What was said earlier in this conversation, oldest first:\n1. The launch of Orion is planned for 3 May.\n\nAnswer from these passages.", []string{"When is the launch of Orion planned?"}, "3 May", ""},
		{"told_language", "Answer in English.", []string{"안녕"}, "Hello", ""},
		{"name_en", "", []string{"My name is Alice.", "Hi", "What is my name?"}, "Alice", ""},
		{"name_en_call", "", []string{"call me Bob", "ok", "Who am I?"}, "Bob", ""},
		{"earlier_points_back", "", []string{"대금은 언제 내?", "늦어도 30일", "아까 그거 늦으면 어떻게 돼?"}, "", "들은 적이 없"},
		{"name_unknown", "", []string{"내 이름이 뭐라고 했지?"}, "아직 이름을", ""},
		{"name_unknown_en", "", []string{"what's my name?"}, "have not told me your name", ""},
		{"fact_ko", "", []string{"배포 담당자는 민수야", "네", "배포 담당자가 누구라고 했지?"}, "배포 담당자는 민수야", ""},
		{"fact_without_cue", "", []string{"우리 강아지 이름은 초코야", "네", "강아지 이름이 뭐야?"}, "초코", ""},
		{"fact_en", "", []string{"Remember that the build code is 7421", "Noted", "What is the build code?"}, "7421", ""},
		{"fact_en_recall", "", []string{"The launch is on Friday.", "ok", "When did I say the launch is?"}, "Friday", ""},
		{"remembered_whole", "", []string{"나는 무료 도구를 선호한다고 기억해 줘"}, "“나는 무료 도구를 선호한다”", ""},
		{"deed_ko", "", []string{"내일 오전 9시에 회의 있다고 알려줘"}, "정해진 때에 알려 드리는 것은 내장 모델로는", ""},
		{"deed_mail_ko", "", []string{"팀에 메일 보내 줘"}, "내장 모델로는", ""},
		{"deed_prepare_ko", "", []string{"다음 주 팀 워크숍 준비해 줘"}, "내장 모델로는", ""},
		{"deed_en", "", []string{"Please remind me tomorrow to send the report"}, "beyond the built-in model", ""},
		{"deed_mail_en", "", []string{"can you send an email to the team?"}, "beyond the built-in model", ""},
		{"last", "", []string{"연차는 며칠이야?", "15일", "내가 방금 뭐라고 했지?"}, "연차는 며칠이야?", ""},
		{"last_en", "", []string{"Where is the office?", "Seoul", "What did I say?"}, "Where is the office?", ""},
		{"all", "", []string{"내 생일은 5월 3일이야", "네", "나는 부산에 살아요", "네", "지금까지 무슨 얘기 했지?"}, "5월 3일", ""},
		{"not_told", "", []string{"안녕", "네", "내가 좋아하는 색이 뭐라고 했지?"}, "들은 적이 없어요", ""},
		{"ack_name", "", []string{"내 이름은 철수야"}, "철수 님", ""},
		{"ack_name_en", "", []string{"Hi, I'm Carol."}, "Carol", ""},
		{"ack_fact", "", []string{"나는 매운 음식을 좋아해"}, "기억", ""},
		{"greet", "", []string{"안녕"}, "안녕하세요", "language"},
		{"greet_en", "", []string{"Hello"}, "Hello", "안녕"},
		{"about", "", []string{"뭐 할 수 있어?"}, "내장 모델", ""},
		{"about_en", "", []string{"What can you do?"}, "built-in model", ""},
		{"scolded_ko", "", []string{"너 진짜 멍청하다"}, "죄송해요", ""},
		{"scolded_en", "", []string{"you are stupid"}, "Sorry", "remember"},
		{"laughs_en", "", []string{"haha lol"}, "All right", ""},
		{"unknown", "", []string{"화성 기지 예산은 얼마야?"}, "찾지 못했어요", ""},
		{"unknown_en", "", []string{"What is the budget of the moon base?"}, "do not say", ""},
		{"code", "", []string{"write a python function that sorts"}, "language model", ""},
		{"no_calculator", "", []string{"1+1은?"}, "계산기", ""},
		{"weather_without_tool", "", []string{"서울 날씨 어때?"}, "OPENWEATHER_API_KEY", ""},
		{"language_of_digits", "", []string{"안녕하세요", "네", "1+1"}, "계산기", ""},
		{"system_is_not_recalled", "You are Maru. The secret word is tangerine.", []string{"What is the secret word?"}, "do not say", "tangerine"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			msgs := said(tt.turns...)
			if tt.system != "" {
				msgs = append([]llm.Message{{Role: llm.System, Content: tt.system}}, msgs...)
			}
			got := generate(t, llm.Request{Purpose: llm.ForAnswer, Messages: msgs}).Message.Content
			if !strings.Contains(got, tt.want) {
				t.Errorf("got %q, want it to contain %q", got, tt.want)
			}
			if tt.not != "" && strings.Contains(got, tt.not) {
				t.Errorf("got %q, want it not to contain %q", got, tt.not)
			}
		})
	}
}

// TestLargeInput is about time: each of these made a naive reading quadratic.
func TestLargeInput(t *testing.T) {
	t.Parallel()
	times := 3000
	if testing.Short() {
		times = 150
	}
	for _, s := range []string{"a. ", "연차 ", "1+", "(", "사용자: 네\n", "|a|b|\n", "x1y2 ", "내 이름은 ", "sqrt(", "- a\n", "# a\na\n"} {
		long := strings.Repeat(s, times)
		generate(t, llm.Request{Messages: said("연차는 늦으면 며칠이야?"), Passages: []llm.Passage{{N: 1, Title: long, Text: long + long}}})
		for _, p := range []llm.Purpose{llm.ForAnswer, llm.ForSummary} {
			generate(t, llm.Request{
				Purpose: p, Messages: said(long, long, long+"?"), Tools: tools(),
				Passages: []llm.Passage{{N: 1, Title: long, Text: long}, {N: 2, Text: strings.Repeat("연차는 15일. ", times/2)}},
			})
		}
	}
}
