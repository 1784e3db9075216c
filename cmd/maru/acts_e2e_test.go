package main

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"maru/adapters/discord/discordfake"
	"maru/adapters/slack/slackfake"
	"maru/agent/llm/llmtest"
)

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

// yesButton returns the label of the button that allows what a message asks for.
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

// tasks returns a model whose chat agent sees a task of several steps, and which plans it. acts
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
