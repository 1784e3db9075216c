package chat_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"maru/agent"
	"maru/agent/llm"
	"maru/agent/llm/extractive"
	"maru/agent/llm/llmtest"
)

// talkOf returns a channel with n messages, each with its number in its words.
func talkOf(n int, more string) *agent.Talk {
	t := &agent.Talk{Place: "#general"}
	for i := range n {
		t.Posts = append(t.Posts, agent.Post{
			Link: fmt.Sprintf("https://chat.example/%d", i+1), Author: "Kim", At: time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC).Add(time.Duration(i) * 10 * time.Minute),
			Text: fmt.Sprintf("we ship build %d%s", i+1, more),
		})
	}
	return t
}

// TestAChannelIsSummarised: the model reads every message, by parts within eight calls where they do not fit one prompt; numbers
// become links, and the words of messages stay out of the trace and of later turns.
func TestAChannelIsSummarised(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		posts       int
		more        string
		calls       int
		says, wants string
	}{
		"one_prompt": {30, "", 1, "Build 3 ships [3]. Others too [1, 2][999]: arr[0] of [2024, 3].", "Build 3 ships [(Kim)](https://chat.example/3). Others too [(Kim)](https://chat.example/1)[(Kim)](https://chat.example/2)[999]: arr[0] of [2024, 3]."},
		"parts":      {1000, strings.Repeat(" and the pump is well", 8), 7, "All ship [1000].", "All ship [(Kim)](https://chat.example/1000)."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := llmtest.Func(func(_ int, req llm.Request) llmtest.Reply {
				if req.Purpose == llm.ForSummary {
					return llmtest.Text("notes [7]")
				}
				return llmtest.Text(c.says)
			})
			d := newDesk(t, m)
			req := d.request("what happened in #general since Monday?")
			req.Talk = talkOf(c.posts, c.more)
			res, events := d.ask(req)
			if res.Text != c.wants || streamed(events) != c.wants {
				t.Errorf("answer %q, shown %q", res.Text, streamed(events))
			}
			reqs := m.Requests()
			if len(reqs) != c.calls {
				t.Errorf("%d calls, want %d", len(reqs), c.calls)
			}
			read := ""
			for _, r := range reqs {
				read += promptOf(r)
			}
			for i := range c.posts {
				if !strings.Contains(read, fmt.Sprintf("[%d] ", i+1)) || !strings.Contains(read, fmt.Sprintf("Kim: we ship build %d", i+1)) {
					t.Fatalf("message %d is not read", i+1)
				}
			}
			if len(reqs[len(reqs)-1].Tools) > 0 {
				t.Error("tools are offered")
			}
			d.ask(d.request("thanks"))
			for _, r := range m.Requests()[c.calls:] {
				if strings.Contains(promptOf(r), "we ship build") {
					t.Error("a later turn has the words")
				}
			}
			for _, e := range events {
				if raw, _ := json.Marshal(e); strings.Contains(string(raw), "we ship build") {
					t.Errorf("the trace has %s", raw)
				}
				if e.Exchange == nil {
					continue
				}
				for _, s := range e.Exchange.Prompt {
					if raw, _ := json.Marshal(s); strings.Contains(string(raw), "we ship build") {
						t.Errorf("the stored prompt has %.200s", raw)
					}
				}
			}
		})
	}
}

// TestWithoutALanguageModelMessagesAreListed: the built-in model lists first lines by day in the person's zone, and says why.
func TestWithoutALanguageModelMessagesAreListed(t *testing.T) {
	t.Parallel()
	d := newDesk(t, extractive.New())
	req := d.request("이 채널 월요일부터 요약해줘")
	req.Talk, req.User.TimeZone = talkOf(200, ""), "Asia/Seoul"
	req.Talk.Posts[0].Text = "we ship build 1, see [3]"
	res, _ := d.ask(req)
	for _, want := range []string{"언어 모델이 없어서", "**2026-11-23**\n- Kim: we ship build 1, see (3) [(Kim)](https://chat.example/1)", "**2026-11-24**\n- Kim: we ship build 91 ", "그 밖에 85개"} {
		if !strings.Contains(res.Text, want) {
			t.Errorf("no %q in %s", want, res.Text)
		}
	}
}

// TestNotesAreOfTheMessagesThatAreRead: after the process died the channel is read again. Notes on the same messages are used
// again, those on others are not: their numbers mean other messages.
func TestNotesAreOfTheMessagesThatAreRead(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ gone, calls int }{"same": {0, 6}, "a_message_deleted": {1, 7}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dying, die := context.WithCancel(t.Context())
			d := newDesk(t, llmtest.Func(func(n int, _ llm.Request) llmtest.Reply {
				if n > 0 {
					die()
				}
				return llmtest.Text("notes [7]")
			}))
			req := d.request("what happened in #general since Monday?")
			req.Talk = talkOf(1000, strings.Repeat(" and the pump is well", 8))
			if _, err := d.agent.Run(dying, req, nil); err == nil {
				t.Fatal("the run survived")
			}
			m := llmtest.Func(func(int, llm.Request) llmtest.Reply { return llmtest.Text("notes [7]") })
			d.restart(m)
			req.Talk.Posts = req.Talk.Posts[c.gone:]
			d.ask(req)
			if got := len(m.Requests()); got != c.calls {
				t.Errorf("%d calls, want %d", got, c.calls)
			}
		})
	}
}
