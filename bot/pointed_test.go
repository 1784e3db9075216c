package bot_test

import (
	"strings"
	"testing"
	"time"

	"maru/bot"
)

// TestFilesOfOthersAreFound: who sent no file and speaks of one means that of the message
// they quote, or the last one of their thread; other words leave those files alone.
func TestFilesOfOthersAreFound(t *testing.T) {
	t.Parallel()
	type files map[string]string
	for name, c := range map[string]struct {
		text   string
		quoted files
		past   []files // of the thread, oldest first
		added  string
		runs   int
	}{
		"quoted":             {"이 파일 문서에 추가해 줘", files{"quoted.md": "Q"}, []files{{"past.md": "P"}}, "quoted.md", 0},
		"quoted, asked":      {"what does this document say?", files{"quoted.md": "Q"}, nil, "quoted.md", 1},
		"of the thread":      {"add this file", nil, []files{{"old.md": "O"}, {"new.md": "N"}, {}}, "new.md", 0},
		"it":                 {"please index it", nil, []files{{"new.md": "N"}}, "new.md", 0},
		"above":              {"위 파일 요약해 줘", nil, []files{{"new.md": "N"}}, "new.md", 1},
		"attached":           {"첨부한 계약서에서 위약금은 얼마야?", nil, []files{{"new.md": "N"}}, "new.md", 1},
		"other words":        {"연차는 며칠이야?", files{"quoted.md": "Q"}, []files{{"past.md": "P"}}, "", 1},
		"documents at large": {"what do the documents say about leave?", nil, []files{{"past.md": "P"}}, "", 1},
		"no file anywhere":   {"이 파일 요약해 줘", nil, []files{{}}, "", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, echo)
			put := func(fs files) (out []bot.File) {
				for name, body := range fs {
					out = append(out, w.platform.PutFile(name, []byte(body)))
				}
				return out
			}
			var past []bot.Message
			for _, p := range c.past {
				past = append(past, bot.Message{User: bot.User{ID: "U2", Name: "kim"}, Text: "see", Files: put(p)})
			}
			past = append(past, bot.Message{User: bot.User{Bot: true}, Own: true, Files: put(files{"made.md": "by a bot"})})
			w.platform.SetHistory(past...)
			m := w.platform.Message("U1", c.text, w.platform.Thread("C1", "root"))
			if c.quoted != nil {
				m.Quoted = []bot.Quote{{Author: "kim", Text: "see", Files: put(c.quoted)}}
			}
			w.deliver(m)
			card := w.replies(m.Thread, 1)[0].Card
			got := ""
			for _, d := range w.shelf.docs {
				got += d.Source
			}
			if got != c.added || len(w.agent.asked()) != c.runs {
				t.Errorf("added %q after %d runs, want %q after %d: %q", got, len(w.agent.asked()), c.added, c.runs, card.Text)
			}
			if c.runs == 1 && c.added != "" && len(w.agent.asked()[0].Files) != 1 {
				t.Errorf("the agent is not told of the file: %+v", w.agent.asked()[0])
			}
			if len(card.Buttons) != 0 {
				t.Errorf("a file of somebody else's is offered: %+v", card.Buttons)
			}
		})
	}
}

// TestAPointedFileIsAddedOnce: the second question about a file of the thread finds it
// among the documents.
func TestAPointedFileIsAddedOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, echo)
	w.platform.SetHistory(bot.Message{User: bot.User{ID: "U2"}, Files: []bot.File{w.platform.PutFile("plan.md", []byte("# Plan"))}})
	at := w.platform.Thread("C1", "root")
	for n, text := range []string{"이 문서 요약해 줘", "이 문서의 기한은 언제야?"} {
		w.deliver(w.platform.Message("U1", text, at))
		w.replies(at, n+1)
		if asked := w.agent.asked(); len(asked) != n+1 || len(asked[n].Files) != 1 || asked[n].Files[0].Name != "plan.md" {
			t.Fatalf("question %d: %+v", n, asked)
		}
	}
	if n := len(w.shelf.docs); n != 1 {
		t.Errorf("added %d times", n)
	}
}

// TestAnAgentIsToldWhatAMessageIsAbout: as the person shows it, bounded, once.
func TestAnAgentIsToldWhatAMessageIsAbout(t *testing.T) {
	t.Parallel()
	w := newWorld(t, echo)
	m := w.platform.Message("U1", "번역해 줘", w.platform.Thread("C1", ""))
	at := time.Date(2026, 11, 20, 1, 2, 3, 0, time.UTC)
	m.Quoted = []bot.Quote{{Author: "Alice", Text: "ship it", At: at}, {Author: "Bob", Text: "  "}, {Text: strings.Repeat("가", 9000)}, {Text: "too many"}}
	w.deliver(m)
	w.replies(m.Thread, 1)
	got := w.agent.asked()[0].Quoted
	if len(got) != 2 || got[0].Author != "Alice" || got[0].Text != "ship it" || !got[0].At.Equal(at) || len([]rune(got[1].Text)) > 4000 {
		t.Errorf("%d quotes: %.200v", len(got), got)
	}
}
