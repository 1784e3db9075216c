package chat_test

import (
	"fmt"
	"slices"
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

// shelf has passages of several confidences, one of a channel that does not ask.
var shelf = papers{
	{Chunk: rag.Chunk{ID: "d1#0", Text: "remote work: two days a week, agreed with the team lead."}, Document: rag.Document{ID: "d1", Title: "Handbook", Scope: "public"}, Score: .55},
	{Chunk: rag.Chunk{ID: "d2#0", Text: "parking: remote sites have 12 places, booked a day ahead."}, Document: rag.Document{ID: "d2", Title: "Sites", Scope: "public"}, Score: .3},
	{Chunk: rag.Chunk{ID: "d3#0", Text: "Remote work of the board is secret: parking 99."}, Document: rag.Document{ID: "d3", Title: "Secret", Scope: "channel:x"}, Score: .9},
}

func wants(what string) llmtest.Reply {
	return llmtest.JSON(map[string]string{"route": "agent", "reason": "test", "wants": what})
}

// TestPassagesAreAtHandBesideTheConversation: the agent's prompt has passages that clearly fit and that
// the place may read, but none for an order. An answer that cites one shows the source; one that
// invents facts is marked.
func TestPassagesAreAtHandBesideTheConversation(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		text    string
		route   llmtest.Reply
		known   int // of chat.Config
		answer  string
		passage bool   // in the prompt
		search  bool   // offered
		want    string // the answer
		sources int
	}{
		"cited":                {text: "Tell me about remote work and your day", route: wants("answer"), answer: "Two days a week [1].", passage: true, search: true, want: "Two days a week [1].", sources: 1},
		"not cited":            {text: "Tell me about remote work and your day", route: wants("answer"), answer: "I had a fine day.", passage: true, search: true, want: "I had a fine day."},
		"of no such number":    {text: "Tell me about remote work and your day", route: wants("answer"), answer: "I had a fine day [4].", passage: true, search: true, want: "I had a fine day."},
		"something to do":      {text: "Send remote greetings to Kim", route: wants("action"), answer: "Done.", search: true, want: "Done."},
		"a task":               {text: "Send remote greetings to Kim, then Lee", route: wants("task"), answer: "Done.", search: true, want: "Done."},
		"little to do with":    {text: "Where is parking?", route: wants("answer"), answer: "I do not know.", search: true, want: "I do not know."},
		"in Korean":            {text: "remote 근무 이야기 좀 해 줘", route: wants("answer"), answer: "일주일에 이틀이에요 [1].", passage: true, search: true, want: "일주일에 이틀이에요 [1].", sources: 1},
		"the built-in model":   {text: "Tell me about remote work and your day", route: wants("answer"), known: -1, answer: "I had a fine day.", want: "I had a fine day."},
		"invented beside it":   {text: "Do we have a remote gym?", route: wants("answer"), answer: "Yes, we have a gym of 300 square metres.", passage: true, search: true, want: "Yes, we have a gym of 300 square metres.\n\n_문서에서 나온 내용이 아니에요"},
		"known from beside it": {text: "Do we have remote work?", route: wants("answer"), answer: "Yes, our team works remote two days a week, agreed with the team lead.", passage: true, search: true, want: "[1]", sources: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := llmtest.Func(func(_ int, r llm.Request) llmtest.Reply {
				if r.Purpose == llm.ForRoute {
					return tc.route
				}
				return llmtest.Text(tc.answer)
			})
			a, err := chat.New(chat.Config{Model: llm.Metered(m, time.Now), Documents: shelf, Known: tc.known, Runtime: graph.NewRuntime(graph.Config{Checkpointer: graph.NewMemory()})})
			if err != nil {
				t.Fatal(err)
			}
			res, err := a.Run(t.Context(), (&desk{t: t}).request(tc.text), nil)
			if err != nil || !strings.Contains(res.Text, tc.want) || len(res.Sources) != tc.sources || res.Usage.Calls != 2 {
				t.Errorf("%q with %d sources after %d calls, %v", res.Text, len(res.Sources), res.Usage.Calls, err)
			}
			prompt := lastPrompt(m)
			system := prompt.Messages[0].Content
			if got := strings.Contains(system, "[1] Handbook\nremote work: two days"); got != tc.passage || strings.Contains(system, "12 places") || strings.Contains(fmt.Sprint(prompt.Messages), "secret") {
				t.Errorf("the prompt has the passage: %v, want %v:\n%s", got, tc.passage, system)
			}
			if got := slices.ContainsFunc(prompt.Tools, func(t llm.Tool) bool { return t.Name == "search_documents" }); got != tc.search {
				t.Errorf("the search is offered: %v", got)
			}
		})
	}
}

// TestTheModelSearchesDocuments by itself: passages are numbered behind those at hand, are shown
// once, stay within the scopes, and are the answer's sources.
func TestTheModelSearchesDocuments(t *testing.T) {
	t.Parallel()
	m := llmtest.Script(
		wants("answer"),
		llmtest.CallTool("search_documents", `{"query":"parking"}`).And("search_documents", `{"query":"remote"}`).And("search_documents", `{}`),
		llmtest.CallTool("search_documents", `{ "query": "parking" }`).And("search_documents", `{"query":"holidays"}`),
		llmtest.Text("Remote work is two days [1], remote sites have 12 places, booked a day ahead [2]. Board [3]."),
	)
	d := newDesk(t, m)
	a, err := chat.New(chat.Config{Model: llm.Metered(m, time.Now), Documents: shelf, Runtime: graph.NewRuntime(graph.Config{Checkpointer: graph.NewMemory()})})
	if err != nil {
		t.Fatal(err)
	}
	var shown []agent.Source
	res, err := a.Run(t.Context(), d.request("Tell me about remote work and your day"), func(e agent.Event) {
		if e.Kind == agent.EventSources {
			shown = e.Sources
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if res.Text != "Remote work is two days [1], remote sites have 12 places, booked a day ahead [2]. Board." || len(res.Sources) != 2 || res.Sources[1].Title != "Sites" || res.Sources[1].N != 2 {
		t.Errorf("%q with %+v", res.Text, res.Sources)
	}
	if len(shown) != 2 || shown[1].N != 2 {
		t.Errorf("people saw %+v", shown)
	}
	var read []string
	for _, msg := range lastPrompt(m).Messages {
		if msg.Role == llm.ToolRole {
			read = append(read, msg.Content)
		}
	}
	for i, want := range []string{
		"[2] Sites\nparking: remote sites have 12 places, booked a day ahead.",
		"Nothing new: the documents have only what stands above as [1] [2].",
		"error (bad_argument)", "error (repeated)", "The team's documents have nothing about this.",
	} {
		if i >= len(read) || !strings.HasPrefix(read[i], want) || strings.Contains(read[i], "secret") {
			t.Errorf("result %d of %q, want %q", i, read, want)
		}
	}
}

// TestNoSearchWithoutDocuments: where none is in reach the tool is not offered, and a call of it
// finds nothing.
func TestNoSearchWithoutDocuments(t *testing.T) {
	t.Parallel()
	m := llmtest.Script(llmtest.CallTool("search_documents", `{"query":"remote"}`), llmtest.Text("I cannot look."))
	d := newDesk(t, m)
	req := d.request("Tell me about remote work")
	req.Scopes = []string{"channel:y"}
	res, _ := d.ask(req)
	for _, p := range m.Requests() {
		if slices.ContainsFunc(p.Tools, func(t llm.Tool) bool { return t.Name == "search_documents" }) {
			t.Error("the search is offered")
		}
	}
	if res.Text != "I cannot look." || strings.Contains(fmt.Sprint(lastPrompt(m)), "two days") {
		t.Errorf("%q", res.Text)
	}
}

// TestFactsOfASearchAreKnownLater: what a search found in an earlier turn supports an answer, an empty
// search supports nothing.
func TestFactsOfASearchAreKnownLater(t *testing.T) {
	t.Parallel()
	const note = "문서에서 나온 내용이 아니에요"
	for name, tc := range map[string]struct {
		query, answer string
		marked        bool
	}{
		"found":       {"parking", "We have 12 places for parking, booked a day ahead.", false},
		"not in it":   {"parking", "Our office has a swimming pool of 300 square metres.", true},
		"found empty": {"holidays", "We have 12 places for parking, booked a day ahead.", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := llmtest.Script(wants("answer"), llmtest.CallTool("search_documents", `{"query":"`+tc.query+`"}`), llmtest.Text("Let me know what you need."), wants("answer"), llmtest.Text(tc.answer))
			a, err := chat.New(chat.Config{Model: llm.Metered(m, time.Now), Documents: shelf, Runtime: graph.NewRuntime(graph.Config{Checkpointer: graph.NewMemory()})})
			if err != nil {
				t.Fatal(err)
			}
			var res agent.Result
			for i, text := range []string{"Have a look at the documents for me", "Do we own something nice?"} {
				req := (&desk{t: t}).request(text)
				req.Run, req.Message = fmt.Sprintf("r%d", i), fmt.Sprintf("m%d", i)
				if res, err = a.Run(t.Context(), req, nil); err != nil {
					t.Fatal(err)
				}
			}
			if strings.Contains(res.Text, note) != tc.marked || !strings.HasPrefix(res.Text, tc.answer) {
				t.Errorf("%q, marked: want %v", res.Text, tc.marked)
			}
		})
	}
}
