package bot_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"maru/bot"
	"maru/bot/service"
)

// ear hears by a func.
type ear func(name string, recording []byte) (string, error)

func (e ear) Transcribe(_ context.Context, name, _ string, recording []byte) (string, error) {
	return e(name, recording)
}

// refusal is an error of an endpoint that takes no such recording.
type refusal struct{ error }

func (refusal) Refuses() bool { return true }

// TestRecordings: a recording without words is the message, the transcript of any other a file of the place; what cannot
// be heard is named with what to do, and what was said beside it is answered.
func TestRecordings(t *testing.T) {
	t.Parallel()
	sizes := func(n int) []byte { return append([]byte("say:large"), make([]byte, n)...) }
	for name, c := range map[string]struct {
		text  string
		files []shownFile // one that begins with "say:" says so
		asked string      // of the agent; "" for nothing
		docs  []string    // that are added
		want  []string    // of the reply
	}{
		"voice_message":        {"", []shownFile{{"voice-message.ogg", []byte("say:when is lunch?")}}, "when is lunch?", nil, []string{"echo: when is lunch?", "I heard: “when is lunch?”"}},
		"voice_message_korean": {"", []shownFile{{"음성.m4a", []byte("say:점심은 몇 시예요?")}}, "점심은 몇 시예요?", nil, []string{"echo: 점심은 몇 시예요?"}},
		"two_voice_messages":   {"", []shownFile{{"a.ogg", []byte("say:one")}, {"b.ogg", []byte("say:two")}}, "one\ntwo", nil, []string{"echo: one"}},
		"with_a_question":      {"what does he want?", []shownFile{{"call.mp3", []byte("say:I want a refund.")}}, "what does he want?", []string{"call.mp3.txt"}, []string{"echo: what does he want?"}},
		"with_korean_question": {"이 녹음 요약해 줘", []shownFile{{"회의.m4a", []byte("say:다음 주 월요일에 출시해요.")}}, "이 녹음 요약해 줘", []string{"회의.m4a.txt"}, []string{"echo:"}},
		"beside_a_document":    {"do they agree?", []shownFile{{"call.mp3", []byte("say:yes")}, {"plan.md", []byte("# Plan")}}, "do they agree?", []string{"call.mp3.txt", "plan.md"}, []string{"echo:"}},
		"to_be_kept":           {"please add this", []shownFile{{"call.mp3", []byte("say:minutes")}}, "", []string{"call.mp3.txt"}, []string{"Added to the documents: **call.mp3.txt**"}},
		"silence":              {"", []shownFile{{"hum.wav", []byte("say:")}}, "", nil, []string{"I heard no words in hum.wav"}},
		"silence_and_question": {"what is this?", []shownFile{{"hum.wav", []byte("say:")}}, "what is this?", nil, []string{"echo:", "I heard no words in hum.wav"}},
		"refused":              {"", []shownFile{{"old.amr.wav", []byte("refuse")}}, "", nil, []string{"can't read old.amr.wav", "mp3, m4a"}},
		"away":                 {"what is said?", []shownFile{{"a.ogg", []byte("fail")}}, "what is said?", nil, []string{"echo:", "couldn't transcribe a.ogg just now"}},
		"too_large":            {"", []shownFile{{"film.mp4", sizes(2 << 20)}}, "", nil, []string{"film.mp4 is too large"}},
		"four":                 {"compare", []shownFile{{"a.ogg", []byte("say:1")}, {"b.ogg", []byte("say:2")}, {"c.ogg", []byte("say:3")}, {"d.ogg", []byte("say:4")}}, "compare", []string{"a.ogg.txt", "b.ogg.txt", "c.ogg.txt"}, []string{"up to 3 recordings", "d.ogg"}},
		"stop_is_no_command":   {"", []shownFile{{"a.ogg", []byte("say:stop")}}, "stop", nil, []string{"echo: stop"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, echo)
			w.stop()
			w.change = func(cfg *service.Config) {
				cfg.MaxFile = 1 << 20
				cfg.Ears = ear(func(_ string, data []byte) (string, error) {
					words, ok := strings.CutPrefix(string(data), "say:")
					switch {
					case ok:
						return words, nil
					case string(data) == "refuse":
						return "", refusal{errors.New("400")}
					}
					return "", errors.New("503")
				})
			}
			w.start()
			m := w.platform.Message("U1", c.text, w.platform.Thread("C1", ""))
			for _, f := range c.files {
				m.Files = append(m.Files, w.platform.PutFile(f.name, f.data))
			}
			w.deliver(m)
			card := w.replies(m.Thread, 1)[0].Card
			for _, s := range c.want {
				if !strings.Contains(card.Text, s) {
					t.Errorf("reply %q has no %q", card.Text, s)
				}
			}
			if strings.Contains(card.Text, "can't hear") {
				t.Errorf("reply %q says that recordings are not heard", card.Text)
			}
			asked, got := "", w.agent.asked()
			if len(got) > 0 {
				asked = got[0].Text
			}
			if asked != c.asked || len(got) > 0 && got[0].Outsiders != (c.text == "") {
				t.Errorf("the agent is asked %q, by outsiders %v", asked, len(got) > 0 && got[0].Outsiders)
			}
			var docs []string
			for _, d := range w.shelf.docs {
				docs = append(docs, d.Source)
			}
			if slices.Sort(docs); !slices.Equal(docs, c.docs) {
				t.Errorf("documents %q, want %q", docs, c.docs)
			}
			if len(got) > 0 && len(got[0].Files) != len(c.docs) {
				t.Errorf("the agent has the files %+v", got[0].Files)
			}
		})
	}
}

// TestRecordingAbove: a recording of an earlier message that is a document already is handed over as one, and not heard again.
func TestRecordingAbove(t *testing.T) {
	t.Parallel()
	w := newWorld(t, echo)
	heard := 0
	w.stop()
	w.change = func(cfg *service.Config) {
		cfg.Ears = ear(func(string, []byte) (string, error) { heard++; return "Launch on Monday.", nil })
	}
	w.start()
	call := w.platform.PutFile("call.mp3", []byte("ID3"))
	w.platform.SetHistory(bot.Message{User: bot.User{ID: "U2", Name: "kim"}, Text: "the call", Files: []bot.File{call}})
	for n, text := range []string{"summarise the recording", "위에 올린 녹음에서 날짜만 알려 줘"} {
		m := w.platform.Message("U1", text, w.platform.Thread("C1", "root"))
		w.deliver(m)
		w.replies(m.Thread, n+1)
		if asked := w.agent.asked(); len(asked) != n+1 || len(asked[n].Files) != 1 || asked[n].Files[0].Name != "call.mp3.txt" {
			t.Errorf("%s: %+v", text, asked)
		}
	}
	if heard != 1 {
		t.Errorf("heard %d times", heard)
	}
}
