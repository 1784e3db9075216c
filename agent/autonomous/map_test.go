package autonomous_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"maru/agent/llm"
	"maru/agent/llm/llmtest"
)

func TestMapAndJoin(t *testing.T) {
	t.Parallel()
	echo := llmtest.Func(func(_ int, r llm.Request) llmtest.Reply {
		return llmtest.Text("<" + r.Messages[len(r.Messages)-1].Content + ">")
	})
	bodies := map[string]string{
		"llm": `{"id":"body","node_type":"llm_call","config":{"prompt":"{{item}}{{index}}/{{count}}"}}`,
		"sub": `{"id":"body","node_type":"sub_workflow","config":{"workflow":"child","input":"{{item}}"}}`,
	}
	child := line("child", `{"id":"n","node_type":"llm_call","config":{"prompt":"{{input}}{{index}}/{{count}}","output":"final_answer"}}`)
	for name, body := range bodies {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, echo).team(flow("t", fmt.Sprintf(mapped, body), mappedEdges), child)
			if res := d.must("a,b,c"); res.Text != "<a0/3> <b1/3> <c2/3>" {
				t.Errorf("got %q", res.Text)
			}
			if res := d.must(""); res.Text != "" && !strings.Contains(res.Text, "답을 남기지") {
				t.Errorf("of nothing: %q", res.Text)
			}
			if _, err := d.ask(strings.Repeat("x,", 30)); err == nil || !strings.Contains(err.Error(), "at most 20") {
				t.Errorf("of too many: %v", err)
			}
		})
	}
}

// TestMapRunsSoManyItemsAtOnce counts the calls that are under way together; the
// clock of the bubble moves on only when every item that may run waits.
func TestMapRunsSoManyItemsAtOnce(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		config string
		want   int
	}{
		"one after the other": {`,"concurrency":1`, 1},
		"three":               {`,"concurrency":3`, 3},
		"more than items":     {`,"concurrency":16`, 10},
		"the default":         {``, 10},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var mu sync.Mutex
				now, most := 0, 0
				slow := llmtest.Func(func(_ int, r llm.Request) llmtest.Reply {
					mu.Lock()
					now++
					most = max(most, now)
					mu.Unlock()
					time.Sleep(time.Second)
					mu.Lock()
					now--
					mu.Unlock()
					return llmtest.Text(r.Messages[len(r.Messages)-1].Content)
				})
				nodes := strings.Replace(fmt.Sprintf(mapped, `{"id":"body","node_type":"llm_call","config":{"prompt":"{{item}}"}}`), `"limit":20`, `"limit":20`+c.config, 1)
				res := newDesk(t, slow).team(flow("t", nodes, mappedEdges)).must("a,b,c,d,e,f,g,h,i,j")
				if res.Text != "a b c d e f g h i j" || most != c.want {
					t.Errorf("%d at once, want %d; answer %q", most, c.want, res.Text)
				}
			})
		})
	}
}

// TestFailedItemsAreNamed lets two of three items fail.
func TestFailedItemsAreNamed(t *testing.T) {
	t.Parallel()
	var all sync.WaitGroup
	all.Add(3)
	fails := llmtest.Func(func(_ int, r llm.Request) llmtest.Reply {
		all.Done()
		all.Wait() // after an error no further item begins
		if r.Messages[len(r.Messages)-1].Content == "b" {
			return llmtest.Text("fine")
		}
		return llmtest.Fail(&llm.Error{Class: llm.Auth})
	})
	_, err := newDesk(t, fails).team(flow("t", fmt.Sprintf(mapped, `{"id":"body","node_type":"llm_call","config":{"prompt":"{{item}}"}}`), mappedEdges)).ask("a,b,c")
	if err == nil {
		t.Fatal("nothing failed")
	}
	for words, want := range map[string]int{"item 1 of 3 of map each (index 0)": 1, "item 2 of 3": 0, "item 3 of 3 of map each (index 2)": 1} {
		if n := strings.Count(err.Error(), words); n != want {
			t.Errorf("%q stands %d times, want %d: %v", words, n, want, err)
		}
	}
}

func TestMapDoesNotRepeatFinishedItems(t *testing.T) {
	t.Parallel()
	fails := llmtest.Func(func(_ int, r llm.Request) llmtest.Reply {
		said := r.Messages[len(r.Messages)-1].Content
		if strings.HasPrefix(said, "c") {
			return llmtest.Fail(&llm.Error{Class: llm.Auth})
		}
		return llmtest.Text(said)
	})
	text := flow("t", fmt.Sprintf(mapped, `{"id":"body","node_type":"llm_call","config":{"prompt":"{{item}}"}}`), mappedEdges)
	d := newDesk(t, fails).team(text)
	req := d.request("a,b,c", "en")
	_, err := d.agent.Run(t.Context(), req, d.sink)
	if err == nil || !strings.Contains(err.Error(), "item 3 of 3 of map each (index 2)") {
		t.Fatalf("the failing item is not named: %v", err)
	}
	after := llmtest.Func(func(_ int, r llm.Request) llmtest.Reply { return llmtest.Text(r.Messages[len(r.Messages)-1].Content) })
	d.use(after)
	d.team(text)
	res, err := d.agent.Run(t.Context(), req, d.sink)
	if err != nil || res.Text != "a b c" {
		t.Fatalf("%q, %v", res.Text, err)
	}
	for _, r := range after.Requests() {
		if said := r.Messages[len(r.Messages)-1].Content; fails.Count() == 3 && said != "c" {
			t.Errorf("item %q was asked again", said)
		}
	}
}

func TestWaitForAllBranches(t *testing.T) {
	t.Parallel()
	text := flow("t", `{"id":"a","node_type":"set_state","config":{"set":{"answer":"a"}}},{"id":"b","node_type":"set_state","config":{"set":{"difficulty":"b"}}},
		{"id":"c","node_type":"set_state","config":{"set":{"metadata.c":"c"}}},{"id":"j","node_type":"join","config":{"wait":"all"}},
		{"id":"say","node_type":"set_state","config":{"set":{"final_answer":"{{answer}}{{difficulty}}{{metadata.c}}{{metadata.n}}","metadata.n":"{{ (metadata.n ?? 0) + 1 }}"}}}`,
		`{"source":"start","target":"a"},{"source":"start","target":"b"},{"source":"b","target":"c"},{"source":"a","target":"j"},{"source":"c","target":"j"},
		{"source":"j","target":"say"},{"source":"say","target":"end"}`)
	if res := newDesk(t, llmtest.Script()).team(text).must("x"); res.Text != "abc" {
		t.Errorf("got %q", res.Text)
	}
}
