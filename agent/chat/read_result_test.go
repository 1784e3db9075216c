package chat_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"maru/agent/llm"
	"maru/agent/llm/llmtest"
	"maru/agent/tool"
)

var reads = regexp.MustCompile(`read_result with (\{.*?\}) reads on`)

// TestLongResultsAreReadByPart: of a result that is larger than its share a prompt shows a part,
// and the model reads on to its end; nothing of it is lost.
func TestLongResultsAreReadByPart(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for i := range 700 {
		fmt.Fprintf(&text, "줄 %d: 부품 K%d은 선반 %d에 있어요.\n", i, i, i%40)
	}
	book := &plain{spec: named("parts_list", "Lists all parts."), text: text.String()}
	var read strings.Builder
	offered := false
	m := llmtest.Func(func(_ int, req llm.Request) llmtest.Reply {
		last := req.Messages[len(req.Messages)-1]
		switch {
		case req.Purpose == llm.ForRoute:
			return route("agent")
		case last.Role != llm.ToolRole:
			return llmtest.CallTool("parts_list", `{"what":"all"}`)
		}
		for _, msg := range req.Messages {
			if len(msg.Content) > 7<<10 {
				t.Errorf("a message of %d bytes", len(msg.Content))
			}
		}
		for _, one := range req.Tools {
			offered = offered || one.Name == "read_result"
		}
		body, _, _ := strings.Cut(last.Content, "\n[part ")
		read.WriteString(body + "\n")
		if next := reads.FindStringSubmatch(last.Content); next != nil && req.ToolChoice != "none" {
			return llmtest.CallTool("read_result", next[1])
		}
		return llmtest.Text("다 읽었어요.")
	})
	d := newDesk(t, m)
	d.more = []tool.Tool{book}
	d.rounds = 20
	d.restart(m)
	res, _ := d.ask(d.request("부품을 모두 읽어줘"))
	if res.Text != "다 읽었어요." || !offered || book.calls != 1 {
		t.Errorf("answer %q, read_result offered: %v, %d calls", res.Text, offered, book.calls)
	}
	got := strings.ReplaceAll(read.String(), "\n\n", "\n")
	if got != book.text {
		t.Errorf("%d bytes were read of %d", len(got), len(book.text))
	}
	res, _ = d.ask(d.request("다시")) // the next turn has its first part alone
	if res.Text == "" {
		t.Error("no answer")
	}
}
