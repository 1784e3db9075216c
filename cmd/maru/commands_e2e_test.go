package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode"

	"maru/bot"
	"maru/bot/command"
)

// commandCase is what a command is given and what it answers an admin.
type commandCase struct {
	args    string            // as typed
	options map[string]string // as chosen on a platform with typed options
	ko, en  string            // part of the answer
}

// commandCases has a case for every command of the table.
var commandCases = map[string]commandCase{
	"ask":       {"hello there", map[string]string{"question": "hello there"}, "답을 준비하고 있어요", "I'm working on your answer"},
	"docs":      {"list", map[string]string{"action": "list"}, "문서", "Documents"},
	"memory":    {"", nil, "기억", "remember"},
	"settings":  {"", nil, "답하는 에이전트", "Agent that answers"},
	"agent":     {"", nil, "지금 여기", "current"},
	"usage":     {"7", map[string]string{"days": "7"}, "최근 7일 사용량", "Usage of the last 7 days"},
	"status":    {"", nil, "차례를 기다리는 메시지", "Messages in the queue"},
	"audit":     {"nothing-like-it", map[string]string{"filter": "nothing-like-it"}, "맞는 기록이 없어요", "No entries match"},
	"why":       {"", nil, "아직 답한 것이 없어요", "I haven't answered anything"},
	"approve":   {"nosuchid", map[string]string{"id": "nosuchid"}, "회원님의 결정을 기다리는 요청이 없어요", "No pending question with that ID"},
	"reject":    {"nosuchid", map[string]string{"id": "nosuchid"}, "회원님의 결정을 기다리는 요청이 없어요", "No pending question with that ID"},
	"approvers": {"", nil, "질문한 사람", "the person who asked"},
	"tools":     {"list", map[string]string{"action": "list"}, "읽기만 해요", "only reads"},
	"schedule":  {"list", map[string]string{"action": "list"}, "여기에는 예약이 없어요", "Nothing is scheduled here"},
	"gaps":      {"", nil, "제대로 답하지 못한 질문", "Not answered well"},
	"token":     {"list", map[string]string{"action": "list"}, "토큰이 없어요", "You have no tokens"},
	"stop":      {"", nil, "하고 있는 일이 없어요", "Nothing is running here"},
	"accounts":  {"", nil, "본인 계정이 필요한 도구가 없어요", "No tool here needs an account"},
	"retry":     {"", nil, "미뤄 둔 일이 없어요", "nothing set aside here"},
	"redo":      {"2", map[string]string{"step": "2"}, "다시 할 수 있는 작업이 없어요", "There is no task here"},
	"reset":     {"", nil, "스레드가 아니어서", "This isn't a thread"},
	"sources":   {"", nil, "동기화하는 출처가 없어요", "No sources are kept in sync"},
	"forget":    {"me", map[string]string{"what": "me"}, "지운 것", "What I've forgotten"},
	"doctor":    {"", nil, "언어 모델", "language model"},
	"demo":      {"", nil, "다이렉트 메시지에서 데모를", "I've started the demo in our direct messages"},
	"help":      {"", nil, "저는 마루예요", "I'm Maru"},
}

// table returns the bot's table of commands.
func table(t *testing.T) []bot.Command {
	t.Helper()
	rows := command.Commands()
	for _, c := range rows {
		if _, ok := commandCases[c.Name]; !ok {
			t.Errorf("command %s has no case", c.Name)
		}
	}
	return rows
}

// bare returns a text without Markdown, which every platform writes its own way.
func bare(s string) string { return strings.NewReplacer("*", "", "`", "", "\\", "").Replace(s) }

// hasHangul reports whether a text has Korean in it.
func hasHangul(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.Is(unicode.Hangul, r) })
}

// TestSlackCommandsInBothLanguages gives every command in Slack as a Korean and
// as an English admin.
func TestSlackCommandsInBothLanguages(t *testing.T) {
	t.Parallel()
	unraced(t)
	w := newSlackWorld(t, brain(t), "MARU_ADMINS=U2")
	w.start()
	given := 0
	for _, c := range table(t) {
		for user, want := range map[string]string{"U1": commandCases[c.Name].ko, "U2": commandCases[c.Name].en} {
			if c.Name == "ask" { // it leaves a run behind, of which others tell
				continue
			}
			before := len(w.slack.Whispers(user))
			w.slack.Slash(user, "C2", "/maru", c.Name+" "+commandCases[c.Name].args)
			given++
			answered := func() string {
				var said strings.Builder
				for _, x := range w.slack.Whispers(user)[before:] {
					said.WriteString(bare(x.Shown()) + "\n")
				}
				return said.String()
			}
			if err := w.slack.Wait(within(t, atMost), func() bool { return strings.Contains(answered(), want) }); err != nil {
				t.Errorf("/maru %s as %s says %q, want %q", c.Name, user, answered(), want)
			}
		}
	}
	w.slack.Slash("U2", "C2", "/maru", "ask "+commandCases["ask"].args)
	if err := w.slack.Wait(within(t, atMost), func() bool {
		for _, m := range w.slack.Messages("C2", "") {
			for _, said := range w.bots("C2", m.TS) {
				if strings.Contains(said, "You said: hello there") {
					return true
				}
			}
		}
		return false
	}); err != nil {
		t.Error("/maru ask is not answered")
	}
	if given < 2*(len(commandCases)-1) {
		t.Errorf("%d commands given", given)
	}
}

// TestDiscordCommandsInBothLanguages does the same with Discord's own commands,
// which must be registered with words in both languages.
func TestDiscordCommandsInBothLanguages(t *testing.T) {
	t.Parallel()
	unraced(t)
	w := newDiscordWorld(t, brain(t))
	korean := w.discord.AddUser("영희")
	w.discord.SetLocale(korean, "ko")
	w.env = append(w.env, "MARU_ADMINS="+w.user+","+korean)
	w.begin()
	for _, c := range table(t) {
		root := "maru"
		if c.Admin {
			root = "maru-admin"
		}
		for user, want := range map[string]string{korean: commandCases[c.Name].ko, w.user: commandCases[c.Name].en} {
			if c.Name == "ask" {
				continue
			}
			token := w.discord.Slash(user, w.general, root, c.Name, commandCases[c.Name].options)
			shown := func() string {
				i := w.discord.Interaction(token)
				raw, err := json.Marshal([]any{i.Original, i.FollowUps})
				if err != nil {
					t.Fatal(err)
				}
				return bare(string(raw))
			}
			if err := w.discord.Await(within(t, atMost), func() bool { return strings.Contains(shown(), want) }); err != nil {
				t.Errorf("/%s %s as %s says %s, want %q", root, c.Name, user, shown(), want)
			}
		}
	}
	registered := map[string]string{}
	if err := w.discord.Await(within(t, atMost), func() bool {
		for _, root := range w.discord.Commands() {
			collect(root, registered)
		}
		return len(registered) > 0
	}); err != nil {
		t.Fatal("no command is registered")
	}
	for _, c := range table(t) {
		if got := registered[c.Name]; !hasHangul(got) || !hasHangul(c.Summary["ko"]) || c.Summary["en"] == "" {
			t.Errorf("command %s is registered in Korean as %q", c.Name, got)
		}
	}
}

// collect notes the Korean description of a registered command and of those
// below it.
func collect(node any, into map[string]string) {
	raw, err := json.Marshal(node)
	if err != nil {
		panic(err)
	}
	var c struct {
		Name         string            `json:"name"`
		Descriptions map[string]string `json:"description_localizations"`
		Options      []any             `json:"options"`
	}
	if json.Unmarshal(raw, &c) != nil {
		panic(fmt.Sprintf("no command: %s", raw))
	}
	into[c.Name] = c.Descriptions["ko"]
	for _, o := range c.Options {
		collect(o, into)
	}
}
