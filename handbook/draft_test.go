package handbook_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"maru/agent"
	"maru/agent/chat"
	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/llm/llmtest"
	"maru/rag/local"
)

// drafted are questions with a model's draft and, after a second arrow, words of a sentence that is to be quoted below the draft;
// nothing is to be added where there are none.
const drafted = `
회사 창립 기념일에 쉬어? => 네. [1] => 10월 1일 회사 창립 기념일
출근 시간은 자유야? => 출근 시간은 자유입니다. [1] => 8시에서 11시
사직서는 어디에 내? => 팀장과 인사팀에 알립니다. [1] => 인사 시스템에서
노트북 잃어버렸는데 어떻게 해? => 보안팀이 원격으로 잠그고 지웁니다. [1] => 한 시간 안에
야근하면 밥값 나옴? => 아니요. => 1만 5천 원
Can I work from abroad? => Yes. [1] => 20 days a year
Are coffee and snacks free? => Yes, they are. [1] => coffee and snacks are free
Who approves overtime? => Overtime is paid at 1.5 times the ordinary wage. [1] => team lead's approval
Do I need a medical certificate if I am ill? => Yes, you do. => 3 or more days
출근 시간은 자유야? => 8시에서 11시 사이에 자유롭게 출근하면 됩니다. [1]
회사 창립 기념일에 쉬어? => 네, 10월 1일 창립 기념일은 유급 휴일이라 쉽니다. [1]
사직서는 어디에 내? => 인사 시스템에서 제출하시면 됩니다. [1]
노트북 잃어버렸는데 어떻게 해? => 한 시간 안에 보안팀에 전화하세요. 보안팀이 원격으로 잠그고 데이터를 지웁니다. [1]
야근하면 밥값 나옴? => 밤 9시(21시) 이후까지 근무하시면 저녁 식대를 최대 1만 5천 원까지 청구할 수 있습니다. [1]
반차도 쓸 수 있어? => 네, 4시간짜리 반차와 2시간짜리 반반차로 나눠 쓸 수 있어요. [1]
개인 카드로 쓴 비용은 어떻게 청구해? => 영수증을 첨부해서 30일 이내에 비용 시스템에 올리시면 됩니다. [1]
유료 소프트웨어는 어디에 신청해? => #it-help 채널에 신청하시면 됩니다. 월 5만 원까지는 팀장 승인만 있으면 돼요. [1]
초과 근무는 누가 승인해? => 팀장이 사전에 승인해야 합니다. [1]
퇴사할 때 노트북은 어디에 반납해? => 마지막 근무일까지 IT팀에 반납하시면 됩니다. [1]
지각할 것 같으면 어디에 알려? => 핵심 시간이 시작되기 전에 팀 채널에 남겨 주세요. [1]
Can I work from abroad? => Yes, for up to 20 days a year, if the people team and the security team approve it a month ahead. [1]
Are coffee and snacks free? => Yes. The café on the 5th floor serves them free of charge from 8:00 to 19:00. [1]
Who approves overtime? => Your team lead, and it has to be approved beforehand. [1]
Do I need a medical certificate if I am ill? => Only from the third day in a row; up to two days need none. [1]
Where do I park my bicycle? => In the storage on the first basement floor. [1]
Do visitors pay for parking? => No, visitors can park for free for up to 3 hours. [1]
Who checks the handover document? => That is your team lead's job. [1]
When do I get my badge? => On your first day, along with your laptop and accounts. [1]
How do I call in sick? => Message your team lead by 10:00 that day and register it in the attendance system once you are back. [1]
Is there a referral bonus? => Yes: 2,000,000 won once the person you recommended has completed probation. [1]
What happens if nobody shows up for a booked meeting room? => The booking is cancelled automatically 10 minutes after its start. [1]
Do I have to come to the office on Tuesdays? => Yes, Tuesdays and Thursdays are office days for everybody. [1]
Where do I file my resignation letter? => You hand it in through the HR system. [1]
Can I take a 5-hour flight in premium economy? => No, that is only possible for flights of more than 8 hours. [1]
Can probation be extended? => Once, for a month at most. [1]
Who pays for the health check-up? => The company does, once a year. [1]`

// answeredWith returns the answer to a question for which a model writes a draft, routed to the documents.
func answeredWith(t *testing.T, x *local.Index, question, draft, language string) agent.Result {
	t.Helper()
	m := llmtest.Func(func(_ int, r llm.Request) llmtest.Reply {
		if r.Purpose == llm.ForRoute {
			return llmtest.Text(`{"route": "rag", "reason": "asked", "wants": "answer"}`)
		}
		return llmtest.Text(draft)
	})
	a, err := chat.New(chat.Config{Model: llm.Metered(m, time.Now), Documents: nameless{x}, Runtime: graph.NewRuntime(graph.Config{Checkpointer: graph.NewMemory()})})
	if err != nil {
		t.Fatal(err)
	}
	res, err := a.Run(context.Background(), agent.Request{
		Run: "run", Message: "m", Thread: "t/1/c/x", Agent: "chat", Text: question, User: agent.User{ID: "u"}, Scopes: []string{"public"}, Language: language, Now: time.Now(),
	}, func(agent.Event) {})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// TestDraftsAreCompleted: a draft that misses the sentence which clearly answers has it quoted below; one that says it in
// other words stays as it is.
func TestDraftsAreCompleted(t *testing.T) {
	t.Parallel()
	x := library(t)
	missed, noisy := 0, 0
	for line := range strings.SplitSeq(strings.TrimSpace(drafted), "\n") {
		row := append(strings.Split(line, " => "), "")
		language := "en"
		if strings.ContainsRune(row[0], '?') && row[0][0] > 0x7f {
			language = "ko"
		}
		res := answeredWith(t, x, row[0], row[1], language)
		_, added, _ := strings.Cut(res.Text, "\n\n> ")
		switch {
		case row[2] == "" && added != "":
			noisy++
			t.Logf("%s\n  %s", row[0], res.Text)
		case row[2] != "" && !strings.Contains(added, row[2]):
			missed++
			t.Logf("%s\n  %s", row[0], res.Text)
		}
	}
	if missed > 1 || noisy > 1 {
		t.Errorf("%d sentences were missed, %d drafts got a sentence that they need not", missed, noisy)
	}
}
