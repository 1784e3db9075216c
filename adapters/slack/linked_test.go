package slack_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"maru/adapters/slack/slackfake"
	"maru/bot"
)

func TestAddressesOfSlack(t *testing.T) {
	t.Parallel()
	a := offline(t)
	for text, want := range map[string][]string{
		"이 파일 추가해줘 https://team.slack.com/files/U1/F1/plan.pdf":                                                           {"https://team.slack.com/files/U1/F1/plan.pdf"},
		"see (https://team.slack.com/archives/C1/p1700000000000100).":                                                     {"https://team.slack.com/archives/C1/p1700000000000100"},
		"https://corp.enterprise.slack.com/archives/C1/p1700000000000100?thread_ts=1700000000.000050&cid=C1 요약":           {"https://corp.enterprise.slack.com/archives/C1/p1700000000000100?thread_ts=1700000000.000050&cid=C1"},
		"plan (https://files.slack.com/files-pri/T1-F1/plan.pdf), twice https://files.slack.com/files-pri/T1-F1/plan.pdf": {"https://files.slack.com/files-pri/T1-F1/plan.pdf"},
		"https://team.slack.com/archives/C1 and https://slack.com/help":                                                   nil,
		"https://evil.example/team.slack.com/files/U1/F1/x https://team.slack.com.evil.example/files/U1/F1/x":             nil,
	} {
		if got := a.Links(text); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// TestALinkShowsWhatItsReaderMaySee: nobody is told by the bot what they may not read themselves,
// and the answer is the same whether there is such a thing or not.
func TestALinkShowsWhatItsReaderMaySee(t *testing.T) {
	t.Parallel()
	w := start(t, slackfake.Options{})
	w.AddUser(slackfake.User{ID: "U4", Name: "guest", Guest: true})
	w.AddUser(slackfake.User{ID: "U5", Name: "stranger", Team: "T9"})
	w.AddChannel(slackfake.Channel{ID: "C5", Members: []string{"UBOT", "U1"}})                // public
	w.AddChannel(slackfake.Channel{ID: "C6", Members: []string{"U1", "U2"}})                  // public, without the bot
	w.AddChannel(slackfake.Channel{ID: "C7", Private: true, Members: []string{"UBOT", "U1"}}) // private
	w.AddChannel(slackfake.Channel{ID: "D7", Private: true, Members: []string{"UBOT", "U1"}})
	say := func(channel, text string) (address, file string) {
		file = w.AddFile(slackfake.File{Name: text + ".md", MIME: "text/markdown", Data: []byte("# " + text)})
		ts := w.SayFiles("U1", channel, text, "", file)
		return "https://team.slack.com/archives/" + channel + "/p" + strings.ReplaceAll(ts, ".", ""), "https://team.slack.com/files/U1/" + file + "/" + text + ".md"
	}
	public, publicFile := say("C5", "public")
	without, withoutFile := say("C6", "without")
	private, privateFile := say("C7", "private")
	direct, directFile := say("D7", "direct")
	root, err := w.adapter.Post(t.Context(), target("C7", ""), bot.Card{Text: "by the bot", Final: true}, "k")
	if err != nil {
		t.Fatal(err)
	}
	inThread := w.Say("U1", "C7", "in the thread, <@U2>", root.Messages[0])
	threaded := "https://team.slack.com/archives/C7/p" + strings.ReplaceAll(inThread, ".", "")
	w.until("everything", func() bool { return len(w.in.said()) >= 4 })
	for name, c := range map[string]struct {
		user, at, link string
		text, file     string // "" for none; neither: refused
	}{
		"public":                      {"U2", "C1", public, "public", "public.md"},
		"public, file":                {"U2", "C1", publicFile, "", "public.md"},
		"public, file by its bytes":   {"U2", "C1", "https://files.slack.com/files-pri/T1-" + strings.Split(publicFile, "/")[5] + "/public.md", "", "public.md"},
		"public, guest":               {"U4", "C1", public, "", ""},
		"public, guest, file":         {"U4", "C1", publicFile, "", ""},
		"public, of another company":  {"U5", "C1", publicFile, "", ""},
		"asked there":                 {"U4", "C5", publicFile, "", "public.md"},
		"without the bot":             {"U1", "C1", without, "", ""},
		"without the bot, file":       {"U2", "C1", withoutFile, "", ""},
		"private, member":             {"U1", "C1", private, "private", "private.md"},
		"private, stranger":           {"U2", "C1", private, "", ""},
		"private, stranger, file":     {"U2", "C1", privateFile, "", ""},
		"private, whose file it is":   {"U1", "C1", privateFile, "", "private.md"},
		"direct, one's own":           {"U1", "D7", direct, "direct", "direct.md"},
		"direct, another's":           {"U2", "C1", direct, "", ""},
		"direct, another's file":      {"U2", "C1", directFile, "", ""},
		"in a thread":                 {"U1", "C1", threaded + "?thread_ts=" + root.Messages[0] + "&cid=C7", "in the thread, @", ""},
		"in a thread, bare":           {"U1", "C1", threaded, "in the thread, @", ""},
		"in a thread, stranger":       {"U2", "C1", threaded, "", ""},
		"no such message":             {"U1", "C1", "https://team.slack.com/archives/C5/p1600000000000100", "", ""},
		"no such file":                {"U1", "C1", "https://team.slack.com/files/U1/F404/x.md", "", ""},
		"another channel's thread_ts": {"U2", "C1", strings.Replace(private, "C7", "C5", 1), "", ""},
	} {
		m := bot.Message{ID: "1.1", Thread: thread(c.at, "1.1"), User: bot.User{ID: c.user}, Text: c.link}
		links := w.adapter.Links(m.Text)
		if len(links) != 1 {
			t.Errorf("%s: links %q", name, links)
			continue
		}
		q, err := w.linked(m, links[0])
		if c.text+c.file == "" {
			if !errors.Is(err, bot.ErrForbidden) || q.Text != "" || len(q.Files) != 0 || !strings.Contains(err.Error(), "not_visible") {
				t.Errorf("%s: %+v, %v; want it refused", name, q, err)
			}
			continue
		}
		file := ""
		if len(q.Files) > 0 {
			file = q.Files[0].Name
		}
		if err != nil || !strings.HasPrefix(q.Text, c.text) || c.text == "" && q.Text != "" || file != c.file || q.Author != "chulsoo" || q.At.IsZero() && c.text != "" {
			t.Errorf("%s: %+v, %v; want %q with %q", name, q, err, c.text, c.file)
		}
		if file != "" {
			body, err := w.adapter.Fetch(t.Context(), q.Files[0], 1000)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if got, err := io.ReadAll(body); err != nil || !strings.HasPrefix(string(got), "# ") {
				t.Errorf("%s: %q, %v", name, got, err)
			}
			_ = body.Close()
		}
	}
}

// linked asks again while Slack is slow to say who somebody is.
func (w *world) linked(m bot.Message, link string) (bot.Quote, error) {
	for {
		q, err := w.adapter.Linked(w.t.Context(), m, link)
		if !errors.Is(err, bot.ErrUnavailable) && !errors.Is(err, context.DeadlineExceeded) {
			return q, err
		}
	}
}

// TestALinkIsNotOpenedOnSilence: where Slack does not say who reads a channel, nothing of it is told.
func TestALinkIsNotOpenedOnSilence(t *testing.T) {
	t.Parallel()
	w := start(t, slackfake.Options{})
	w.AddChannel(slackfake.Channel{ID: "C7", Private: true, Members: []string{"UBOT", "U1", "U2"}})
	file := w.AddFile(slackfake.File{Name: "plan.md", MIME: "text/markdown", Data: []byte("# Plan")})
	w.SayFiles("U1", "C7", "see", "", file)
	w.Fail(slackfake.Fault{Method: "conversations.members", Code: "missing_scope"})
	m := bot.Message{ID: "1.1", Thread: thread("C1", "1.1"), User: bot.User{ID: "U2"}}
	if q, err := w.adapter.Linked(t.Context(), m, "https://team.slack.com/files/U1/"+file+"/plan.md"); err == nil || len(q.Files) != 0 {
		t.Errorf("%+v, %v", q, err)
	}
}

// TestALinkAcrossAnOrganisation: a public channel of another workspace is read by its members alone.
func TestALinkAcrossAnOrganisation(t *testing.T) {
	t.Parallel()
	w := start(t, slackfake.Options{Org: true, Enterprise: "E1"})
	w.AddChannel(slackfake.Channel{ID: "C8", Team: "T2", Members: []string{"UBOT", "U1"}})
	ts := w.Say("U1", "C8", "of another workspace", "")
	for user, want := range map[string]bool{"U1": true, "U2": false} {
		m := bot.Message{ID: "1.1", Thread: thread("C1", "1.1"), User: bot.User{ID: user}}
		q, err := w.linked(m, "https://team.slack.com/archives/C8/p"+strings.ReplaceAll(ts, ".", ""))
		if (err == nil && q.Text != "") != want {
			t.Errorf("%s: %+v, %v", user, q, err)
		}
	}
}
