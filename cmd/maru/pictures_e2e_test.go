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
)

// looker is a model that says how large the pictures of a question are. One that is blind refuses them, as the real
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

// TestPicturesReachTheModel has a picture go with its question on each surface, and a model that sees none refuse it once.
func TestPicturesReachTheModel(t *testing.T) {
	t.Parallel()
	shot := pictureOf(t, 60, 40)
	const question = "what is wrong in this screenshot?"
	ask := map[string]func(*testing.T, *llmtest.Server) func(want string){
		"slack": func(t *testing.T, model *llmtest.Server) func(string) {
			w := newSlackWorld(t, model)
			w.start()
			return func(want string) {
				f := w.slack.AddFile(slackfake.File{Name: "error.png", MIME: "image/png", Data: shot})
				root := w.slack.SayFiles("U1", "C1", "<@UBOT> "+question, "", f)
				w.await("C1", root, 1, want)
			}
		},
		"discord": func(t *testing.T, model *llmtest.Server) func(string) {
			w := newDiscordWorld(t, model)
			w.begin()
			return func(want string) {
				q := w.discord.SayWith(w.user, w.general, w.discord.Mention()+" "+question, "", w.discord.PutFile("error.png", "image/png", shot))
				w.await(q.ID, 1, want)
			}
		},
		"web": func(t *testing.T, model *llmtest.Server) func(string) {
			p := newProgram(t, "OPENAI_BASE_URL="+model.URL, "OPENAI_MODEL=test")
			p.start()
			n := 0
			return func(want string) {
				n++
				thread := fmt.Sprintf("t%d", n)
				p.tellWith(thread, question, "error.png", shot)
				p.hears(thread, 2, want)
			}
		},
	}
	for surface, start := range ask {
		for name, c := range map[string]struct {
			blind bool
			want  []string // of two questions
		}{
			"seeing": {false, []string{"I see 60x40.", "I see 60x40."}},
			"blind":  {true, []string{"couldn't look at error.png", "couldn't look at error.png"}},
		} {
			t.Run(surface+"_"+name, func(t *testing.T) {
				t.Parallel()
				model := looker(t, c.blind)
				say := start(t, model)
				for _, want := range c.want {
					say(want)
				}
				refused := 0
				for _, e := range model.Journal() {
					if e.Status >= 400 {
						refused++
					}
				}
				if want := map[bool]int{true: 1}[c.blind]; refused != want {
					t.Errorf("%d requests were refused, want %d", refused, want)
				}
			})
		}
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
