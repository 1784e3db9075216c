package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"maru/adapters/slack/slackfake"
	"maru/agent/llm/llmtest"
)

// secretWords are words of a message that no file of the program may hold.
const secretWords = "zeppelin hangar"

// linkOf matches the address of a message in a tool's result.
var linkOf = regexp.MustCompile(`\((http[^)\s]+)\)`)

// reader returns a model that searches messages for what it is asked, and answers with the link of each that it could read:
// its own words, not theirs.
func reader(t *testing.T, before func(answer *llmtest.Reply, read string)) *llmtest.Server {
	t.Helper()
	return llmtest.NewServer(t, func(r llmtest.Request) llmtest.Reply {
		if r.ResponseFormat != nil {
			return llmtest.JSON(map[string]string{"route": "agent", "reason": "test"})
		}
		last := r.Messages[len(r.Messages)-1]
		if last.Role == "tool" {
			out := llmtest.Text("I could not read any. " + lineAfter(last.Text(), "For the person: "))
			if strings.Contains(last.Text(), "  > ") {
				out = llmtest.Text("I read of it.")
			}
			for _, m := range linkOf.FindAllStringSubmatch(last.Text(), -1) {
				out.Text += " [there](" + m[1] + ")"
			}
			if before != nil {
				before(&out, last.Text())
			}
			return out
		}
		for _, tool := range r.Tools {
			if tool.Function.Name == "search_messages" {
				return llmtest.CallTool("search_messages", `{"query":"launch 출시"}`)
			}
		}
		return llmtest.Text("There is no tool.")
	})
}

// lineAfter returns what is behind a mark on its line, "" without it.
func lineAfter(text, mark string) string {
	_, after, _ := strings.Cut(text, mark)
	line, _, _ := strings.Cut(after, "\n")
	return line
}

// newSearchWorld returns a workspace with public channels, a private one, and a guest in C4.
func newSearchWorld(t *testing.T, o slackfake.Options, env ...string) *slackWorld {
	t.Helper()
	s := slackfake.Start(t, o)
	s.AddUser(slackfake.User{ID: "U4", Name: "guest", Guest: true})
	s.AddChannel(slackfake.Channel{ID: "C3", Name: "launch", Members: []string{"U2", "U3"}})
	s.AddChannel(slackfake.Channel{ID: "C4", Name: "partners", Members: []string{"UBOT", "U1", "U4"}})
	s.AddChannel(slackfake.Channel{ID: "C5", Name: "board", Private: true, Members: []string{"UBOT", "U1", "U2"}})
	env = append([]string{"SLACK_BOT_TOKEN=" + s.BotToken(), "SLACK_APP_TOKEN=" + s.AppToken(), "SLACK_API_URL=" + s.URL()}, env...)
	return &slackWorld{program: newProgram(t, env...), slack: s}
}

// address returns that of a message.
func (w *slackWorld) address(channel, ts string) string {
	return strings.TrimSuffix(w.slack.URL(), "/api/") + "/archives/" + channel + "/p" + strings.ReplaceAll(ts, ".", "")
}

// holds reports which files of the program's data hold words, and whether its log does, which says everything.
func (p *program) holds(words string) (files []string) {
	p.t.Helper()
	err := filepath.WalkDir(p.dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return nil //nolint:nilerr // a file that went away holds nothing
		}
		data, err := os.ReadFile(path)
		if err == nil && strings.Contains(string(data), words) {
			files = append(files, path)
		}
		return nil
	})
	must(p.t, "read the data", err)
	p.mu.Lock()
	defer p.mu.Unlock()
	if strings.Contains(p.log.String(), words) {
		files = append(files, "the log")
	}
	return files
}

// TestSlackMessagesAreSearched asks what people said: in a thread public messages alone answer, in a direct message also
// those of private channels that the scopes allow, among guests none, and where Slack refuses the answer says why.
func TestSlackMessagesAreSearched(t *testing.T) {
	t.Parallel()
	const all = "chat:write,search:read.public,search:read.private"
	for name, c := range map[string]struct {
		options  slackfake.Options
		channel  string
		question string
		public   bool   // the public message is found
		private  bool   // the private one is
		says     string // the answer has it
	}{
		"thread":                   {slackfake.Options{Scopes: all}, "C1", "<@UBOT> what did Bob say about the launch?", true, false, "I read of it."},
		"private_channel_is_place": {slackfake.Options{Scopes: all}, "C5", "<@UBOT> what did Bob say about the launch?", true, false, "I read of it."},
		"direct_korean":            {slackfake.Options{Scopes: all}, "D1", "출시에 대해 누가 뭐라고 했어?", true, true, "I read of it."},
		"direct_without_consent":   {slackfake.Options{Scopes: "chat:write,search:read.public"}, "D1", "who said what about the launch?", true, false, "I read of it."},
		"among_guests":             {slackfake.Options{Scopes: all}, "C4", "<@UBOT> 출시에 대해 누가 뭐라고 했어?", false, false, "게스트"},
		"no_scope":                 {slackfake.Options{Scopes: "chat:write"}, "C1", "<@UBOT> 출시에 대해 누가 뭐라고 했어?", false, false, "search:read.public"},
		"no_plan":                  {slackfake.Options{NoSearch: true}, "C1", "<@UBOT> 출시에 대해 누가 뭐라고 했어?", false, false, "Real-time Search API"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newSearchWorld(t, c.options, "OPENAI_BASE_URL="+reader(t, nil).URL, "OPENAI_MODEL=test")
			public := w.address("C3", w.slack.Say("U3", "C3", "the launch (출시) is on Friday, "+secretWords, ""))
			private := w.address("C5", w.slack.Say("U2", "C5", "the launch (출시) costs a million, "+secretWords, ""))
			w.start()
			root := w.slack.Say("U1", c.channel, c.question, "")
			w.await(c.channel, root, 1, c.says)
			answer := strings.Join(w.asShown(c.channel, root), "\n")
			if strings.Contains(answer, public) != c.public || strings.Contains(answer, private) != c.private {
				t.Errorf("public %v, private %v: %s", c.public, c.private, answer)
			}
			if files := w.holds(secretWords); len(files) > 0 {
				t.Errorf("the words are kept in %v", files)
			}
			must(t, "stop", w.stop())
			if kept := w.prompts(); strings.Contains(kept, secretWords) || !strings.Contains(kept, "search_messages") {
				t.Errorf("of the prompts is kept %.4000s", kept)
			}
		})
	}
}

// asShown returns what the bot's messages of a thread show, with their links.
func (w *slackWorld) asShown(channel, thread string) (out []string) {
	for _, m := range w.slack.Replies(channel, thread) {
		out = append(out, m.Text+string(m.Blocks))
	}
	return out
}

// TestSlackSearchOverAKill kills the program between the search and the answer: the messages are fetched again, one that
// was deleted meanwhile is not told of, and no file holds their words at any time.
func TestSlackSearchOverAKill(t *testing.T) {
	t.Parallel()
	read := make(chan string, 8)
	hold := make(chan struct{})
	first := make(chan struct{}, 1)
	first <- struct{}{}
	t.Cleanup(func() { close(hold) })
	model := reader(t, func(answer *llmtest.Reply, result string) {
		read <- result
		select {
		case <-first:
			answer.Wait = hold
		default:
		}
	})
	w := newSearchWorld(t, slackfake.Options{}, "OPENAI_BASE_URL="+model.URL, "OPENAI_MODEL=test")
	stays := w.slack.Say("U3", "C3", "the launch is on Friday, "+secretWords, "")
	goes := w.slack.Say("U2", "C3", "the launch is on Monday, airship shed", "")
	w.start()
	root := w.slack.Say("U1", "C1", "<@UBOT> who said what about the launch?", "")
	if got := <-read; !strings.Contains(got, secretWords) || !strings.Contains(got, "airship shed") {
		t.Errorf("the model read %s", got)
	}
	w.kill()
	for _, words := range []string{secretWords, "airship shed"} {
		if files := w.holds(words); len(files) > 0 {
			t.Errorf("%q is kept in %v", words, files)
		}
	}
	w.slack.Erase("C3", goes)
	w.start()
	if got := <-read; !strings.Contains(got, secretWords) || strings.Contains(got, "airship shed") || !strings.Contains(got, "deleted since") {
		t.Errorf("after the kill the model read %s", got)
	}
	w.await("C1", root, 1, "I read of it.")
	if answer := strings.Join(w.asShown("C1", root), "\n"); !strings.Contains(answer, w.address("C3", stays)) {
		t.Errorf("no link: %s", answer)
	}
	if n := len(w.slack.Calls("assistant.search.context")); n != 2 {
		t.Errorf("%d searches, want one before the kill and one after it", n)
	}
	must(t, "stop", w.stop())
	if files := w.holds(secretWords); len(files) > 0 {
		t.Errorf("the words are kept in %v", files)
	}
}

// TestBuiltInModelPointsAtMessages: without a model the answer points at the messages, in both languages, and a
// permission that has lapsed is named. Documents that do not answer are not in the way.
func TestBuiltInModelPointsAtMessages(t *testing.T) {
	t.Parallel()
	w := newSearchWorld(t, slackfake.Options{}, "MARU_HANDBOOK=true")
	ts := w.slack.Say("U3", "C3", "로켓 zeppelin 배포는 금요일로 미뤄요, "+secretWords, "")
	w.start()
	root := w.slack.Say("U1", "C1", "<@UBOT> 지난주에 zeppelin 배포 얘기 어디서 했지?", "")
	w.await("C1", root, 1, "위치만 알려")
	english := w.slack.Say("U2", "C1", "<@UBOT> who mentioned the zeppelin?", "")
	w.await("C1", english, 1, "I only point at them")
	for _, thread := range []string{root, english} {
		answer := ""
		err := w.slack.Wait(within(t, atMost), func() bool { // it may still grow
			answer = strings.Join(w.asShown("C1", thread), "\n")
			return strings.Contains(answer, w.address("C3", ts))
		})
		if err != nil || strings.Contains(answer, secretWords) {
			t.Errorf("answer %s, %v", answer, err)
		}
	}
	none := w.slack.Say("U2", "C1", "<@UBOT> who mentioned the submarine?", "")
	w.await("C1", none, 1, "No message fits.")
	if files := w.holds(secretWords); len(files) > 0 {
		t.Errorf("the words are kept in %v", files)
	}
}

// TestDiscordMessagesAreSearched asks in a channel what people said: what is closed to others of its readers is not
// found, and no file holds the words.
func TestDiscordMessagesAreSearched(t *testing.T) {
	t.Parallel()
	w := newDiscordWorld(t, reader(t, nil))
	closed := w.discord.AddChannel("closed")
	w.discord.Hide(closed, w.discord.Guild)
	found := w.discord.Say(w.discord.Bob, w.discord.AddChannel("plans"), "the launch (출시) is on Friday, "+secretWords)
	w.discord.Say(w.discord.Bob, closed, "the launch (출시) costs a million, "+secretWords)
	w.begin()
	q := w.discord.Say(w.user, w.general, w.discord.Mention()+" 출시에 대해 누가 뭐라고 했어?")
	w.await(q.ID, 1, "I read of it.")
	answer := w.discord.BotMessages(q.ID)[0].Content
	if !strings.Contains(answer, "/"+found.ID) || strings.Contains(answer, "/"+closed+"/") {
		t.Errorf("answer %s", answer)
	}
	if files := w.holds(secretWords); len(files) > 0 {
		t.Errorf("the words are kept in %v", files)
	}
}
