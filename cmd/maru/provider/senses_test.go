package provider_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"testing"

	"maru/agent/llm"
	"maru/agent/llm/llmtest"
	"maru/agent/llm/openai"
	"maru/cmd/maru/provider"
	"maru/config"
)

// TestPicturesGoToTheirRole: a call that shows pictures is asked of the role vision, where there is one.
func TestPicturesGoToTheirRole(t *testing.T) {
	t.Parallel()
	var shot bytes.Buffer
	if err := png.Encode(&shot, image.NewGray(image.Rect(0, 0, 3, 3))); err != nil {
		t.Fatal(err)
	}
	srv := llmtest.NewServer(t, func(r llmtest.Request) llmtest.Reply { return llmtest.Text(r.Model) })
	for roles, want := range map[string]string{"": "a", "\n  vision: {name: v}": "v"} {
		m, err := provider.New(load(t, fmt.Sprintf("models:\n  answer: {endpoint: %q, name: a}%s\n", srv.URL, roles)), openai.RefusalsIn(""), nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, ask := range []llm.Model{m.One(), m.Asks().Model} {
			for pictures, want := range map[int]string{0: "a", 1: want} {
				req := llm.Request{Purpose: llm.ForAnswer, Messages: []llm.Message{{Role: llm.User, Content: "what?"}}}
				if pictures > 0 {
					req.Messages[0].Pictures = []llm.Picture{{Name: "p", MIME: "image/png", Data: shot.Bytes()}}
				}
				resp, err := ask.Generate(t.Context(), req, nil)
				if err != nil || resp.Message.Content != want || resp.Saw != (pictures > 0) {
					t.Errorf("%q with %d pictures: %q, saw %v, %v; want %q", roles, pictures, resp.Message.Content, resp.Saw, err, want)
				}
			}
		}
	}
}

// TestTranscriber: recordings go to the model of the variable or, before it, of the role.
func TestTranscriber(t *testing.T) {
	t.Parallel()
	srv := llmtest.NewServerWith(t, llmtest.Config{Hear: func(r llmtest.Recording) (string, *llmtest.Fault) { return r.Model, nil }})
	for name, c := range map[string]struct {
		env, file, want string
	}{
		"none":     {"OPENAI_RETRIES=0", "models: {answer: {endpoint: %q, name: a}}", ""},
		"variable": {"OPENAI_TRANSCRIPTION_MODEL=whisper-1", "models: {answer: {endpoint: %q, name: a}}", "whisper-1"},
		"role":     {"OPENAI_TRANSCRIPTION_MODEL=whisper-1", "models: {transcription: {endpoint: %q, name: w2}}", "w2"},
	} {
		cfg, _, err := config.Load(config.Source{Environ: []string{"MARU_CONFIG=m.yaml", "OPENAI_BASE_URL=" + srv.URL, "OPENAI_MODEL=a", c.env},
			Read: func(string) ([]byte, error) { return fmt.Appendf(nil, c.file, srv.URL), nil }})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		m, err := provider.New(cfg, openai.RefusalsIn(""), nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		tr, err := m.Transcriber()
		if err != nil || (tr != nil) != (c.want != "") {
			t.Errorf("%s: %v, %v", name, tr, err)
		}
		if tr == nil {
			continue
		}
		if got, err := tr.Transcribe(t.Context(), "a.ogg", "", []byte("OggS")); err != nil || got != c.want {
			t.Errorf("%s: asked %q, %v", name, got, err)
		}
	}
}
