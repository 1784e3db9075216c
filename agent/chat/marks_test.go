package chat_test

import (
	"context"
	"strings"
	"testing"

	"maru/agent"
	"maru/agent/llm"
	"maru/agent/llm/llmtest"
	"maru/agent/tool"
	"maru/phrase"
)

func madeUp(values string) string { return phrase.Say("ko", "agent.made_up", values) }

// TestCardsMarkRememberedValues: a value that the person did not say in this conversation, and that memory has, is
// marked on the card.
func TestCardsMarkRememberedValues(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, fact, call, note string }{
		"remembered":          {"Kim에게 요약 보내 줘", "Kim is kim@example.com at work", toKim, "`to`에는 여기서 말씀하지 않은, 제가 기억하는 값이 들어 있어요 (예전): “Kim is kim@example.com at work”"},
		"within a text":       {"계좌를 알려 줘", "My account is 110-234-567890", `{"to":"팀장님","text":"계좌는 110-234-567890이에요."}`, "`text`에는 여기서"},
		"said here":           {"kim@example.com으로 요약 보내 줘", "Kim is kim@example.com at work", toKim, ""},
		"from somewhere":      {"Kim에게 요약 보내 줘", "likes short answers", toKim, madeUp("`to` “kim@example.com”")},
		"part of a word":      {"Kim에게 요약 보내 줘", "Kim is akim@example.com at work", toKim, madeUp("`to` “kim@example.com”")},
		"nothing remembered":  {"Kim에게 요약 보내 줘", "", toKim, madeUp("`to` “kim@example.com”")},
		"nobody said whom":    {"회의 요약을 보내 줘", "", `{"to":"Alice","text":"회의 요약, 1200원"}`, madeUp("`text` “회의 요약, 1200원”, `to` “Alice”")},
		"said in other words": {"배포 끝났다고 팀장님께 알려줘", "", `{"to":"팀장님","text":"The deployment has finished."}`, ""},
		"with another name":   {"배포 끝났다고 팀장님께 알려줘", "", `{"to":"팀장님","text":"Bob이 배포를 끝냈습니다."}`, madeUp("`text` “Bob이 배포를 끝냈습니다.”")},
		"given otherwise":     {"회의요약 좀 팀장님한테 보내줘", "", `{"to":"팀장님","text":"회의 요약"}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := llmtest.Func(func(_ int, req llm.Request) llmtest.Reply {
				if req.Purpose == llm.ForRoute {
					return route("agent")
				}
				return llmtest.CallTool("send_mail", c.call)
			})
			d := newDesk(t, m)
			d.knows = &rememberer{asked: make(chan struct{}, 8), fact: c.fact}
			d.restart(m)
			_, a := d.asks(d.asking(c.text))
			got := strings.Join(a.Notes, "\n")
			if (c.note == "") != (got == "") || !strings.HasPrefix(got, c.note) {
				t.Errorf("notes %q, want %q", got, c.note)
			}
		})
	}
}

// TestChangedToolKeepsTheMarks: a call that is shown again, since its tool is another one now, has its marks again.
func TestChangedToolKeepsTheMarks(t *testing.T) {
	t.Parallel()
	d := newDesk(t, llmtest.Script())
	d.knows = &rememberer{asked: make(chan struct{}, 8), fact: "Kim is kim@example.com at work"}
	d.described("posts a letter", route("agent"), llmtest.CallTool("post_letter", `{"to":"kim@example.com","text":"이사해요"}`))
	req := d.asking("Kim에게 이사한다고 편지를 부쳐줘")
	i, first := d.asks(req)
	d.more = []tool.Tool{letters{d.mail, "posts a letter and shreds the archive"}}
	d.restart(llmtest.Script())
	_, again := d.asks(decided(t, req, i, agent.Reply{Action: agent.VerbAccept}))
	mark := phrase.Say("ko", "agent.from_memory", "to", phrase.Say("ko", "agent.earlier"), "Kim is kim@example.com at work")
	for name, notes := range map[string][]string{"first": first.Notes, "again": again.Notes} {
		if got := strings.Join(notes, "\n"); !strings.Contains(got, mark) || strings.Contains(got, phrase.Say("ko", "agent.tool_changed")) != (name == "again") {
			t.Errorf("the %s card has the notes %q, want %q", name, got, mark)
		}
	}
}

// reader is the tool with which the model asks memory.
type reader struct{ fact string }

func (reader) Spec() tool.Spec {
	return tool.Spec{Name: "read_memory", Description: "tells what is known", Parameters: []byte(`{"type":"object","properties":{"query":{"type":"string"}}}`), Policy: tool.Policy{ReadOnly: true, Idempotent: true, Own: true}}
}

func (r reader) Call(context.Context, tool.Call) (tool.Result, error) {
	return tool.Result{Text: r.fact}, nil
}

// TestCardsMarkWhatTheModelLookedUpInMemory: a value that memory told when the model asked it is marked as remembered, with its day.
func TestCardsMarkWhatTheModelLookedUpInMemory(t *testing.T) {
	t.Parallel()
	const fact = "Kim is kim@example.com at work"
	d := newDesk(t, llmtest.Script())
	d.more = []tool.Tool{reader{fact}}
	d.knows = &rememberer{asked: make(chan struct{}, 8), fact: fact, only: "address"}
	d.restart(llmtest.Script(route("agent"), llmtest.CallTool("read_memory", `{"query":"mail address"}`), llmtest.CallTool("send_mail", toKim)))
	_, a := d.asks(d.asking("Kim에게 요약 보내 줘"))
	if want := phrase.Say("ko", "agent.from_memory", "to", phrase.Say("ko", "agent.earlier"), fact); len(a.Notes) != 1 || a.Notes[0] != want {
		t.Errorf("notes %q, want %q", a.Notes, want)
	}
}
