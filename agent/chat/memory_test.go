package chat_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"maru/agent/llm"
	"maru/agent/llm/llmtest"
)

// routed returns a router that writes the summary it is asked for.
func routed(r llm.Request) llmtest.Reply {
	if strings.Contains(string(r.Schema.JSON), `"summary"`) {
		return llmtest.JSON(map[string]string{"route": "agent", "reason": "test", "summary": " 간추린 앞부분 "})
	}
	return route("agent")
}

// fill talks until the next turn overflows the window.
func (d *desk) fill() {
	d.t.Helper()
	for turn := 1; turn <= 5; turn++ {
		d.ask(d.request(fmt.Sprintf("말 %d", turn)))
	}
}

// TestSummaryComesWithTheRoute: a turn that summarises costs no call more, also
// one that uses a tool.
func TestSummaryComesWithTheRoute(t *testing.T) {
	t.Parallel()
	calls := 0
	m := llmtest.ByPurpose(map[llm.Purpose]func(llm.Request) llmtest.Reply{
		llm.ForRoute: routed,
		llm.ForAnswer: func(r llm.Request) llmtest.Reply {
			last := r.Messages[len(r.Messages)-1]
			if strings.Contains(last.Content, "두 배") {
				calls++
				return llmtest.CallTool("double", `{"n":2}`)
			}
			return llmtest.Text("네.")
		},
	})
	d := newDesk(t, m)
	d.fill()
	_, events := d.ask(d.request("2를 두 배로"))
	if got := purposes(events); !slices.Equal(got, []string{"route", "answer", "answer"}) || calls != 1 {
		t.Errorf("model calls %q, %d of the tool", got, calls)
	}
	prompt := lastPrompt(m)
	if system := prompt.Messages[0].Content; !strings.Contains(system, "1. 간추린 앞부분") || strings.Contains(fmt.Sprint(prompt.Messages[1:]), "말 1") {
		t.Errorf("the answer's prompt is %q", prompt.Messages)
	}
	reqs := m.Requests()
	asked := reqs[len(reqs)-3]
	for _, want := range []string{"말 1", "말 3"} {
		if !strings.Contains(asked.Messages[1].Content, want) {
			t.Errorf("%q is not in what is to be summarised:\n%s", want, asked.Messages[1].Content)
		}
	}
	if strings.Contains(asked.Messages[1].Content, "말 4") {
		t.Errorf("what stays is summarised too:\n%s", asked.Messages[1].Content)
	}
}

// TestSummaryThatIsTooMuch: a model that cannot do both is asked for each alone.
func TestSummaryThatIsTooMuch(t *testing.T) {
	t.Parallel()
	for name, fail := range map[string]llmtest.Reply{
		"the prompt is too long":   llmtest.Fail(&llm.Error{Class: llm.ContextLength}),
		"the reply is cut":         llmtest.Fail(&llm.Error{Class: llm.Length}),
		"a filter takes offence":   llmtest.Fail(&llm.Error{Class: llm.ContentFilter}),
		"the server breaks":        llmtest.Fail(&llm.Error{Class: llm.Overloaded}),
		"it takes too long":        llmtest.Fail(&llm.Error{Class: llm.Timeout}),
		"the connection is cut":    llmtest.Fail(&llm.Error{Class: llm.Cut}),
		"too many tokens a minute": llmtest.Fail(&llm.Error{Class: llm.RateLimited}),
		"it is refused":            llmtest.Fail(&llm.Error{Class: llm.BadRequest}),
		"the summary is left out":  route("agent"),
		"the summary says nothing": llmtest.JSON(map[string]string{"route": "agent", "reason": "test", "summary": " "}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := llmtest.ByPurpose(map[llm.Purpose]func(llm.Request) llmtest.Reply{
				llm.ForRoute: func(r llm.Request) llmtest.Reply {
					if strings.Contains(string(r.Schema.JSON), `"summary"`) {
						return fail
					}
					return route("agent")
				},
				llm.ForSummary: func(llm.Request) llmtest.Reply { return llmtest.Text("요약") },
				llm.ForAnswer:  func(llm.Request) llmtest.Reply { return llmtest.Text("네.") },
			})
			d := newDesk(t, m)
			d.fill()
			if res, _ := d.ask(d.request("말 6")); res.Text != "네." {
				t.Errorf("answer %q", res.Text)
			}
			if system := lastPrompt(m).Messages[0].Content; !strings.Contains(system, "1. 요약") {
				t.Errorf("nothing was summarised:\n%s", system)
			}
		})
	}
}

// TestSummaryThatNeverComes: an endpoint that fails whatever is asked of it with a summary
// costs no answer and no message, and is asked again in the next turn.
func TestSummaryThatNeverComes(t *testing.T) {
	t.Parallel()
	failing := true
	fail := llmtest.Fail(&llm.Error{Class: llm.Overloaded})
	m := llmtest.ByPurpose(map[llm.Purpose]func(llm.Request) llmtest.Reply{
		llm.ForRoute: func(r llm.Request) llmtest.Reply {
			if failing && strings.Contains(string(r.Schema.JSON), `"summary"`) {
				return fail
			}
			return routed(r)
		},
		llm.ForSummary: func(llm.Request) llmtest.Reply { return fail },
		llm.ForAnswer:  func(llm.Request) llmtest.Reply { return llmtest.Text("네.") },
	})
	d := newDesk(t, m)
	d.fill()
	if res, _ := d.ask(d.request("말 6")); res.Text != "네." {
		t.Errorf("answer %q", res.Text)
	}
	if said := fmt.Sprint(lastPrompt(m).Messages[1:]); !strings.Contains(said, "말 1") {
		t.Errorf("what was not summarised is lost: %s", said)
	}
	failing = false
	d.ask(d.request("말 7"))
	if prompt := lastPrompt(m); !strings.Contains(prompt.Messages[0].Content, "1. 간추린 앞부분") || strings.Contains(fmt.Sprint(prompt.Messages[1:]), "말 1") {
		t.Errorf("it was not tried again: %q", prompt.Messages)
	}
}

// TestSummaryWithoutAKey: what would fail alone as well is not asked twice.
func TestSummaryWithoutAKey(t *testing.T) {
	t.Parallel()
	for _, class := range []llm.Class{llm.Auth, llm.Quota, llm.NotFound, llm.OverBudget} {
		asked, failing := 0, false
		m := llmtest.ByPurpose(map[llm.Purpose]func(llm.Request) llmtest.Reply{
			llm.ForRoute: func(r llm.Request) llmtest.Reply {
				if failing {
					asked++
					return llmtest.Fail(&llm.Error{Class: class})
				}
				return routed(r)
			},
			llm.ForAnswer: func(llm.Request) llmtest.Reply { return llmtest.Text("네.") },
		})
		d := newDesk(t, m)
		d.fill()
		failing = true
		if _, _, err := d.try(d.request("말 6")); llm.ClassOf(err) != class || asked != 1 {
			t.Errorf("%s: %v after %d calls", class, err, asked)
		}
	}
}
