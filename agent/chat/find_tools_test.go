package chat_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"maru/agent/llm"
	"maru/agent/llm/llmtest"
	"maru/agent/tool"
	"maru/phrase"
)

// plain is a tool that says one text.
type plain struct {
	spec  tool.Spec
	text  string
	calls int
}

func (p *plain) Spec() tool.Spec { return p.spec }

func (p *plain) Call(context.Context, tool.Call) (tool.Result, error) {
	p.calls++
	return tool.Result{Text: p.text}, nil
}

func named(name, does string) tool.Spec {
	return tool.Spec{
		Name: name, Description: does, Title: phrase.Raw(name), Policy: tool.Policy{ReadOnly: true},
		Parameters: json.RawMessage(`{"type":"object","properties":{"what":{"type":"string","description":"` + strings.Repeat("what it is about, ", 12) + `"}},"required":["what"],"additionalProperties":false}`),
	}
}

// TestSixtyToolsFitASmallContext: with 60 tools of long descriptions a prompt stays within 4,096
// tokens, of four bytes each; a tool that has no room is found by what is to be done, and called.
func TestSixtyToolsFitASmallContext(t *testing.T) {
	t.Parallel()
	zebra := &plain{spec: named("zebra_feeding", "Feeds the zebra of the zoo."), text: "fed"}
	finder := tool.NewRecommender(nil, slog.New(slog.DiscardHandler))
	more := []tool.Tool{zebra}
	for i := range 60 {
		more = append(more, &plain{spec: named(fmt.Sprintf("office_%02d", i), strings.Repeat("Does something for the office. ", 20))})
	}
	for _, one := range more {
		finder.Add(one.Spec())
	}
	var offered [][]string
	m := llmtest.Func(func(_ int, req llm.Request) llmtest.Reply {
		if req.Purpose == llm.ForRoute {
			return route("agent")
		}
		size := 0
		for _, msg := range req.Messages {
			size += len(msg.Content)
		}
		var names []string
		for _, one := range req.Tools {
			names = append(names, one.Name)
			size += len(one.Name) + len(one.Description) + len(one.Parameters) + 40
		}
		if size/4 > 3000 { // what is left is for the reply
			t.Errorf("prompt %d has about %d tokens with %d tools", len(offered), size/4, len(names))
		}
		switch offered = append(offered, names); len(offered) {
		case 1:
			return llmtest.CallTool("find_tools", `{"task":"feed the zebra"}`)
		case 2:
			return llmtest.CallTool("zebra_feeding", `{"what":"hay"}`)
		}
		return llmtest.Text("The zebra was fed.")
	})
	d := newDesk(t, m)
	d.more, d.finder = more, finder
	d.restart(m)
	res, _ := d.ask(d.request("What is for lunch?"))
	if res.Text != "The zebra was fed." || zebra.calls != 1 {
		t.Errorf("answer %q after %d calls", res.Text, zebra.calls)
	}
	if len(offered) != 3 || slices.Contains(offered[0], "zebra_feeding") || !slices.Contains(offered[0], "find_tools") || !slices.Contains(offered[1], "zebra_feeding") {
		t.Errorf("offered %v", offered)
	}
}
