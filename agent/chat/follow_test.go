package chat_test

import (
	"strings"
	"testing"
	"time"

	"maru/agent"
	"maru/agent/chat"
	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/llm/llmtest"
	"maru/rag"
)

// TestFollowUpsAreSearchedWhole: a follow-up is searched for as the model that routes it
// makes it whole with the conversation, in the same call; without its help with the
// questions before it, back to the one that stands alone.
func TestFollowUpsAreSearchedWhole(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		asked []string
		query string // of the last one
		finds bool
	}{
		"made_whole":              {[]string{"연차는 며칠이야?", "수습도 똑같이 받아?"}, "수습 직원의 연차", true},
		"leans_on_the_one_before": {[]string{"연차는 며칠이야?", "그럼 수습은?"}, "", true},
		"leans_on_a_leaning_one":  {[]string{"연차는 며칠이야?", "그럼 수습은?", "그럼 인턴은?"}, "", true},
		"corrects_a_leaning_one":  {[]string{"연차는 며칠이야?", "그럼 수습은?", "아니 인턴 말이야"}, "", true},
		"stands_alone":            {[]string{"연차는 며칠이야?", "주차장은 어디에 있어요?"}, "", false},
		"in_documents_words":      {[]string{"쉬는 거 얼마나 돼?"}, "연차", true},
		"no_other_words":          {[]string{"쉬는 거 얼마나 돼?"}, "", false},
	} {
		m := llmtest.Func(func(_ int, r llm.Request) llmtest.Reply {
			if r.Schema == nil {
				return llmtest.Text("연차 휴가는 1년에 15일이에요 [1].")
			}
			reply := map[string]string{"route": "rag", "reason": "test"}
			if last := r.Messages[len(r.Messages)-1].Content; last == c.asked[len(c.asked)-1] && strings.Contains(string(r.Schema.JSON), `"query"`) {
				reply["query"] = c.query
			}
			return llmtest.JSON(reply)
		})
		d := newDesk(t, m)
		var res agent.Result
		var events []agent.Event
		for _, text := range c.asked {
			res, events = d.ask(d.request(text))
		}
		calls := 1
		if c.finds {
			calls = 2
		}
		if (len(res.Sources) > 0) != c.finds || modelCalls(events) != calls {
			t.Errorf("%s: %q from %d sources, %d calls", name, res.Text, len(res.Sources), modelCalls(events))
		}
	}
}

// TestAQuestionAboutAQuoteIsSearchedWithIt: what a message quotes is what its question leans
// on, with the model's help and without.
func TestAQuestionAboutAQuoteIsSearchedWithIt(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text, query string
		finds       bool
	}{
		"made_whole":   {"우리 규정에 맞아?", "연차 며칠", true},
		"leans_on_it":  {"이거 규정에 맞아?", "", true},
		"in_English":   {"is this right?", "", true},
		"stands_alone": {"주차장은 어디에 있어요?", "", false},
	} {
		m := llmtest.Func(func(_ int, r llm.Request) llmtest.Reply {
			if r.Schema == nil {
				return llmtest.Text("연차 휴가는 1년에 15일이에요 [1].")
			}
			reply := map[string]string{"route": "rag", "reason": "test"}
			if strings.Contains(string(r.Schema.JSON), `"query"`) {
				reply["query"] = c.query
			}
			return llmtest.JSON(reply)
		})
		d := newDesk(t, m)
		req := d.request(c.text)
		req.Quoted = []agent.Turn{{Author: "영희", Text: "연차는 며칠인지 물어봤는데 15일이래"}}
		if res, _ := d.ask(req); (len(res.Sources) > 0) != c.finds {
			t.Errorf("%s: %q from %d sources", name, res.Text, len(res.Sources))
		}
	}
}

// TestFollowUpsAskTheCitedDocuments: without the router's help a question without a subject is searched for in the documents
// that the last answer cited, one with another subject in all.
func TestFollowUpsAskTheCitedDocuments(t *testing.T) {
	t.Parallel()
	passage := func(doc, text string) rag.Hit {
		return rag.Hit{Chunk: rag.Chunk{ID: doc + "#0", Document: doc, Text: text}, Document: rag.Document{ID: doc, Title: doc, Scope: "public"}, Score: 0.6}
	}
	documents := papers{passage("안식월", "안식월은 근속 5년이면 30일이다. 두 달 전에 신청해야 한다."), passage("연차", "연차는 1년에 15일이고 5년이면 17일이다. 3일 전에 신청해야 한다."), passage("주차", "주차장은 지하에 있다. 5년이면 자리를 준다.")}
	for follow, want := range map[string]string{"5년이면?": "연차", "며칠 전에 신청해야 돼?": "연차", "그럼 주차장은?": "연차 주차"} {
		m := llmtest.Func(func(_ int, r llm.Request) llmtest.Reply {
			if r.Schema != nil {
				return llmtest.JSON(map[string]string{"route": "rag", "reason": "test"})
			}
			return llmtest.Text("15일이에요 [1].")
		})
		a, err := chat.New(chat.Config{Model: llm.Metered(m, time.Now), Documents: documents, Runtime: graph.NewRuntime(graph.Config{Checkpointer: graph.NewMemory()})})
		if err != nil {
			t.Fatal(err)
		}
		d, found := &desk{t: t}, ""
		for _, text := range []string{"연차는 15일이야?", follow} {
			res, err := a.Run(t.Context(), d.request(text), func(agent.Event) {})
			if err != nil {
				t.Fatal(err)
			}
			var ids []string
			for _, s := range res.Found {
				ids = append(ids, s.Document)
			}
			found = strings.Join(ids, " ")
		}
		if found != want {
			t.Errorf("%s is searched for in %q, want %q", follow, found, want)
		}
	}
}
