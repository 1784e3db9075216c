package openai_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"strings"
	"testing"
	"time"

	"maru/agent/llm"
	"maru/agent/llm/llmtest"
	"maru/agent/llm/openai"
)

// shot returns a small picture.
func shot(t *testing.T, name string) llm.Picture {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 8, 5))); err != nil {
		t.Fatal(err)
	}
	return llm.Picture{Name: name, MIME: "image/png", Digest: "d", Data: b.Bytes()}
}

func withShot(t *testing.T) llm.Request {
	t.Helper()
	return llm.Request{Messages: []llm.Message{
		{Role: llm.System, Content: "Be brief."},
		{Role: llm.User, Content: "What is red here?", Pictures: []llm.Picture{shot(t, "screen.png")}},
	}}
}

// TestPicturesOnTheWire: a picture goes as a part of the person's message, and the reply says that it was seen.
func TestPicturesOnTheWire(t *testing.T) {
	t.Parallel()
	srv := llmtest.NewServer(t, func(r llmtest.Request) llmtest.Reply {
		m := r.Messages[len(r.Messages)-1]
		if got := m.Pictures(); len(got) != 1 || got[0].Width != 8 || got[0].Height != 5 || m.Text() != "What is red here?" {
			t.Errorf("message %s", m.Content)
		}
		return llmtest.Text("nothing")
	})
	for _, v := range []openai.Vision{"", openai.VisionAuto, openai.VisionOn} {
		resp, err := model(t, srv, func(c *openai.Config) { c.Vision = v }).Generate(t.Context(), withShot(t), nil)
		if err != nil || !resp.Saw {
			t.Errorf("%q: %+v, %v", v, resp, err)
		}
	}
}

// TestRefusedPictures: a model that refuses pictures, in whichever words, is asked again without, in words that say so.
// That is remembered where the model is to blame and not where one picture is, nor where an operator decides.
func TestRefusedPictures(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		vision   openai.Vision
		status   int
		says     string
		requests int // of two calls
		learned  bool
	}{
		"openai":      {"auto", 400, "Invalid content type. image_url is only supported by certain models.", 3, true},
		"openrouter":  {"auto", 404, "No endpoints found that support image input", 3, true},
		"llama.cpp":   {"auto", 500, "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj", 3, true},
		"vllm":        {"auto", 400, "fake is not a multimodal model", 3, true},
		"deepseek":    {"auto", 400, "Failed to deserialize the JSON body into the target type: messages[1]: unknown variant `image_url`, expected `text`", 3, true},
		"words_alone": {"auto", 422, "messages.1.content: Input should be a valid string", 3, true},
		"unexplained": {"auto", 400, "Bad Request", 3, true},
		"korean":      {"auto", 400, "잘못된 요청", 3, true},
		"one_picture": {"auto", 400, "Could not process image", 4, false},
		"too_large":   {"auto", 400, "image exceeds 5 MB maximum", 4, false},
		"on":          {"on", 400, "Bad Request", 4, false},
		"off":         {"off", 400, "Bad Request", 2, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := 0
			srv := llmtest.NewServer(t, func(r llmtest.Request) llmtest.Reply {
				n++
				if m := r.Messages[len(r.Messages)-1]; len(m.Pictures()) > 0 {
					return fault(llmtest.Fault{Status: tt.status, Message: tt.says})
				} else if !strings.Contains(m.Text(), "cannot see these pictures") || !strings.Contains(m.Text(), "screen.png") {
					t.Errorf("the model is told %q", m.Text())
				}
				return llmtest.Text("I cannot see it.")
			})
			refusals := openai.RefusalsIn(t.TempDir())
			m := model(t, srv, func(c *openai.Config) { c.Vision, c.Refusals = tt.vision, refusals })
			for range 2 {
				resp, err := m.Generate(t.Context(), withShot(t), nil)
				if err != nil || resp.Saw {
					t.Fatalf("%+v, %v", resp, err)
				}
			}
			learned := fmt.Sprint(refusals.Learned(time.Now()))
			if n != tt.requests || strings.Contains(learned, "pictures") != tt.learned {
				t.Errorf("%d requests, learned %s", n, learned)
			}
		})
	}
}

// TestPicturesAreNotBlamed: what a request with pictures is refused for besides is no lesson about pictures.
func TestPicturesAreNotBlamed(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]llmtest.Fault{
		"key":     {Status: http.StatusUnauthorized, Message: "Incorrect API key provided"},
		"rate":    {Status: http.StatusTooManyRequests, Message: "Rate limit reached for images"},
		"overall": {Status: http.StatusBadRequest, Message: "Bad Request"}, // also without them
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := llmtest.NewServer(t, func(llmtest.Request) llmtest.Reply { return fault(f) })
			refusals := openai.RefusalsIn("")
			_, err := model(t, srv, func(c *openai.Config) { c.Refusals = refusals }).Generate(t.Context(), withShot(t), nil)
			if err == nil || len(refusals.Learned(time.Now())) > 0 {
				t.Errorf("%v, learned %v", err, refusals.Learned(time.Now()))
			}
		})
	}
}
