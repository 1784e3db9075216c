package main

import (
	"strings"
	"testing"

	"maru/adapters/slack/slackfake"
	"maru/phrase"
)

// TestALinkLeadsAsFarAsItsReaderSees: somebody pastes the address of a message and of a file of a
// private channel; who is in it is answered from them, and nobody else.
func TestALinkLeadsAsFarAsItsReaderSees(t *testing.T) {
	t.Parallel()
	unraced(t)
	model := mindful(t)
	w := newSlackWorld(t, model)
	w.slack.AddChannel(slackfake.Channel{ID: "C7", Private: true, Members: []string{"UBOT", "U1"}})
	w.start()
	file := w.slack.AddFile(slackfake.File{Name: "launch.md", MIME: "text/markdown", Data: []byte("# Launch\n\nThe rocket is called Nuri.")})
	ts := w.slack.SayFiles("U1", "C7", "the launch is "+canary, "", file)
	message := "<https://fake.slack.com/archives/C7/p" + strings.ReplaceAll(ts, ".", "") + ">"
	address := "<https://fake.slack.com/files/U1/" + file + "/launch.md>"
	root := w.slack.Say("U1", "C1", "<@UBOT> put "+message+" into one line", "")
	w.await("C1", root, 1, "")
	chats := model.Chats()
	words := chats[len(chats)-1].Messages
	if got := words[len(words)-1].Text(); !strings.HasPrefix(got, "put this message into one line\n") || !strings.Contains(got, "(quoted from chulsoo, ") || !strings.Contains(got, canary) {
		t.Errorf("the model reads %q", got)
	}
	asked := len(model.Chats())
	for _, text := range []string{"이 파일 추가해줘 " + address, "이거 요약해줘 " + message} {
		other := w.slack.Say("U2", "C1", "<@UBOT> "+text, "")
		w.await("C1", other, 1, phrase.Say("ko", "error.no_link"))
	}
	if n := len(model.Chats()); n != asked {
		t.Errorf("the model was asked %d times about what its reader may not see", n-asked)
	}
	w.slack.Say("U1", "C7", "we start at nine", ts)
	about := w.slack.Say("U1", "C1", "<@UBOT> what was decided in "+message+"?", "")
	w.await("C1", about, 1, "")
	chats = model.Chats()
	words = chats[len(chats)-1].Messages
	if got := words[len(words)-1].Text(); !strings.HasPrefix(got, "what was decided in this thread?\n") || !strings.Contains(got, "chulsoo: we start at nine") {
		t.Errorf("of a thread the model reads %q", got)
	}
	add := w.slack.Say("U1", "C1", "<@UBOT> 이 파일 추가해줘 "+address, "")
	w.await("C1", add, 1, "launch.md")
}
