package handbook_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"maru/agent"
	"maru/agent/chat"
	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/llm/llmtest"
)

// greetings are greetings, thanks and farewells, 15 in each language.
const greetings = `good morning
good morning ask-3-41
hi maru, how are you today?
hello everyone
hey there!
good afternoon, team
thanks a lot
thank you so much for your help yesterday
cheers, that was quick
have a nice weekend
see you on Monday
happy new year!
welcome back
good night, I am off now
nice to meet you
안녕하세요
좋은 아침이에요
좋은 아침입니다 다들 오늘도 화이팅
반가워요 마루
고마워요, 큰 도움이 됐어요
감사합니다 수고하셨어요
점심 맛있게 드세요
즐거운 주말 보내세요
월요일에 봐요
새해 복 많이 받으세요
잘 자요
오랜만이에요
퇴근합니다 수고하세요
덕분에 잘 끝났어요
오늘 하루도 힘내요`

// pleasantries are replies to them that share common words with documents.
const pleasantries = `hello to ask-3-41
Good morning! How can I help you and your team today?
Good morning! I hope you have a great day at work.
You're welcome! Have a good day at the office.
You are welcome. Ask me about leave, expenses or the office any time.
Enjoy your weekend and see you on Monday.
Happy new year to you and the whole team!
Have a restful evening after work.
안녕하세요! 무엇을 도와드릴까요?
좋은 아침이에요! 오늘 업무도 힘내세요.
도움이 되었다니 기쁩니다. 언제든 문의해 주세요.
휴가나 경비가 궁금하면 언제든 물어보세요.
즐거운 주말 보내고 월요일에 만나요.
오늘 하루도 수고 많으셨습니다. 퇴근 잘 하세요.
새해 복 많이 받으세요. 회사 생활도 즐겁기를 바랍니다.`

// TestGreetingsCiteNothing: no reply to a greeting, to thanks or to a farewell names a document as its source, on either route.
func TestGreetingsCiteNothing(t *testing.T) {
	t.Parallel()
	x := library(t)
	cited, all := 0, 0
	for _, way := range []string{"agent", "rag"} {
		for text := range strings.SplitSeq(greetings, "\n") {
			for reply := range strings.SplitSeq(pleasantries, "\n") {
				m := llmtest.Func(func(_ int, r llm.Request) llmtest.Reply {
					if r.Purpose == llm.ForRoute {
						return llmtest.Text(`{"route": "` + way + `", "reason": "asked", "wants": "answer"}`)
					}
					return llmtest.Text(reply)
				})
				a, err := chat.New(chat.Config{Model: llm.Metered(m, time.Now), Documents: nameless{x}, Runtime: graph.NewRuntime(graph.Config{Checkpointer: graph.NewMemory()})})
				if err != nil {
					t.Fatal(err)
				}
				res, err := a.Run(context.Background(), agent.Request{
					Run: "run", Message: "m", Thread: "t/1/c/x", Agent: "chat", Text: text, User: agent.User{ID: "u"}, Scopes: []string{"public"}, Language: "en", Now: time.Now(),
				}, func(agent.Event) {})
				if err != nil {
					t.Fatal(err)
				}
				if all++; len(res.Sources) > 0 {
					cited++
					t.Errorf("%s: %q is answered %q from %s", way, text, res.Text, fmt.Sprint(res.Sources[0].Title, " ", res.Sources[0].Heading))
				}
			}
		}
	}
	t.Logf("%d of %d", cited, all)
}
