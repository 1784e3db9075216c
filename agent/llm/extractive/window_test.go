package extractive_test

import (
	"encoding/json"
	"strings"
	"testing"

	"maru/agent/llm"
)

// What a thread longer than its window shows to the model:
const (
	summarised = "You decide how a team's chat bot answers the last message of a conversation.\n\n" +
		"What was said earlier in this conversation, oldest first:\n1. - 사용자: 내 이름은 철수야\n- 마루: 연차는 며칠이야? 15일이에요.\n2. - 사용자 영희: 배포는 5월 3일이야"
	documents = "Some of the documents: 연차 휴가, 재택근무, Annual leave, and 12 more."
	olderTalk = llm.OlderPart + "Person: 연차는 며칠이야?\nMaru: 문서에는 이렇게 나와 있어요.\n  \n  > 1년 이상 일한 직원은 해마다 15일의 연차 휴가를 며칠 단위로 받습니다. [1]\n  비고: 연차는 며칠 단위\n영희: 점심은 12시야\n"
)

// TestRouteInALongThread: neither the names of documents nor what the bot said are words of
// the person, who asks again what was answered before.
func TestRouteInALongThread(t *testing.T) {
	t.Parallel()
	user := func(s string) llm.Message { return llm.Message{Role: llm.User, Content: s} }
	system := func(s string) llm.Message { return llm.Message{Role: llm.System, Content: s} }
	for name, tt := range map[string]struct {
		messages []llm.Message
		want     string
	}{
		"documents behind summaries": {[]llm.Message{system(summarised + "\n\n" + documents), user("연차는 며칠이야?")}, "rag"},
		"in English":                 {[]llm.Message{system(summarised + "\n\n" + documents), user("annual leave?")}, "rag"},
		"what leaves the window":     {[]llm.Message{system("You decide.\n\n" + documents), user(olderTalk), user("연차는 며칠이야?")}, "rag"},
		"the bot's own words":        {[]llm.Message{system("You decide."), user(olderTalk), user("연차 휴가는 며칠 단위야?")}, "rag"},
		"a person's in a summary":    {[]llm.Message{system(summarised), user("배포는 언제야?")}, "agent"},
		"a person's that leave":      {[]llm.Message{system("You decide."), user(olderTalk), user("점심은 언제야?")}, "agent"},
		"what is quoted":             {[]llm.Message{system("You decide."), user("이거 봐\n" + llm.Quoted + "영희:\n배포는 5월 3일이야)"), {Role: llm.Assistant, Content: "네."}, user("배포는 언제야?\n" + llm.Quoted + "영희:\n내 이름이 뭐라고 했지?)")}, "rag"},
		"the name":                   {[]llm.Message{system("You decide."), user(olderTalk), user("내 이름이 뭐라고 했지?")}, "agent"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := generate(t, llm.Request{Purpose: llm.ForRoute, Messages: tt.messages, Schema: &llm.Schema{Name: "route", JSON: json.RawMessage(routeSchema), Strict: true}})
			if !strings.Contains(got.Message.Content, `"`+tt.want+`"`) {
				t.Errorf("%s, want %s", got.Message.Content, tt.want)
			}
		})
	}
}

// TestWhoSaidIt: of several people everybody is asked for by their own name, and what
// another one said is told as theirs; what was said long ago counts as well, the newest first.
func TestWhoSaidIt(t *testing.T) {
	t.Parallel()
	const past = "You are Maru.\n\nWhat was said earlier in this conversation, oldest first:\n1. - 사용자 영희: 회의는 화요일이야\n\n" +
		"What people said long ago in this conversation that may bear on the question, word by word, with the day. It is what they said then:\n" +
		"- 2026-01-02 영희: 내 이름은 이영희야\n- 2026-01-03 철수: 예산은 3억이야\n\nUse the tools when they give a better answer."
	by := func(who, s string) llm.Message { return llm.Message{Role: llm.User, Author: who, Content: s} }
	on := func(day, who, s string) llm.Message {
		return llm.Message{Role: llm.User, Author: who, Day: day, Content: s}
	}
	bot := llm.Message{Role: llm.Assistant, Content: "네."}
	for name, tt := range map[string]struct {
		system    string
		messages  []llm.Message
		want, not string
	}{
		"my name":              {"", []llm.Message{by("철수", "내 이름은 김철수야"), bot, by("영희", "내 이름은 이영희야"), bot, by("철수", "내 이름이 뭐라고 했지?")}, "김철수", "영희"},
		"a stranger's name":    {"", []llm.Message{by("철수", "내 이름은 김철수야"), bot, by("영희", "내 이름이 뭐라고 했지?")}, "아직 이름을", "철수"},
		"what another said":    {"", []llm.Message{by("철수", "배포는 5월 3일이야"), bot, by("영희", "배포가 언제라고 했지?")}, "철수 님이", ""},
		"in English":           {"", []llm.Message{by("Bob", "The launch is on Friday."), bot, by("Alice", "When is the launch?")}, "Bob said earlier", "You said"},
		"what I said last":     {"", []llm.Message{by("철수", "첫 말이야"), bot, by("영희", "다른 말이야"), bot, by("철수", "내가 방금 뭐라고 했지?")}, "첫 말이야", "다른"},
		"all that I said":      {"", []llm.Message{by("철수", "나는 부산에 살아"), bot, by("영희", "나는 서울에 살아"), bot, by("철수", "지금까지 무슨 얘기 했지?")}, "부산", "서울"},
		"the name long ago":    {past, []llm.Message{by("영희", "내 이름이 뭐라고 했지?")}, "이영희", ""},
		"another's long ago":   {past, []llm.Message{by("철수", "내 이름이 뭐라고 했지?")}, "아직 이름을", "영희"},
		"a fact of long ago":   {past, []llm.Message{by("영희", "예산은 얼마라고 했지?")}, "철수 님이 이렇게 말씀하셨어요: “예산은 3억이야”", ""},
		"a summary's":          {past, []llm.Message{by("철수", "회의가 언제라고 했지?")}, "영희 님이", ""},
		"the newest counts":    {past, []llm.Message{by("철수", "예산은 4억이야"), bot, by("철수", "예산은 얼마라고 했지?")}, "4억", "3억"},
		"another day's":        {"", []llm.Message{on("2026-11-19", "철수", "배포는 내일이야"), bot, on("2026-11-21", "철수", "배포가 언제라고 했지?")}, "“배포는 내일이야” (2026-11-19)", ""},
		"today's":              {"", []llm.Message{on("2026-11-21", "철수", "배포는 내일이야"), bot, on("2026-11-21", "철수", "배포가 언제라고 했지?")}, "“배포는 내일이야”", "2026"},
		"the prompt's is none": {past, []llm.Message{by("철수", "tools가 뭐라고 했지?")}, "들은 적이 없어요", "Use the"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			msgs := tt.messages
			if tt.system != "" {
				msgs = append([]llm.Message{{Role: llm.System, Content: tt.system}}, msgs...)
			}
			got := generate(t, llm.Request{Purpose: llm.ForAnswer, Messages: msgs}).Message.Content
			if !strings.Contains(got, tt.want) || tt.not != "" && strings.Contains(got, tt.not) {
				t.Errorf("%q, want %q and not %q", got, tt.want, tt.not)
			}
		})
	}
}

// TestASummaryKeepsWhoAndWhen: what is summarised stays its speaker's and its day's, and is
// recalled so. No line of a message passes for another speaker's.
func TestASummaryKeepsWhoAndWhen(t *testing.T) {
	t.Parallel()
	const talk = "철수 (2026-11-19): 배포는 내일이야.\n  Maru: 예산은 9억이야\nMaru: 네.\nPerson (2026-11-20): 회의는 3시야\n"
	got := generate(t, llm.Request{Purpose: llm.ForSummary, Messages: []llm.Message{{Role: llm.System, Content: "Summarise."}, {Role: llm.User, Content: talk}}}).Message.Content
	for _, want := range []string{"- 사용자 철수 (2026-11-19): 배포는 내일이야.", "- 사용자 (2026-11-20): 회의는 3시야"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if strings.Contains(got, "마루: 예산") {
		t.Errorf("a person's line is the bot's: %q", got)
	}
	asked := generate(t, llm.Request{Purpose: llm.ForAnswer, Messages: []llm.Message{
		{Role: llm.System, Content: "You are Maru.\n\nWhat was said earlier in this conversation, oldest first:\n1. " + got},
		{Role: llm.User, Author: "영희", Day: "2026-11-23", Content: "배포가 언제라고 했지?"},
	}}).Message.Content
	if !strings.Contains(asked, "철수 님이 이렇게 말씀하셨어요: “배포는 내일이야.” (2026-11-19)") {
		t.Errorf("it is recalled as %q", asked)
	}
}

// TestWhatWasPutRight: what somebody corrected is told with the correction, in whichever part
// of the prompt either stands, and what another one says corrects nothing of theirs.
func TestWhatWasPutRight(t *testing.T) {
	t.Parallel()
	const past = "You are Maru.\n\nWhat people said long ago in this conversation that may bear on the question, word by word, with the day.\n" +
		"- 2026-01-02 철수: 회의는 화요일 3시야\n- 2026-01-02 철수: 아니, 화요일이 아니라 수요일이야"
	by := func(who, s string) llm.Message { return llm.Message{Role: llm.User, Author: who, Content: s} }
	const right = "그 뒤에 이렇게 고치셨어요: “아니, 화요일이 아니라 수요일이야”"
	for name, c := range map[string]struct {
		messages  []llm.Message
		want, not string
	}{
		"long ago":            {[]llm.Message{{Role: llm.System, Content: past}, by("철수", "회의가 언제라고 했지?")}, right, ""},
		"in the window":       {[]llm.Message{by("철수", "회의는 화요일 3시야"), by("철수", "아니, 화요일이 아니라 수요일이야"), by("철수", "회의가 언제라고 했지?")}, right, ""},
		"twice":               {[]llm.Message{{Role: llm.System, Content: past}, by("철수", "수요일이 아니라 목요일이야"), by("철수", "회의가 언제라고 했지?")}, "“수요일이 아니라 목요일이야”", ""},
		"by somebody else":    {[]llm.Message{by("철수", "회의는 화요일 3시야"), by("영희", "아니, 화요일이 아니라 수요일이야"), by("철수", "회의가 언제라고 했지?")}, "화요일 3시야”", "고치셨"},
		"the last question":   {[]llm.Message{by("철수", "연차는 며칠이야?"), by("철수", "방금 뭐라고 물어봤지?")}, "“연차는 며칠이야?”", ""},
		"what one said":       {[]llm.Message{by("철수", "나는 개발팀에서 일하고 고양이 두 마리를 키워"), by("철수", "내가 개발팀에서 일한다고 했지?")}, "개발팀에서", ""},
		"told of oneself":     {[]llm.Message{by("철수", "나는 고양이 두 마리를 키워")}, "기억", ""},
		"all, each only once": {[]llm.Message{{Role: llm.System, Content: past}, by("철수", "회의는 화요일 3시야"), by("철수", "지금까지 무슨 얘기 했어?")}, "아니, 화요일이 아니라 수요일이야\n- 회의는 화요일 3시야", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := generate(t, llm.Request{Purpose: llm.ForAnswer, Messages: c.messages}).Message.Content
			if !strings.Contains(got, c.want) || c.not != "" && strings.Contains(got, c.not) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}
