package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"maru/adapters/discord/discordfake"
	"maru/adapters/slack/slackfake"
	"maru/agent/llm/llmtest"
)

// expert returns a model endpoint for the guide and the contract agent.
func expert(t *testing.T) *llmtest.Server {
	t.Helper()
	return llmtest.NewServer(t, func(r llmtest.Request) llmtest.Reply {
		switch schemaOf(r) {
		case "contract_evaluation":
			return llmtest.JSON(map[string]any{"enough": true, "missing_info": "", "unexplored": []string{}})
		case "guide_route":
			return llmtest.JSON(map[string]any{"is_complex_task": true, "reason": "test"})
		case "guide_plan":
			tasks := []map[string]string{{"title": "영상 편집", "detail": "완성 영상"}, {"title": "썸네일 만들기", "detail": ""}}
			if strings.Contains(r.Messages[0].Text(), "블로그로") {
				tasks = []map[string]string{{"title": "블로그 열기", "detail": ""}}
			}
			return llmtest.JSON(map[string]any{"sub_tasks": tasks})
		case "guide_recommendations":
			services := []map[string]any{
				{"sub_task": 1, "service": "DaVinci Resolve", "reason": "무료예요"}, {"sub_task": 2, "service": "Canva", "reason": "쉬워요"},
			}
			if strings.Contains(r.Messages[0].Text(), "1. 블로그 열기") {
				services = []map[string]any{{"sub_task": 1, "service": "WordPress.com", "reason": "오래 써요"}}
			}
			return llmtest.JSON(map[string]any{"recommendations": services})
		case "guide_reflection":
			return llmtest.JSON(map[string]any{"preferences": []any{}, "feedback": []any{}, "missing_tools": []any{}})
		}
		if len(r.Tools) > 0 && len(r.Messages) == 2 {
			return llmtest.CallTool("retrieve_docs", `{"query":"영상 편집"}`)
		}
		return llmtest.Text("내용은 이래요 [1].")
	})
}

func schemaOf(r llmtest.Request) string {
	if r.ResponseFormat == nil || r.ResponseFormat.JSONSchema == nil {
		return ""
	}
	return r.ResponseFormat.JSONSchema.Name
}

// card waits for a message of the bot with buttons and text, and returns it.
func (w *slackWorld) card(channel, root, text string) slackfake.Message {
	w.t.Helper()
	var found slackfake.Message
	err := w.slack.Wait(within(w.t, atMost), func() bool {
		for _, m := range w.slack.Replies(channel, root) {
			if len(m.Buttons()) > 0 && strings.Contains(m.Shown(), text) {
				found = m
				return true
			}
		}
		return false
	})
	if err != nil {
		w.t.Fatalf("no card with %q; the bot said %q", text, w.bots(channel, root))
	}
	return found
}

// shown waits until some message of the bot in a thread shows text.
func (w *slackWorld) shown(channel, root, text string) {
	w.t.Helper()
	err := w.slack.Wait(within(w.t, atMost), func() bool {
		for _, m := range w.slack.Messages(channel, root) {
			if m.User != "U1" && strings.Contains(m.Shown(), text) {
				return true
			}
		}
		return false
	})
	if err != nil {
		var all []string
		for _, m := range w.slack.Messages(channel, root) {
			all = append(all, m.Shown())
		}
		w.t.Fatalf("nothing shows %q: %q", text, all)
	}
}

const clickable = "요리 유튜브 채널을 시작하고 싶어요"

// TestGuideAsksOnSlack follows a goal over words, a kill -9 and a click to its
// guide.
func TestGuideAsksOnSlack(t *testing.T) {
	t.Parallel()
	w := newSlackWorld(t, expert(t), "MARU_AGENT=guide")
	w.start()
	root := w.slack.Say("U1", "C1", "<@UBOT> "+clickable, "")
	w.card("C1", root, "영상 편집")
	w.slack.Say("U1", "C1", "영상 말고 블로그로 해줘", root) // plain words change the plan
	w.card("C1", root, "블로그 열기")
	w.kill()
	w.start()
	c := w.card("C1", root, "블로그 열기")
	for range 2 { // the second click finds the question decided
		if _, err := w.slack.Click("U1", "C1", c.TS, "좋아요, 찾아줘요"); err != nil && !strings.Contains(err.Error(), "no button") {
			t.Logf("click: %v", err)
		}
	}
	w.shown("C1", root, "WordPress.com")
	n := 0
	for _, m := range w.slack.Messages("C1", root) {
		n += strings.Count(m.Shown(), "내용은 이래요")
	}
	if n != 1 {
		t.Errorf("the guide stands %d times", n)
	}
}

const contractText = "제1조(목적) 쇼핑몰 개발 용역.\n\n제2조(기간) 2027년 3월까지.\n\n제5조(대금)\n① 대금은 3,000만 원으로 한다.\n② 선금은 50퍼센트로 한다.\n"

// TestContractOfAThreadOnSlack uploads a contract and asks about it; the next
// questions, also after a restart, are about the same one.
func TestContractOfAThreadOnSlack(t *testing.T) {
	t.Parallel()
	steps := filepath.Join(t.TempDir(), "contract.db")
	w := newSlackWorld(t, expert(t), "MARU_AGENT=contract", "MARU_CONTRACT_CHECKPOINTS="+steps, "MARU_CONTRACT_PERSISTENCE=grouped")
	w.start()
	file := w.slack.AddFile(slackfake.File{Name: "개발 계약서.txt", MIME: "text/plain", Data: []byte(contractText)})
	root := w.slack.SayFiles("U1", "C1", "<@UBOT> 이 계약서 제5조 알려줘", "", file)
	w.await("C1", root, 1, "내용은 이래요")
	w.shown("C1", root, "개발 계약서")
	if err := w.stop(); err != nil {
		t.Errorf("stopped with %v", err)
	}
	w.start()
	w.slack.Say("U1", "C1", "제9조는 뭐야?", root)
	w.await("C1", root, 2, "「개발 계약서」에는 제9조가 없어요. 이 계약서에 있는 것은 제1조–제5조예요.")
	w.slack.Say("U1", "C1", "표준계약서 제10조의2 알려줘", root)
	w.await("C1", root, 3, "표준계약서(「표준 용역계약서」)의 내용이에요")
	if info, err := os.Stat(steps); err != nil || info.Size() == 0 {
		t.Errorf("its steps are not in its own file: %v", err)
	}
}

// raw returns all of a value that Discord was sent, as text.
func raw(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

var componentID = regexp.MustCompile(`"custom_id":"([^"]+)"`)

// TestGuideAsksOnDiscord edits the sub-tasks by hand in a form.
func TestGuideAsksOnDiscord(t *testing.T) {
	t.Parallel()
	unraced(t)
	w := newDiscordWorld(t, expert(t))
	w.env = append(w.env, "MARU_AGENT=guide")
	w.begin()
	q := w.discord.Say(w.user, w.general, w.discord.Mention()+" "+clickable)
	var card discordfake.Message
	err := w.discord.Await(within(t, atMost), func() bool {
		for _, m := range w.discord.BotMessages(q.ID) {
			if strings.Contains(raw(t, m), "영상 편집") && len(componentID.FindAllString(raw(t, m), -1)) >= 3 {
				card = m
				return true
			}
		}
		return false
	})
	if err != nil {
		t.Fatalf("no card: %v", w.discord.BotMessages(q.ID))
	}
	ids := componentID.FindAllStringSubmatch(raw(t, card), -1)
	token := w.discord.Click(w.user, q.ID, card.ID, ids[1][1]) // 수정
	var form string
	err = w.discord.Await(within(t, atMost), func() bool {
		form = raw(t, w.discord.Interaction(token))
		return strings.Contains(form, "sub_tasks")
	})
	if err != nil {
		t.Fatalf("no form opens: %s", form)
	}
	modal := w.discord.Interaction(token).Data
	if inner, ok := modal["data"].(map[string]any); ok {
		modal = inner
	}
	id, _ := modal["custom_id"].(string)
	w.discord.Submit(w.user, q.ID, id, map[string]string{"sub_tasks": "블로그 열기", "feedback": ""})
	err = w.discord.Await(within(t, atMost), func() bool {
		for _, m := range w.discord.BotMessages(q.ID) {
			if strings.Contains(raw(t, m), "WordPress.com") {
				return true
			}
		}
		return false
	})
	if err != nil {
		t.Errorf("no guide for the edited sub-tasks: %v", w.discord.BotMessages(q.ID))
	}
}

// TestContractOnDiscord asks about a shared contract with the built-in model
// alone.
func TestContractOnDiscord(t *testing.T) {
	t.Parallel()
	unraced(t)
	w := newDiscordWorld(t, expert(t))
	w.env = append(w.env, "MARU_AGENT=contract", "OPENAI_BASE_URL=")
	w.begin()
	file := w.discord.PutFile("개발 계약서.txt", "text/plain", []byte(contractText))
	q := w.discord.SayWith(w.user, w.general, w.discord.Mention()+" 이 계약서 제5조 알려줘", "", file)
	err := w.discord.Await(within(t, atMost), func() bool {
		for _, m := range w.discord.BotMessages(q.ID) {
			if strings.Contains(raw(t, m), "② 선금은 50퍼센트로 한다.") && strings.Contains(raw(t, m), "개발 계약서") {
				return true
			}
		}
		return false
	})
	if err != nil {
		t.Errorf("the article is not quoted: %v", w.discord.BotMessages(q.ID))
	}
}
