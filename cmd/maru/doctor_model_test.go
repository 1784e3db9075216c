package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"maru/agent/llm/llmtest"
)

// Every model of the endpoint is tried by itself, by the command and in a chat: one
// that stands in for another does not hide that the other is gone.
func TestDoctorTriesEveryModel(t *testing.T) {
	t.Parallel()
	unraced(t)
	endpoint := llmtest.NewServer(t, nil)
	for name, c := range map[string]struct {
		model, fallback, vectors string
		exit                     int
		told, chat               []string
	}{
		"all_work": {
			"good", "spare", "vectors", 0,
			[]string{"✓ model        good answers in", "✓ fallback     spare answers in", "✓ embeddings   vectors answers in"},
			[]string{"✅ language model OK · good", "✅ fallback model OK · spare", "✅ embeddings OK · vectors"},
		},
		"the_preferred_is_gone": {
			"fake-404", "spare", "", 1,
			[]string{"✗ model        fake-404: ", "check OPENAI_MODEL", "✓ fallback     spare answers in"},
			[]string{"⚠️ language model partly working · fake-404", "✅ fallback model OK"},
		},
		"a_fallback_is_gone": {
			"good", "fake-404", "", 1,
			[]string{"✓ model        good answers in", "✗ fallback     fake-404: ", "check OPENAI_FALLBACK_MODELS"},
			[]string{"✅ language model OK", "⚠️ fallback model partly working"},
		},
		"no_vectors": {
			"good", "", "fake-404", 1,
			[]string{"✓ model        good", "✗ embeddings   fake-404: ", "check OPENAI_EMBEDDING_MODEL"},
			[]string{"✅ language model OK", "⚠️ embeddings partly working · fake-404 · llm: not_found"},
		},
		"none_works": {
			"fake-401", "fake-401-b", "", 1,
			[]string{"✗ model        fake-401: ", "check OPENAI_API_KEY", "✗ fallback     fake-401-b: "},
			[]string{"❌ language model failing", "❌ fallback model failing"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := []string{"LANG=C.UTF-8", "MARU_PYTHON=off", "OPENAI_BASE_URL=" + endpoint.URL, "OPENAI_MODEL=" + c.model, "OPENAI_FALLBACK_MODELS=" + c.fallback, "OPENAI_EMBEDDING_MODEL=" + c.vectors, "OPENAI_RETRIES=0"}
			code, stdout, _ := runHere(t, "", append(env, "DATA_DIR="+t.TempDir()), "doctor")
			for _, want := range c.told {
				if code != c.exit || !strings.Contains(stdout, want) {
					t.Errorf("it lacks %q: exit %d\n%s", want, code, stdout)
				}
			}
			said := strings.Join(strings.Fields(strings.ReplaceAll(newProgram(t, env...).talk("main", "/doctor"), "**", "")), " ")
			for _, want := range c.chat {
				if !strings.Contains(said, want) {
					t.Errorf("the chat lacks %q: %s", want, said)
				}
			}
		})
	}
}

// TestDoctorOfASlowModel: a model that does not answer in time uses up the time of no other part.
func TestDoctorOfASlowModel(t *testing.T) {
	t.Parallel()
	unraced(t)
	endpoint := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // only then the server sees that the client has gone
		<-r.Context().Done()
	}))
	t.Cleanup(endpoint.Close)
	said := newProgram(t, "LANG=C.UTF-8", "OPENAI_BASE_URL="+endpoint.URL, "OPENAI_MODEL=slow", "OPENAI_RETRIES=0").talk("main", "/doctor")
	if !strings.Contains(said, "**language model** not responding in time") || strings.Contains(said, "Set aside") || strings.Contains(said, "MARU_ADMINS") {
		t.Error(said)
	}
}

// Doctor shows what a running program has learned that an endpoint refuses, and what the embedding model takes.
func TestDoctorShowsWhatIsNotSent(t *testing.T) {
	t.Parallel()
	unraced(t)
	endpoint := llmtest.NewServer(t, func(r llmtest.Request) llmtest.Reply {
		if r.ResponseFormat != nil && r.ResponseFormat.JSONSchema != nil {
			return llmtest.Reply{Fault: llmtest.Fault{Status: 400, Message: "Ungültige Anfrage"}}
		}
		if len(r.Tools) > 0 || r.Temperature != nil {
			return llmtest.Text("fine")
		}
		return llmtest.Text(`{"route":"agent","reason":"talk"}`)
	})
	env := []string{"LANG=C.UTF-8", "MARU_PYTHON=off", "OPENAI_BASE_URL=" + endpoint.URL, "OPENAI_MODEL=good", "OPENAI_RETRIES=0", "DATA_DIR=" + t.TempDir()}
	if code, stdout, stderr := runHere(t, "", env, "ask", "Write a poem about rain."); code != 0 {
		t.Fatalf("exit %d\n%s%s", code, stdout, stderr)
	}
	code, stdout, stderr := runHere(t, "", env, "doctor")
	if code != 0 || !strings.Contains(stdout, "not sent for a day, since it was refused: response_format") {
		t.Errorf("exit %d\n%s%s", code, stdout, stderr)
	}
	before := len(endpoint.Journal())
	if code, _, stderr := runHere(t, "", env, "ask", "Write a poem about snow."); code != 0 {
		t.Fatalf("exit %d\n%s", code, stderr)
	}
	for _, e := range endpoint.Journal()[before:] {
		if e.Chat != nil && (e.Status != 200 || e.Refused != "") {
			t.Errorf("asked again for what was refused: %s", e.Body)
		}
	}
}
