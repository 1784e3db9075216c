package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"mime/multipart"
	"strings"
	"testing"

	"maru/adapters/slack/slackfake"
	"maru/agent/llm/llmtest"
	"maru/rag/load/ocr/ocrtest"
)

// looker returns a model that says how large the pictures of a question are. One that is blind refuses them, as the real
// endpoint does.
func looker(t *testing.T, blind bool) *llmtest.Server {
	t.Helper()
	cfg := llmtest.Config{Handler: func(r llmtest.Request) llmtest.Reply {
		if r.ResponseFormat != nil {
			return llmtest.JSON(map[string]string{"route": "agent", "reason": "test"})
		}
		var seen []string
		for _, m := range r.Messages {
			for _, p := range m.Pictures() {
				seen = append(seen, fmt.Sprintf("%dx%d", p.Width, p.Height))
			}
		}
		return llmtest.Text("I see " + strings.Join(seen, ", ") + ".")
	}}
	if blind {
		cfg.Without = []string{"pictures"}
	}
	return llmtest.NewServerWith(t, cfg)
}

func pictureOf(t *testing.T, w, h int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, w, h))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// shown is a question with a file, and what the answer says.
type shown struct{ text, name, mime, want string }

// surfacesOf start a program on each surface and return how somebody asks there with a file, or without one if it has no
// name.
var surfacesOf = map[string]func(*testing.T, *llmtest.Server, ...string) func(shown, []byte){
	"slack": func(t *testing.T, model *llmtest.Server, env ...string) func(shown, []byte) {
		w := newSlackWorld(t, model, env...)
		w.start()
		return func(q shown, data []byte) {
			var files []string
			if q.name != "" {
				files = append(files, w.slack.AddFile(slackfake.File{Name: q.name, MIME: q.mime, Data: data}))
			}
			root := w.slack.SayFiles("U1", "C1", "<@UBOT> "+q.text, "", files...)
			w.await("C1", root, 1, q.want)
		}
	},
	"discord": func(t *testing.T, model *llmtest.Server, env ...string) func(shown, []byte) {
		w := newDiscordWorld(t, model, env...)
		w.begin()
		return func(q shown, data []byte) {
			if q.name == "" {
				w.await(w.discord.Say(w.user, w.general, w.discord.Mention()+" "+q.text).ID, 1, q.want)
				return
			}
			m := w.discord.SayWith(w.user, w.general, w.discord.Mention()+" "+q.text, "", w.discord.PutFile(q.name, q.mime, data))
			w.await(m.ID, 1, q.want)
		}
	},
	"web": func(t *testing.T, model *llmtest.Server, env ...string) func(shown, []byte) {
		p := newProgram(t, append([]string{"OPENAI_BASE_URL=" + model.URL, "OPENAI_MODEL=test"}, env...)...)
		p.start()
		n := 0
		return func(q shown, data []byte) {
			n++
			thread := fmt.Sprintf("t%d", n)
			answer := 2
			if q.name == "" {
				p.tell(thread, q.text)
				p.hears(thread, answer, q.want)
				return
			}
			p.tellWith(thread, q.text, q.name, data)
			if strings.Contains(p.lines(thread)[0], `"role":"note"`) { // it was added to the documents
				answer++
			}
			p.hears(thread, answer, q.want)
		}
	},
}

// TestPicturesReachTheModel has a picture go with its question on each surface, and a model that sees none refuse it once.
func TestPicturesReachTheModel(t *testing.T) {
	t.Parallel()
	shot := pictureOf(t, 60, 40)
	for surface, start := range surfacesOf {
		for name, c := range map[string]struct {
			blind   bool
			want    string
			refused int
		}{
			"seeing": {false, "I see 60x40.", 0},
			"blind":  {true, "couldn't look at error.png", 1},
		} {
			t.Run(surface+"_"+name, func(t *testing.T) {
				t.Parallel()
				model := looker(t, c.blind)
				say := start(t, model)
				for range 2 {
					say(shown{"what is wrong in this screenshot?", "error.png", "image/png", c.want}, shot)
				}
				refused := 0
				for _, e := range model.Journal() {
					if e.Chat != nil && e.Status >= 400 { // the context of a model is asked of addresses that few servers have
						refused++
					}
				}
				if refused != c.refused {
					t.Errorf("%d requests were refused, want %d", refused, c.refused)
				}
			})
		}
	}
}

// TestRecordingsAreHeard has a recording go with a question on each surface: the endpoint writes it down, and the model
// answers from the transcript.
func TestRecordingsAreHeard(t *testing.T) {
	t.Parallel()
	for surface, start := range surfacesOf {
		t.Run(surface, func(t *testing.T) {
			t.Parallel()
			model := llmtest.NewServerWith(t, llmtest.Config{
				Handler: func(r llmtest.Request) llmtest.Reply {
					if r.ResponseFormat != nil {
						return llmtest.JSON(map[string]string{"route": "rag", "reason": "test", "file": "whole"})
					}
					if strings.Contains(r.System(), "launch moves to Monday") {
						return llmtest.Text("The launch moves to Monday [1].")
					}
					return llmtest.Text("There is no transcript.")
				},
				Hear: func(r llmtest.Recording) (string, *llmtest.Fault) {
					if r.Model != "whisper-1" || r.Name != "recording.ogg" || string(r.Data) != "OggS sound" {
						t.Errorf("the endpoint got %+v", r)
					}
					return "We decided that the launch moves to Monday.", nil
				},
			})
			say := start(t, model, "OPENAI_TRANSCRIPTION_MODEL=whisper-1")
			say(shown{"what was decided in this recording?", "call.ogg", "audio/ogg", "launch moves to Monday"}, []byte("OggS sound"))
		})
	}
}

// TestScreenshotsAreRead has a model without eyes answer from the recognised text of a screenshot, on each surface.
func TestScreenshotsAreRead(t *testing.T) {
	t.Parallel()
	ocrtest.Find(t)
	shot := ocrtest.PNG(t, ocrtest.Page(t, "ERROR: disk quota exceeded on vol-17"))
	for surface, start := range surfacesOf {
		t.Run(surface, func(t *testing.T) {
			t.Parallel()
			model := llmtest.NewServer(t, func(r llmtest.Request) llmtest.Reply {
				switch {
				case r.ResponseFormat != nil:
					return llmtest.JSON(map[string]string{"route": "rag", "reason": "test", "file": "whole"})
				case strings.Contains(r.System(), "disk quota exceeded"):
					return llmtest.Text("The disk quota of the volume is exceeded [1].")
				}
				return llmtest.Text("There is no text.")
			})
			say := start(t, model, "OPENAI_VISION=off", "MARU_OCR=on")
			say(shown{"what is wrong in this screenshot?", "error.png", "image/png", "The disk quota of the volume is exceeded"}, shot)
		})
	}
}

// tellWith says something in the console with an upload.
func (p *program) tellWith(thread, text, name string, data []byte) {
	p.t.Helper()
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	part, err := w.CreateFormFile("file", name)
	if err != nil {
		p.t.Fatal(err)
	}
	_, _ = part.Write(data)
	_ = w.Close()
	var added struct{ ID string }
	if code := p.api("POST", "/api/documents?thread="+thread, &form, w.FormDataContentType(), &added); code != 201 {
		p.t.Fatalf("upload: %d", code)
	}
	body, err := json.Marshal(map[string]any{"text": text, "files": []string{added.ID}})
	if err != nil {
		p.t.Fatal(err)
	}
	var out json.RawMessage
	if code := p.api("POST", "/api/threads/"+thread+"/messages", bytes.NewReader(body), "application/json", &out); code >= 300 {
		p.t.Fatalf("say: %d %s", code, out)
	}
}
