package main

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"maru/adapters/discord/discordfake"
	"maru/adapters/slack/slackfake"
	"maru/agent/llm/llmtest"
)

// input is a message as a platform sends it, and what the model must see of it.
type input struct {
	Name    string
	On      string         // the platform
	App     map[string]any // a message of another app, which the question is about
	Message map[string]any // members of the question's own message
	File    *struct{ Name, MIME, Text string }
	Where   string // "dm", else a channel
	Say     string // the question
	Wants   []string
	Reply   []string // what the person reads, of which the model says nothing
	NotRead []string `json:"notReply"`
}

func inputs(t *testing.T, name string) (out []input) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "inputs", name+".json"))
	must(t, "read", err)
	must(t, "decode", json.Unmarshal(data, &out))
	return out
}

// seenBy returns a model that answers each question with the same words.
func seenBy(t *testing.T) *llmtest.Server {
	t.Helper()
	return llmtest.NewServer(t, func(r llmtest.Request) llmtest.Reply {
		if r.ResponseFormat != nil {
			return llmtest.JSON(map[string]string{"route": "agent", "reason": "test", "file": "whole"})
		}
		return llmtest.Text("I have read it.")
	})
}

// TestInputs sends messages of the kinds that bots of others failed to understand, as Slack and Discord send them, and
// looks at what reached the model, or at what people are told where nothing can.
func TestInputs(t *testing.T) {
	t.Parallel()
	unraced(t)
	for _, kind := range []string{"beside_the_text", "words_of_the_request", "misleading_refusals", "left_out", "daily_messages", "app_messages"} {
		for on, begin := range map[string]func(*testing.T, *llmtest.Server) func(*testing.T, input) string{"slack": askOnSlack, "discord": askOnDiscord} {
			t.Run(kind+"_"+on, func(t *testing.T) {
				t.Parallel()
				model := seenBy(t)
				ask := begin(t, model)
				for _, in := range inputs(t, kind) {
					if in.On != on {
						continue
					}
					before := len(model.Chats())
					reply := ask(t, in)
					prompt := seenAfter(model, before)
					for _, want := range in.Wants {
						if !strings.Contains(prompt, want) {
							t.Errorf("%s: the model does not see %q: %s", in.Name, want, ending(prompt))
						}
					}
					for _, want := range in.Reply {
						if !strings.Contains(reply, want) {
							t.Errorf("%s: the reply does not say %q: %s", in.Name, want, reply)
						}
					}
					for _, not := range in.NotRead {
						if strings.Contains(reply, not) {
							t.Errorf("%s: the reply says %q: %s", in.Name, not, reply)
						}
					}
				}
			})
		}
	}
}

// seenAfter returns what a model saw after a number of requests.
func seenAfter(model *llmtest.Server, requests int) string {
	var out strings.Builder
	for _, chat := range model.Chats()[requests:] {
		for _, m := range chat.Messages {
			out.WriteString(m.Text() + "\n")
		}
	}
	return out.String()
}

func ending(s string) string { return s[max(0, len(s)-600):] }

// askOnSlack starts a program on Slack and returns how an input is asked there, and its reply.
func askOnSlack(t *testing.T, model *llmtest.Server) func(*testing.T, input) string {
	t.Helper()
	w := newSlackWorld(t, model)
	w.start()
	return func(t *testing.T, in input) string {
		t.Helper()
		var root string
		switch {
		case in.App != nil:
			root = w.slack.SayByApp("C1", "", in.App)
			w.slack.Say("U1", "C1", "<@UBOT> "+in.Say, root)
		case in.File != nil:
			f := w.slack.AddFile(slackfake.File{Name: in.File.Name, MIME: in.File.MIME, Data: []byte(in.File.Text)})
			root = w.slack.SayFiles("U1", "C1", "<@UBOT> "+in.Say, "", f)
		case in.Message != nil:
			root = w.slack.SayBeside("U1", "C1", "<@UBOT> "+in.Say, in.Message)
		default:
			root = w.slack.Say("U1", "C1", "<@UBOT> "+in.Say, "")
		}
		reply := ""
		must(t, in.Name, w.slack.Wait(within(t, atMost), func() bool {
			said := w.bots("C1", root)
			if len(said) == 0 {
				return false
			}
			reply = said[len(said)-1]
			return strings.Contains(reply, "I have read it") || len(in.Reply) > 0 && strings.Contains(reply, in.Reply[0])
		}))
		return reply
	}
}

// askOnDiscord starts a program on Discord and returns how an input is asked there, and its reply.
func askOnDiscord(t *testing.T, model *llmtest.Server) func(*testing.T, input) string {
	t.Helper()
	w := newDiscordWorld(t, model)
	w.begin()
	app := w.discord.AddBot("Monitor")
	said := map[string]int{} // messages of the bot in a channel before
	return func(t *testing.T, in input) string {
		t.Helper()
		place, question := w.general, strings.TrimSpace(w.discord.Mention()+" "+in.Say)
		if in.Where == "dm" {
			place, question = w.discord.DM(w.user), in.Say
		}
		var id string
		switch {
		case in.App != nil:
			content, _ := in.App["content"].(string)
			beside := maps.Clone(in.App)
			delete(beside, "content")
			m := w.discord.SayBeside(app, place, content, beside)
			id = w.discord.Reply(w.user, place, question, m.ID).ID
		case in.Message != nil:
			content, _ := in.Message["content"].(string)
			beside := maps.Clone(in.Message)
			delete(beside, "content")
			id = w.discord.SayBeside(w.user, place, strings.Replace(content, "@ ", w.discord.Mention()+" ", 1), beside).ID
		case in.File != nil:
			id = w.discord.SayWith(w.user, place, question, "", w.discord.PutFile(in.File.Name, in.File.MIME, []byte(in.File.Text))).ID
		default:
			id = w.discord.Say(w.user, place, question).ID
		}
		if in.Where == "dm" {
			id = place
		}
		reply := ""
		err := w.discord.Await(within(t, atMost), func() bool {
			all := w.discord.BotMessages(id)
			if len(all) <= said[id] {
				return false
			}
			reply = shownOn(all[said[id]:])
			return strings.Contains(reply, "I have read it") || len(in.Reply) > 0 && strings.Contains(reply, in.Reply[0])
		})
		if err != nil {
			t.Fatalf("%s: no answer: %q", in.Name, reply)
		}
		said[id] = len(w.discord.BotMessages(id))
		return reply
	}
}

func shownOn(all []discordfake.Message) string {
	var out []string
	for _, m := range all {
		out = append(out, m.Content)
	}
	return strings.Join(out, "\n")
}
