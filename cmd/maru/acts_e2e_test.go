package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"maru/adapters/discord/discordfake"
	"maru/adapters/slack/slackfake"
	"maru/agent/llm/llmtest"
)

// clerk is an MCP server whose tools all change something. Its entry has no policy.
type clerk struct {
	*httptest.Server

	mu    sync.Mutex
	calls []string // name and arguments
}

func newClerk(t *testing.T) *clerk {
	t.Helper()
	o := &clerk{}
	s := mcp.NewServer(&mcp.Implementation{Name: "office", Version: "1"}, nil)
	for name, fields := range map[string][]string{
		"create_issue": {"title", "labels"}, "send_mail": {"to", "text"}, "add_event": {"title", "when"},
		"edit_page": {"page", "text"}, "post_notice": {"channel", "text"},
	} {
		properties := map[string]any{}
		for _, f := range fields {
			properties[f] = map[string]string{"type": "string"}
		}
		schema, err := json.Marshal(map[string]any{"type": "object", "properties": properties, "required": fields[:1], "additionalProperties": false})
		if err != nil {
			t.Fatal(err)
		}
		s.AddTool(&mcp.Tool{Name: name, Description: name, InputSchema: json.RawMessage(schema)},
			func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				o.mu.Lock()
				defer o.mu.Unlock()
				o.calls = append(o.calls, name+" "+string(r.Params.Arguments))
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "ok"}}}, nil
			})
	}
	o.Server = httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, nil))
	t.Cleanup(o.Close)
	return o
}

// made returns the calls in alphabetical order.
func (o *clerk) made() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Sorted(slices.Values(o.calls))
}

// config is the variable of a settings file with this server.
func (o *clerk) config(t *testing.T) string {
	t.Helper()
	return "MARU_CONFIG=" + serversFile(t, `mcp: [{name: office, url: "`+o.URL+`"}]`)
}

// request is something that people ask a bot to do, and the call that does it.
type request struct{ say, tool, args, shown string }

// requests are twenty, ten of them Korean.
var requests = func() []request {
	list := []request{
		{say: "file a bug for this: the login page is blank on Safari", tool: "create_issue", args: `{"title":"Login page is blank on Safari","labels":"bug"}`},
		{say: "send Kim the summary", tool: "send_mail", args: `{"to":"kim@example.com","text":"Summary: we ship on Friday."}`},
		{say: "put the retro on Friday at three in the calendar", tool: "add_event", args: `{"title":"Retro","when":"Friday 15:00"}`},
		{say: "add the new door code to the office page", tool: "edit_page", args: `{"page":"office","text":"The door code has changed."}`},
		{say: "tell #general that the lift is out of order", tool: "post_notice", args: `{"channel":"general","text":"The lift is out of order."}`},
		{say: "open a ticket: the invoice export times out", tool: "create_issue", args: `{"title":"Invoice export times out"}`},
		{say: "mail the vendor that we accept the quote", tool: "send_mail", args: `{"to":"vendor@example.com","text":"We accept the quote."}`},
		{say: "schedule the design review for Monday ten o'clock", tool: "add_event", args: `{"title":"Design review","when":"Monday 10:00"}`},
		{say: "correct the phone number on the contacts page", tool: "edit_page", args: `{"page":"contacts","text":"Reception: 1234"}`},
		{say: "announce in #dev that main is frozen", tool: "post_notice", args: `{"channel":"dev","text":"main is frozen"}`},
		{say: "이거 버그로 등록해 줘: 결제 버튼이 두 번 눌려요", tool: "create_issue", args: `{"title":"결제 버튼이 두 번 눌림","labels":"버그"}`},
		{say: "김 대리에게 회의 요약을 메일로 보내 줘", tool: "send_mail", args: `{"to":"kim.dr@example.com","text":"회의 요약: 금요일에 배포해요."}`},
		{say: "다음 주 화요일 두 시에 주간 회의 잡아 줘", tool: "add_event", args: `{"title":"주간 회의","when":"화요일 14:00"}`},
		{say: "온보딩 문서에 새 와이파이 안내를 넣어 줘", tool: "edit_page", args: `{"page":"온보딩","text":"와이파이 이름이 바뀌었어요."}`},
		{say: "공지 채널에 오늘 저녁 점검이 있다고 알려 줘", tool: "post_notice", args: `{"channel":"공지","text":"오늘 저녁에 점검이 있어요."}`},
		{say: "앱이 느리다는 문의를 티켓으로 만들어 줘", tool: "create_issue", args: `{"title":"앱이 느리다는 문의"}`},
		{say: "거래처에 견적을 받아들인다고 회신해 줘", tool: "send_mail", args: `{"to":"partner@example.com","text":"견적을 받아들이겠습니다."}`},
		{say: "금요일 점심에 팀 회식을 캘린더에 추가해 줘", tool: "add_event", args: `{"title":"팀 회식","when":"금요일 12:00"}`},
		{say: "휴가 안내 페이지의 담당자를 이수진으로 바꿔 줘", tool: "edit_page", args: `{"page":"휴가 안내","text":"담당자: 이수진"}`},
		{say: "개발 채널에 배포가 끝났다고 올려 줘", tool: "post_notice", args: `{"channel":"개발","text":"배포가 끝났어요."}`},
	}
	for i, r := range list {
		var values map[string]string
		if err := json.Unmarshal([]byte(r.args), &values); err != nil {
			panic(err)
		}
		for _, v := range values { // the longest value is on the card and names the request
			if len(v) > len(list[i].shown) {
				list[i].shown = v
			}
		}
	}
	return list
}()

// wanted are the calls that the requests ask for.
func wanted() []string {
	var out []string
	for _, r := range requests {
		out = append(out, r.tool+" "+r.args)
	}
	return slices.Sorted(slices.Values(out))
}

// obeys is a model that does what it is asked with the tool for it.
func obeys(t *testing.T) *llmtest.Server {
	t.Helper()
	return llmtest.NewServer(t, obeyed)
}

func obeyed(r llmtest.Request) llmtest.Reply {
	if r.ResponseFormat != nil {
		return llmtest.JSON(map[string]string{"route": "agent", "reason": "test"})
	}
	if r.Messages[len(r.Messages)-1].Role == "tool" {
		return llmtest.Text("That is all.")
	}
	for _, q := range requests {
		if strings.Contains(lastSaid(r), q.say) {
			return llmtest.CallTool("office_"+q.tool, q.args)
		}
	}
	return llmtest.Text("?")
}

// TestChatActsOnSlack has the default agent do twenty things. Each is shown as it will
// be; nothing is done until somebody allows it, and then once, although the program is
// killed between card and click, and every click comes twice.
func TestChatActsOnSlack(t *testing.T) {
	t.Parallel()
	o, model := newClerk(t), obeys(t)
	w := newSlackWorld(t, model, o.config(t))
	w.start()
	var roots []string
	for _, r := range requests {
		roots = append(roots, w.slack.Say("U1", "C1", "<@UBOT> "+r.say, ""))
	}
	for i, r := range requests {
		w.withButton(roots[i], yesButton(r.say), r.shown)
	}
	if made := o.made(); len(made) > 0 {
		t.Fatalf("done without a yes: %q", made)
	}
	w.kill()
	w.start()
	for i, r := range requests {
		m := w.withButton(roots[i], yesButton(r.say), r.shown)
		for range 2 {
			if _, err := w.slack.Click("U1", "C1", m.TS, yesButton(r.say)); err != nil && !strings.Contains(err.Error(), "no button") {
				t.Fatal(err)
			}
		}
	}
	for i, r := range requests {
		w.await("C1", roots[i], 2, "That is all.") // a message of its own: nobody is notified of edits
		w.await("C1", roots[i], 2, r.shown)        // the answer says with what it was done
	}
	if got := o.made(); !slices.Equal(got, wanted()) {
		t.Errorf("done: %q", got)
	}
	calls := slices.DeleteFunc(model.Chats(), func(r llmtest.Request) bool { // learning comes after the answer
		return r.ResponseFormat != nil && r.ResponseFormat.JSONSchema.Name == "reflection"
	})
	if len(calls) != 2*len(requests) { // call, answer, over the kill; no document is in reach, and no route is asked for
		t.Errorf("%d model calls for %d requests", len(calls), len(requests))
	}
}

// yesButton is the label of the button that allows what a message asks for.
func yesButton(said string) string {
	if strings.ContainsFunc(said, func(r rune) bool { return r >= '가' && r <= '힣' }) {
		return "승인"
	}
	return "Approve"
}

// TestChatActsOnDiscord does the same on Discord.
func TestChatActsOnDiscord(t *testing.T) {
	t.Parallel()
	unraced(t)
	o := newClerk(t)
	w := newDiscordWorld(t, obeys(t), o.config(t))
	w.begin()
	var threads []string
	for _, r := range requests {
		threads = append(threads, w.discord.Say(w.user, w.general, w.discord.Mention()+" "+r.say).ID)
	}
	for i, r := range requests {
		w.showing(threads[i], yesButton(r.say), r.shown)
	}
	w.kill()
	w.begin()
	for i, r := range requests {
		m := w.showing(threads[i], yesButton(r.say), r.shown)
		for range 2 {
			w.discord.Click(w.user, threads[i], m.ID, buttonID(m.Components, yesButton(r.say)))
		}
	}
	for i, r := range requests {
		if err := w.discord.Await(within(t, atMost), func() bool {
			return slices.ContainsFunc(w.discord.BotMessages(threads[i]), func(m discordfake.Message) bool {
				return strings.Contains(m.Text(), "That is all.") && strings.Contains(m.Text(), r.shown)
			})
		}); err != nil {
			t.Fatalf("no answer to %q: %s", r.say, mustJSON(t, w.discord.BotMessages(threads[i])))
		}
	}
	if got := o.made(); !slices.Equal(got, wanted()) {
		t.Errorf("done: %q", got)
	}
}

// TestChatActsOnTheWeb does the same in the console, deciding over HTTP.
func TestChatActsOnTheWeb(t *testing.T) {
	t.Parallel()
	unraced(t)
	o := newClerk(t)
	p := newProgram(t, "OPENAI_BASE_URL="+obeys(t).URL, "OPENAI_MODEL=test", o.config(t))
	p.start()
	thread := func(i int) string { return fmt.Sprintf("t%d", i) }
	runs := make([]string, len(requests))
	for i, r := range requests {
		p.tell(thread(i), r.say)
	}
	for i := range requests {
		runs[i] = p.asked(thread(i))
	}
	p.kill()
	p.start()
	for i, r := range requests {
		p.follow(runs[i])("HUMAN_INPUT_REQUIRED", r.shown)
		for n, want := range []int{http.StatusOK, http.StatusConflict} {
			if code := p.api("POST", "/api/runs/"+runs[i]+"/approve", strings.NewReader(`{"action":"approve"}`), "application/json", nil); code != want {
				t.Errorf("decision %d about %q: %d", n+1, r.say, code)
			}
		}
	}
	for i, r := range requests {
		p.hears(thread(i), 2, "That is all.")
		p.hears(thread(i), 2, r.shown)
	}
	if got := o.made(); !slices.Equal(got, wanted()) {
		t.Errorf("done: %q", got)
	}
}

// TestChatActsWhereNobodyDecides: with the questions off, and where a question is asked
// once and the program ends, nothing is done, and that is said.
func TestChatActsWhereNobodyDecides(t *testing.T) {
	t.Parallel()
	unraced(t)
	o := newClerk(t)
	p := newProgram(t, "OPENAI_BASE_URL="+obeys(t).URL, "OPENAI_MODEL=test", o.config(t), "ENABLE_HITL=false")
	p.start()
	p.tell("t", requests[11].say)
	p.hears("t", 2, "승인이 필요한 도구라서 여기서는 실행하지 않았어요")
	if made := o.made(); len(made) > 0 {
		t.Errorf("done without a yes: %q", made)
	}
}

// tasks is a model whose chat agent sees a task of several steps, and which plans it. acts
// says that it calls a tool before it answers.
func tasks(t *testing.T, acts bool) *llmtest.Server {
	t.Helper()
	return llmtest.NewServer(t, func(r llmtest.Request) llmtest.Reply {
		if f := r.ResponseFormat; f != nil {
			switch f.JSONSchema.Name {
			case "route":
				wants := "answer"
				if strings.Contains(lastSaid(r), "이슈로") {
					wants = "task"
				}
				return llmtest.JSON(map[string]string{"route": "agent", "reason": "test", "wants": wants})
			case "clarity":
				return llmtest.JSON(map[string]any{"score": 0.9, "questions": []any{}})
			case "plan":
				step := func(text, tool string) map[string]string {
					return map[string]string{"text": text, "detail": "", "tool": tool}
				}
				return llmtest.JSON(map[string]any{"title": "이슈와 공지", "why": "차례로 해요.", "steps": []any{step("이슈 만들기", "office_create_issue"), step("공지 올리기", "office_post_notice")}})
			}
			return planning(f.JSONSchema.Name, r.Messages[0].Text())
		}
		if !strings.Contains(lastSaid(r), "이슈") && !strings.Contains(lastSaid(r), "공지") {
			return llmtest.Text("기억할게요.")
		}
		for _, tool := range r.Tools {
			switch last := r.Messages[len(r.Messages)-1]; {
			case last.Role == "tool", len(r.Tools) > 1 && !acts:
			case tool.Function.Name == "office_create_issue":
				return llmtest.CallTool("office_create_issue", `{"title":"결제 오류"}`)
			case len(r.Tools) == 1:
				return llmtest.CallTool(tool.Function.Name, `{"channel":"개발","text":"결제 오류를 등록했어요."}`)
			}
		}
		return llmtest.Text("끝났어요.")
	})
}

// TestChatActsAsATask hands a message over to the orchestrator: from the card of its first
// call, and from an answer, over a kill -9 each time.
func TestChatActsAsATask(t *testing.T) {
	t.Parallel()
	for name, acts := range map[string]bool{"on_the_card": true, "on_the_answer": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o, model := newClerk(t), tasks(t, acts)
			w := newSlackWorld(t, model, o.config(t))
			w.start()
			root := w.slack.Say("U1", "C1", "<@UBOT> 담당자는 누리예요", "")
			w.await("C1", root, 1, "기억할게요.")
			file := w.slack.AddFile(slackfake.File{Name: "payment.md", MIME: "text/markdown", Data: []byte("# 결제 오류\n\n버튼이 두 번 눌려요.")})
			w.slack.SayFiles("U1", "C1", "<@UBOT> 이 파일의 결제 오류를 이슈로 만들고 개발 채널에 공지해 줘", root, file)
			press := func(label, shown string) {
				t.Helper()
				m := w.withButton(root, label, shown)
				w.kill()
				w.start()
				for range 2 {
					if _, err := w.slack.Click("U1", "C1", m.TS, label); err != nil && !strings.Contains(err.Error(), "no button") {
						t.Fatal(err)
					}
				}
			}
			press("작업으로 진행하기", "")
			press("승인", "이슈와 공지")
			press("승인", "2단계 중 1단계")
			press("승인", "결제 오류를 등록했어요.")
			w.shown("C1", root, "2단계 중 2단계 성공")
			if !slices.ContainsFunc(model.Chats(), func(r llmtest.Request) bool {
				prompt := string(mustJSON(t, r.Messages))
				return r.ResponseFormat != nil && r.ResponseFormat.JSONSchema.Name == "plan" && strings.Contains(prompt, "누리") && strings.Contains(prompt, "payment.md")
			}) {
				t.Error("the plan was made without the thread or the file")
			}
			want := []string{`create_issue {"title":"결제 오류"}`, `post_notice {"channel":"개발","text":"결제 오류를 등록했어요."}`}
			if got := o.made(); !slices.Equal(got, want) {
				t.Errorf("done: %q", got)
			}
		})
	}
}

// TestChatActsAsDecided has one thing done as a person changes it in the card's form, over
// a kill -9 between card and form; one refused by words, whose reason the model reads; one
// changed by words, which is shown again before it runs; and one for which two must agree.
func TestChatActsAsDecided(t *testing.T) {
	t.Parallel()
	unraced(t)
	const mail = `{"to":"kim.dr@example.com","text":"회의 요약: 금요일에 배포해요."}`
	for name, c := range map[string]struct {
		env    []string
		decide func(w *slackWorld, root string, m slackfake.Message)
		made   string
		ends   string
	}{
		"form": {nil, func(w *slackWorld, root string, m slackfake.Message) {
			w.press("U1", m, "수정")
			view, ok := w.slack.LastView() // is opened after the click is acknowledged
			for deadline := time.Now().Add(atMost); !ok || !strings.Contains(string(view.Body), "kim.dr@example.com"); view, ok = w.slack.LastView() {
				if time.Now().After(deadline) {
					w.t.Fatalf("no form with the values: %s", view.Body)
				}
				time.Sleep(20 * time.Millisecond)
			}
			w.kill()
			w.start()
			if _, err := w.slack.Submit("U1", view.ID, map[string]string{"to": "lee@example.com", "text": "회의 요약"}); err != nil {
				w.t.Fatal(err)
			}
		}, `send_mail {"text":"회의 요약","to":"lee@example.com"}`, "lee@example.com"},
		"refused": {nil, func(w *slackWorld, root string, _ slackfake.Message) {
			w.slack.Say("U1", "C1", "아니요", root)
		}, "", "거절돼서 실행하지 않았어요"},
		"words": {nil, func(w *slackWorld, root string, _ slackfake.Message) {
			w.slack.Say("U1", "C1", "받는 사람을 lee@example.com으로 바꿔 줘", root)
			again := w.withButton(root, "승인", "lee@example.com")
			w.kill()
			w.start()
			w.press("U1", again, "승인")
		}, `send_mail {"to":"lee@example.com","text":"회의 요약: 금요일에 배포해요."}`, "lee@example.com"},
		"two_people": {[]string{"MARU_TWO_PEOPLE=true", "MARU_APPROVERS=U2"}, func(w *slackWorld, root string, m slackfake.Message) {
			w.press("U3", m, "승인") // may not
			w.press("U1", m, "승인")
			half := w.withButton(root, "승인", "지금 1명이 동의했고")
			w.kill()
			w.start()
			w.press("U1", half, "승인") // is one person still
			w.press("U2", half, "승인")
		}, "send_mail " + mail, "kim.dr@example.com"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newClerk(t)
			model := llmtest.NewServer(t, func(r llmtest.Request) llmtest.Reply {
				last := r.Messages[len(r.Messages)-1]
				switch {
				case r.ResponseFormat != nil:
					return llmtest.JSON(map[string]string{"route": "agent", "reason": "test"})
				case last.Role == "tool" && strings.Contains(last.Text(), "받는 사람을 lee"):
					return llmtest.CallTool("office_send_mail", strings.ReplaceAll(mail, "kim.dr", "lee"))
				case last.Role == "tool":
					return llmtest.Text("That is all.")
				}
				return llmtest.CallTool("office_send_mail", mail)
			})
			w := newSlackWorld(t, model, append(c.env, o.config(t))...)
			w.start()
			root := w.slack.Say("U1", "C1", "<@UBOT> 김 대리에게 회의 요약을 메일로 보내 줘", "")
			c.decide(w, root, w.withButton(root, "승인", "kim.dr@example.com"))
			w.shown("C1", root, "That is all.")
			w.shown("C1", root, c.ends)
			if made := strings.Join(o.made(), "|"); made != c.made {
				t.Errorf("done: %q", made)
			}
		})
	}
}

// TestChatActsFromTheTerminal: `maru ask` prints the question, says where it can be decided
// and ends with a code of its own; there a word decides it.
func TestChatActsFromTheTerminal(t *testing.T) {
	t.Parallel()
	unraced(t)
	env := []string{"DATA_DIR=" + t.TempDir(), "LANG=ko_KR.UTF-8", "MARU_HANDBOOK=false"}
	if code, out, _ := runHere(t, "", env, "ask", "/settings set channel tools_ask calculator"); code != exitOK {
		t.Fatal(out)
	}
	code, out, why := runHere(t, "", env, "ask", "--thread", "sums", "123*456은?")
	if code != exitFailed || !strings.Contains(out, "123*456") || strings.Contains(out, "56088") || !strings.Contains(why, "maru chat --thread sums") {
		t.Fatalf("exit %d, %q, %q", code, out, why)
	}
	if code, out, _ = runHere(t, "승인\n", env, "chat", "--thread", "sums"); code != exitOK || !strings.Contains(out, "123 * 456 = 56088") {
		t.Errorf("exit %d, %q", code, out)
	}
}
