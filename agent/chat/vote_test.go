package chat_test

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
	"maru/memory"
	"maru/rag"
)

// TestVoteSparesTheRoutingCall: a question that the documents clearly cover costs one call, so
// does any message where no document is in reach; what leans on the conversation, brings a file
// or wants something done costs the routing call.
func TestVoteSparesTheRoutingCall(t *testing.T) {
	t.Parallel()
	sure := papers{{Chunk: rag.Chunk{ID: "d1#0", Text: "연차 휴가는 1년에 15일이다."}, Document: rag.Document{ID: "d1", Title: "취업규칙", Scope: "public"}, Score: .9}}
	for name, c := range map[string]struct {
		documents papers
		text      string
		change    func(*agent.Request)
		calls     int
		reason    string
	}{
		"clear question":   {sure, "연차 휴가는 며칠이야?", nil, 1, `"by":"retrieval","reason":"confidence 0.90 in 취업규칙"`},
		"no documents":     {nil, "연차 휴가는 며칠이야?", nil, 1, `"by":"retrieval","reason":"no documents in reach"`},
		"of others":        {sure, "연차 휴가는 며칠이야?", func(r *agent.Request) { r.Scopes = []string{"channel:y"} }, 1, `"by":"retrieval","reason":"no documents in reach"`},
		"greeting":         {sure, "안녕하세요, 마루!", nil, 1, `"by":"rule","reason":"a greeting or about the assistant"`},
		"small talk":       {sure, "how are you?", nil, 1, `"by":"rule","reason":"a greeting or about the assistant"`},
		"about it":         {sure, "안녕! 너는 뭐 할 수 있어?", nil, 1, `"by":"rule","reason":"a greeting or about the assistant"`},
		"how it works":     {sure, "how does this work?", nil, 1, `"by":"rule","reason":"a greeting or about the assistant"`},
		"may be an answer": {library, "금요일이에요", nil, 1, `"by":"model"`},
		"greets and asks":  {library, "hi, 연차는 며칠이야?", nil, 2, `"by":"model"`},
		"less clear":       {library, "연차는 며칠이야?", nil, 2, `"by":"model"`},
		"order":            {sure, "연차 휴가 신청해 줘", nil, 2, `"by":"model"`},
		"sum":              {sure, "연차 15일 * 8시간은 얼마야?", nil, 2, `"by":"model"`},
		"asks back":        {sure, "아까 연차 휴가에 대해 뭐라고 했지?", nil, 2, `"by":"model"`},
		"quotes":           {sure, "연차 휴가는 며칠이야?", func(r *agent.Request) { r.Quoted = []agent.Turn{{Text: "휴가"}} }, 2, `"by":"model"`},
		"brings a file":    {sure, "연차 휴가는 며칠이야?", func(r *agent.Request) { r.Files = []agent.File{{Name: "a.txt", Document: "d1"}} }, 2, `"by":"model"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := drafting("rag", "15일이에요 [1].")
			log := graph.NewMemory()
			a, err := chat.New(chat.Config{Model: llm.Metered(m, time.Now), Documents: c.documents, Runtime: graph.NewRuntime(graph.Config{Checkpointer: log})})
			if err != nil {
				t.Fatal(err)
			}
			req := (&desk{t: t}).request(c.text)
			if c.change != nil {
				c.change(&req)
			}
			var why string
			res, err := a.Run(t.Context(), req, func(e agent.Event) {
				if e.Kind == agent.EventCustom && e.Name == "router" {
					why = string(e.Data)
				}
			})
			if err != nil || res.Usage.Calls != c.calls {
				t.Errorf("%d calls, want %d; %v", res.Usage.Calls, c.calls, err)
			}
			if !strings.Contains(why, c.reason) {
				t.Errorf("the trace says %q, want %q", why, c.reason)
			}
		})
	}
}

// slowVectors are documents whose index has a slow embedding model. When the time for the vector is
// over it answers from keywords alone, with low scores.
type slowVectors struct {
	papers

	waits *[]time.Duration
}

func (s slowVectors) Search(ctx context.Context, q rag.Query) ([]rag.Hit, error) {
	*s.waits = append(*s.waits, q.Wait)
	hits, err := s.papers.Search(ctx, q)
	for i := range hits {
		if q.Wait > 0 {
			hits[i].Score = .5
		}
	}
	return hits, err
}

// TestVoteDoesNotWaitForVectors: the vote waits a moment; a question that it leaves to the model is
// searched for again with all the time there is.
func TestVoteDoesNotWaitForVectors(t *testing.T) {
	t.Parallel()
	var waits []time.Duration
	docs := slowVectors{papers{{Chunk: rag.Chunk{ID: "d1#0", Text: "연차 휴가는 1년에 15일이다."}, Document: rag.Document{ID: "d1", Title: "취업규칙", Scope: "public"}, Score: .9}}, &waits}
	m := llmtest.Script(route("rag"), llmtest.Text("15일이에요 [1]."))
	a, err := chat.New(chat.Config{Model: llm.Metered(m, time.Now), Documents: docs, Runtime: graph.NewRuntime(graph.Config{Checkpointer: graph.NewMemory()})})
	if err != nil {
		t.Fatal(err)
	}
	res, err := a.Run(t.Context(), (&desk{t: t}).request("연차 휴가는 며칠이야?"), nil)
	if err != nil || len(res.Sources) != 1 || res.Usage.Calls != 2 {
		t.Errorf("%+v, %v", res, err)
	}
	if len(waits) != 2 || waits[0] <= 0 || waits[0] > 300*time.Millisecond || waits[1] != 0 {
		t.Errorf("waited %v", waits)
	}
}

// TestVotedTurnSummarisesInOneCall: where no routing call brings the summary along, the turn makes
// one call for it.
func TestVotedTurnSummarisesInOneCall(t *testing.T) {
	t.Parallel()
	sure := papers{{Chunk: rag.Chunk{ID: "d1#0", Text: "연차 휴가는 1년에 15일이다."}, Document: rag.Document{ID: "d1", Title: "취업규칙", Scope: "public"}, Score: .9}}
	m := llmtest.Func(func(_ int, r llm.Request) llmtest.Reply {
		switch r.Purpose {
		case llm.ForRoute:
			return route("agent")
		case llm.ForSummary:
			return llmtest.Text("놀이 이야기를 했다.")
		}
		return llmtest.Text("15일이에요 [1].")
	})
	a, err := chat.New(chat.Config{
		Model: llm.Metered(m, time.Now), Documents: sure, Runtime: graph.NewRuntime(graph.Config{Checkpointer: graph.NewMemory()}),
		Limits: memory.Limits{MaxMessages: 4, KeepRecent: 2, MaxSummaries: 3},
	})
	if err != nil {
		t.Fatal(err)
	}
	var before [3]int
	for i, text := range []string{"놀이 하나 추천해 줘", "다른 놀이도 추천해 줘", "연차 휴가는 며칠이야?"} {
		before = [3]int{m.Count(llm.ForRoute), m.Count(llm.ForSummary), m.Count(llm.ForAnswer)}
		req := (&desk{t: t}).request(text)
		req.Run, req.Message = fmt.Sprintf("r%d", i), fmt.Sprintf("m%d", i)
		if _, err := a.Run(t.Context(), req, nil); err != nil {
			t.Fatal(err)
		}
	}
	got := [3]int{m.Count(llm.ForRoute) - before[0], m.Count(llm.ForSummary) - before[1], m.Count(llm.ForAnswer) - before[2]}
	if got != [3]int{0, 1, 1} {
		t.Errorf("%v calls to route, summarise and answer", got)
	}
}
