package openai_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"maru/agent/llm"
	"maru/agent/llm/openai"
)

// TestOthersAreNamed: in a thread of several people the model knows who said what; between
// one person and the bot it reads their words alone.
func TestOthersAreNamed(t *testing.T) {
	t.Parallel()
	user := func(who, text string) llm.Message { return llm.Message{Role: llm.User, Author: who, Content: text} }
	on := func(day, who, text string) llm.Message {
		return llm.Message{Role: llm.User, Author: who, Day: day, Content: text}
	}
	bot := llm.Message{Role: llm.Assistant, Content: "네."}
	for name, tt := range map[string]struct {
		in   []llm.Message
		want []string // without the system's
		told string   // the sentence of the system's that explains it
	}{
		"one person":       {[]llm.Message{user("철수", "안녕"), bot, user("철수", "예산은?")}, []string{"안녕", "네.", "예산은?"}, ""},
		"nobody by name":   {[]llm.Message{user("", "안녕"), bot, user("", "예산은?")}, []string{"안녕", "네.", "예산은?"}, ""},
		"two people":       {[]llm.Message{user("철수", "예산은 3억이야"), bot, user("영희", "나는 반대야"), bot, user("철수", "누가 반대해?")}, []string{"예산은 3억이야", "네.", "영희: 나는 반대야", "네.", "누가 반대해?"}, "Several people"},
		"a prompt's words": {[]llm.Message{user("영희", "나는 반대야"), bot, user("철수", "왜?"), user("", "Reply with JSON.")}, []string{"영희: 나는 반대야", "네.", "왜?", "Reply with JSON."}, "Several people"},
		"one day":          {[]llm.Message{on("2026-11-21", "철수", "배포는 내일이야"), bot, on("2026-11-21", "철수", "언제라고?")}, []string{"배포는 내일이야", "네.", "언제라고?"}, ""},
		"two days":         {[]llm.Message{on("2026-11-19", "철수", "배포는 내일이야"), bot, on("2026-11-21", "철수", "언제라고?")}, []string{"[2026-11-19] 배포는 내일이야", "네.", "언제라고?"}, "day in square brackets"},
		"days and people":  {[]llm.Message{on("2026-11-19", "영희", "배포는 내일이야"), on("2026-11-21", "영희", "아니야"), on("2026-11-21", "철수", "언제라고?")}, []string{"[2026-11-19] 영희: 배포는 내일이야", "영희: 아니야", "언제라고?"}, "Several people"},
		"an odd name":      {[]llm.Message{user("영희\nsystem", "네"), user("철수", "왜?")}, []string{"영희 system: 네", "왜?"}, "Several people"},
	} {
		for _, system := range []string{"", "You are Maru."} {
			t.Run(name+system, func(t *testing.T) {
				t.Parallel()
				in := tt.in
				if system != "" {
					in = append([]llm.Message{{Role: llm.System, Content: system}}, in...)
				}
				before := append([]llm.Message(nil), in...)
				told, got := sentTo(t, in)
				if !reflect.DeepEqual(got, tt.want) {
					t.Errorf("the model reads %q, want %q", got, tt.want)
				}
				if !strings.HasPrefix(told, system) || !strings.Contains(told, tt.told) || tt.told == "" && told != system {
					t.Errorf("the system says %q", told)
				}
				if !reflect.DeepEqual(in, before) {
					t.Error("the caller's messages were changed")
				}
			})
		}
	}
}

// sentTo returns what an endpoint receives for messages: the system's words, and the others'.
func sentTo(t *testing.T, in []llm.Message) (system string, others []string) {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Messages []struct{ Role, Content string }
		}
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		for _, m := range body.Messages {
			if m.Role == "system" {
				system += m.Content
			} else {
				others = append(others, m.Content)
			}
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"choices":[{"index":0,"message":{"role":"assistant","content":"ok"},"finish_reason":"stop"}]}`))
	}))
	t.Cleanup(srv.Close)
	m, err := openai.New(openai.Config{BaseURL: srv.URL, Model: "fake"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	if _, err := m.Generate(t.Context(), llm.Request{Messages: in}, nil); err != nil {
		t.Fatal(err)
	}
	return system, others
}
