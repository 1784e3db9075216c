package handbook_test

import (
	"context"
	"fmt"
	"path"
	"strings"
	"testing"
	"time"

	"maru/agent"
	"maru/agent/chat"
	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/llm/llmtest"
	"maru/rag"
	"maru/rag/local"
	"maru/rag/naming"
)

// elsewise are messages in which the documents' words stand although something else is wanted:
// a sum, a deed, a text, what was said, a remark. The model decides about them.
const elsewise = `휴가 15일 * 8시간
what did I say about leave?
아까 휴가에 대해 뭐라고 했지?
연차 15일 중에 3일 쓰면 며칠 남아?
내가 신청한 연차는 며칠이라고 했지?
연차 신청해 줘
연차 규정을 영어로 번역해 줘
translate the leave policy into Korean
write a poem about annual leave
이 문장 고쳐줘: 연차는 15일입니다
summarise this thread about remote work
remote work is great
재택근무 너무 좋다
나 내일 연차야
I am on leave tomorrow
출장비 정산 메일 보내줘
send an email about the expense policy to Kim
what is a mutex
what did I just say?
그럼 병가는?
3만원 * 20일 식대는 얼마야?
15일 연차를 시간으로 계산해줘
회의실 예약해줘
급여일이 25일인데 오늘부터 며칠 남았어?
비밀번호 바꿔 줘
노트북 신청해줘
what was the question I asked about laptops?
did I tell you about my parental leave?
please book the meeting room for 3 pm
could you calculate 15 days * 8 hours of leave?`

// nameless is an index in which questions name no documents.
type nameless struct{ *local.Index }

func (nameless) Absent(context.Context, rag.Query) (naming.Absent, bool, error) {
	return naming.Absent{}, false, nil
}

// routed asks the chat agent, in a thread in which something was said before, and returns the
// source that the documents answer from without a routing call, "" where the model was asked.
func routed(t *testing.T, x *local.Index, question string) string {
	t.Helper()
	asked := false
	m := llmtest.Func(func(_ int, r llm.Request) llmtest.Reply {
		if r.Purpose == llm.ForRoute {
			asked = true
			return llmtest.Text(`{"route": "agent", "reason": "asked", "wants": "answer"}`)
		}
		return llmtest.Text("so [1]")
	})
	a, err := chat.New(chat.Config{Model: llm.Metered(m, time.Now), Documents: nameless{x}, Runtime: graph.NewRuntime(graph.Config{Checkpointer: graph.NewMemory()})})
	if err != nil {
		t.Fatal(err)
	}
	source := ""
	for i, text := range []string{"hello there", question} {
		asked = false
		res, err := a.Run(context.Background(), agent.Request{
			Run: fmt.Sprint("run", i), Message: fmt.Sprint("m", i), Thread: "t/1/c/x", Agent: "chat", Text: text, User: agent.User{ID: "u"}, Scopes: []string{"public"}, Language: "en", Now: time.Now(),
		}, func(agent.Event) {})
		if err != nil {
			t.Fatal(err)
		}
		if source = ""; !asked && len(res.Found) > 0 {
			source = res.Found[0].Document
		}
	}
	return source
}

// TestVote counts which questions retrieval routes to the documents alone: nearly all that the
// handbook answers, each by its topic, and none about anything else.
func TestVote(t *testing.T) {
	t.Parallel()
	x := library(t)
	topics := map[string]string{}
	docs, err := x.Documents(t.Context(), []string{"public"})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range docs {
		topics[d.ID] = strings.TrimSuffix(path.Base(d.Source), ".md")
	}
	sure, wrong := 0, []string{}
	for line := range strings.SplitSeq(asked, "\n") {
		topic, q, _ := strings.Cut(line, ": ")
		switch by := routed(t, x, q); {
		case by == "":
		case topics[by] == topic:
			sure++
		default:
			wrong = append(wrong, q+" by "+topics[by])
		}
	}
	for q := range strings.SplitSeq(elsewhere+"\n"+elsewise, "\n") {
		if by := routed(t, x, q); by != "" {
			wrong = append(wrong, q+" by "+topics[by])
		}
	}
	// The threshold was set without looking at what newcomers ask in their own words.
	for name, least := range map[string]int{"ko.tsv": 50, "en.tsv": 58} {
		n, all := 0, rows(t, name)
		for _, r := range all {
			if routed(t, x, r[0]) != "" {
				n++
			}
		}
		if t.Logf("%s: %d of %d need no routing call", name, n, len(all)); n < least {
			t.Errorf("%s: fewer than %d", name, least)
		}
	}
	for _, r := range rows(t, "elsewhere.tsv") {
		if by := routed(t, x, r[0]); by != "" {
			wrong = append(wrong, r[0]+" by "+topics[by])
		}
	}
	t.Logf("%d of %d questions of the handbook need no routing call; wrongly routed %q", sure, 1+strings.Count(asked, "\n"), wrong)
	if sure < 45 || len(wrong) > 0 {
		t.Error("the vote no longer holds")
	}
}
