package openai_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"maru/agent/llm"
	"maru/agent/llm/llmtest"
	"maru/agent/llm/openai"
)

// TestAnErrorDoesNotSayWhatPeopleSaid: an endpoint repeats the request that it refuses. What is
// wrong with it is told, what was said is not: errors are logged.
func TestAnErrorDoesNotSayWhatPeopleSaid(t *testing.T) {
	t.Parallel()
	const secret = "제 연봉은 사천이백만 원인데\n아무에게도 말하지 마세요"
	for name, c := range map[string]struct{ message, want string }{
		"whole":      {"bad request: role user, content " + strings.ReplaceAll(secret, "\n", " ") + ": no such role", "bad request: role user, content …: no such role"},
		"a_part":     {"cannot read 연봉은 사천이백만 원인데 아무에게 (at 12)", "cannot read… (at 12)"},
		"twice":      {"a: 연봉은 사천이백만 원인데 아무에게도, b: 원인데 아무에게도 말하지 마세요", "a:…, b:…"},
		"few_words":  {"연봉은 is no role", "연봉은 is no role"},
		"nothing":    {"max_tokens is too large", "max_tokens is too large"},
		"only_words": {"연봉은 사천이백만 원인데 아무에게도", "…"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := model(t, llmtest.NewServer(t, func(llmtest.Request) llmtest.Reply {
				return llmtest.Reply{Fault: llmtest.Fault{Status: 400, Message: c.message}}
			}), nil)
			_, err := m.Generate(t.Context(), llm.Request{Messages: []llm.Message{{Role: llm.User, Content: secret}}}, nil)
			var e *llm.Error
			if !errors.As(err, &e) || e.Class != llm.BadRequest || e.Status != 400 || e.Detail != c.want {
				t.Errorf("%v, want %q", err, c.want)
			}
			if name != "few_words" && strings.Contains(err.Error(), "연봉") {
				t.Errorf("it says %v", err)
			}
		})
	}
}

// TestAnErrorOfEmbeddingDoesNotSayWhatIsWritten: the same of documents and questions.
func TestAnErrorOfEmbeddingDoesNotSayWhatIsWritten(t *testing.T) {
	t.Parallel()
	const text = "제3조 을의 연봉은 사천이백만 원으로 한다"
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprintf(w, `{"error":{"message":"input [%s] is too long"}}`, text)
	}))
	t.Cleanup(srv.Close)
	e, err := openai.NewEmbedder(openai.Config{BaseURL: srv.URL, EmbeddingModel: "e"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = e.Embed(t.Context(), llm.PassageText, []string{"other", text})
	var failed *llm.Error
	if !errors.As(err, &failed) || failed.Detail != "input […] is too long" {
		t.Errorf("it says %v", err)
	}
}
