package autonomous_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"maru/agent/llm"
	"maru/agent/llm/llmtest"
	"maru/agent/workflow"
	"maru/rag"
)

// past is a memory that knows one thing and keeps turns.
type past struct {
	mu   sync.Mutex
	kept map[string]workflow.Transcript
	fail error
}

func (p *past) Recall(_ context.Context, q workflow.Recall) ([]workflow.MemoryRef, error) {
	if p.fail != nil {
		return nil, p.fail
	}
	return []workflow.MemoryRef{{Filename: "team.md", Text: "old"}, {Filename: "team.md", Text: "The team has " + q.Scopes[0] + " rules."}}, nil
}

func (p *past) Record(_ context.Context, t workflow.Transcript) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.fail != nil {
		return p.fail
	}
	p.kept[t.Run] = t
	return nil
}

type papers []rag.Hit

func (p papers) Search(context.Context, rag.Query) ([]rag.Hit, error) { return p, nil }

func TestMemoryAndDocuments(t *testing.T) {
	t.Parallel()
	m := llmtest.Script(classified("easy", ""), llmtest.Text("15 days [1], says the rule [7]."))
	d := newDesk(t, m)
	mem := &past{kept: map[string]workflow.Transcript{}}
	d.cfg.Memory = mem
	d.cfg.Documents = papers{{Chunk: rag.Chunk{ID: "d#0", Text: "Leave is 15 days."}, Document: rag.Document{ID: "d", Title: "Rules"}, Score: .9}}
	d.use(m)
	res := d.must("How long is leave?")
	if res.Text != "15 days [1], says the rule." && !strings.Contains(res.Text, "15 days [1]") || strings.Contains(res.Text, "[7]") {
		t.Errorf("answer %q", res.Text)
	}
	if len(res.Sources) != 1 || res.Sources[0].Title != "Rules" {
		t.Errorf("sources %v", res.Sources)
	}
	system := m.Requests()[1].Messages[0].Content
	if !strings.Contains(system, "The team has public rules.") || strings.Contains(system, "old") || !strings.Contains(system, "Leave is 15 days.") {
		t.Errorf("prompt: %s", system)
	}
	if kept := mem.kept["run1"]; kept.Answer != res.Text || kept.Input != "How long is leave?" || kept.Difficulty != "easy" {
		t.Errorf("kept %+v", kept)
	}

	mem.fail = errors.New("away")
	d.use(llmtest.Script(classified("easy", ""), llmtest.Text("Still here.")))
	if res := d.must("And now?"); res.Text != "Still here." {
		t.Errorf("without memory: %q", res.Text)
	}
}

func TestLongConversationsAreCompacted(t *testing.T) {
	t.Parallel()
	m := llmtest.Func(func(_ int, r llm.Request) llmtest.Reply {
		switch r.Purpose {
		case llm.ForRoute:
			return classified("easy", "")
		case llm.ForSummary:
			return llmtest.Text("SUMMARY")
		}
		return llmtest.Text(strings.Repeat("word ", 200))
	})
	d := newDesk(t, m)
	d.cfg.Window = 2400
	d.use(m)
	guard := workflow.NewGuard(2400)
	for i := range 12 {
		d.must(fmt.Sprintf("question %d %s", i, strings.Repeat("and more ", 50)))
	}
	if m.Count(llm.ForSummary) == 0 {
		t.Error("nothing was summarised")
	}
	for i, r := range m.Requests() {
		if n := guard.CountMessages(r.Messages); n > guard.Room()+20 {
			t.Errorf("call %d has %d tokens, room is %d", i, n, guard.Room())
		}
	}
	last := m.Requests()[m.Count()-1].Messages[0].Content
	if !strings.Contains(last, "SUMMARY") {
		t.Errorf("the summary is not shown: %s", last)
	}
}
