package openai_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"maru/agent/llm"
	"maru/agent/llm/llmtest"
	"maru/agent/llm/openai"
)

// hearer returns an endpoint that hears by f.
func hearer(t *testing.T, f llmtest.Hearing) *openai.Transcriber {
	t.Helper()
	srv := llmtest.NewServerWith(t, llmtest.Config{Hear: f, Key: "k"})
	tr, err := openai.NewTranscriber(openai.Config{BaseURL: srv.URL, APIKey: "k", Model: "whisper-1"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tr.Close)
	return tr
}

// TestTranscribe: a recording goes as the one file of a form, under a name that says its format and nothing else.
func TestTranscribe(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ file, mime, want string }{
		"discord_voice":    {"voice-message.ogg", "audio/ogg", "recording.ogg"},
		"slack_clip":       {"audio_message.m4a", "audio/mp4", "recording.m4a"},
		"capitals":         {"CALL.MP3", "", "recording.mp3"},
		"korean":           {"회의 녹음 (김철수 대표).wav", "audio/wav", "recording.wav"},
		"opus":             {"memo.opus", "audio/opus", "recording.ogg"},
		"oga":              {"memo.oga", "", "recording.ogg"},
		"no_ending":        {"recording", "audio/webm; codecs=opus", "recording.webm"},
		"video":            {"clip.mp4", "video/mp4", "recording.mp4"},
		"header_in_a_name": {"a\"\r\nContent-Type: text/html.mp3", "", "recording.mp3"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tr := hearer(t, func(r llmtest.Recording) (string, *llmtest.Fault) {
				if r.Name != c.want || r.Model != "whisper-1" || string(r.Data) != "OggS\x00" {
					t.Errorf("the endpoint got %+v", r)
				}
				return "  안녕하세요, hello.\n", nil
			})
			text, err := tr.Transcribe(t.Context(), c.file, c.mime, []byte("OggS\x00"))
			if err != nil || text != "안녕하세요, hello." {
				t.Errorf("%q, %v", text, err)
			}
		})
	}
}

// TestTranscriptionFaults: what passes is tried again; a recording that the endpoint does not take is told apart.
func TestTranscriptionFaults(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		file    string
		size    int
		faults  []llmtest.Fault
		class   llm.Class // "" for words
		refuses bool
		calls   int
	}{
		"busy_once":     {"a.ogg", 5, []llmtest.Fault{{Status: http.StatusServiceUnavailable}}, "", false, 2},
		"limited_once":  {"a.ogg", 5, []llmtest.Fault{{Status: http.StatusTooManyRequests, RetryAfter: "1"}}, "", false, 2},
		"limited_long":  {"a.ogg", 5, []llmtest.Fault{{Status: http.StatusTooManyRequests, RetryAfter: "3600"}}, llm.RateLimited, false, 1},
		"busy":          {"a.ogg", 5, []llmtest.Fault{{Status: 503}, {Status: 503}, {Status: 503}, {Status: 503}}, llm.Overloaded, false, 3},
		"key":           {"a.ogg", 5, []llmtest.Fault{{Status: http.StatusUnauthorized}}, llm.Auth, false, 1},
		"corrupt":       {"a.ogg", 5, []llmtest.Fault{{Status: http.StatusBadRequest, Message: "Audio file might be corrupted or unsupported"}}, llm.BadRequest, true, 1},
		"other_format":  {"a.mov", 5, nil, llm.BadRequest, true, 0},
		"empty":         {"a.ogg", 0, nil, llm.BadRequest, true, 0},
		"over_25_mb":    {"a.ogg", 26 << 20, nil, llm.BadRequest, true, 0},
		"no_such_model": {"a.ogg", 5, []llmtest.Fault{{Status: http.StatusNotFound}}, llm.NotFound, false, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := 0
			tr := hearer(t, func(llmtest.Recording) (string, *llmtest.Fault) {
				if n++; n <= len(c.faults) {
					return "", &c.faults[n-1]
				}
				return "words", nil
			})
			start := time.Now()
			text, err := tr.Transcribe(t.Context(), c.file, "", []byte(strings.Repeat("x", c.size)))
			if llm.ClassOf(err) != c.class || (err == nil) != (text == "words") || n != c.calls {
				t.Errorf("%q, %v after %d calls and %s", text, err, n, time.Since(start))
			}
			if e, ok := err.(*llm.Error); ok && e.Refuses() != c.refuses {
				t.Errorf("refuses: %v", e.Refuses())
			}
		})
	}
}

func TestTranscriberNeedsAModel(t *testing.T) {
	t.Parallel()
	if _, err := openai.NewTranscriber(openai.Config{APIKey: "k"}); err == nil || !strings.Contains(err.Error(), "OPENAI_TRANSCRIPTION_MODEL") {
		t.Errorf("%v", err)
	}
}
