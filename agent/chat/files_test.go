package chat_test

import (
	"fmt"
	"strings"
	"testing"

	"maru/agent"
	"maru/agent/llm"
	"maru/agent/llm/llmtest"
	"maru/rag"
)

// paper returns a document of passages.
func paper(id, title string, texts ...string) papers {
	var out papers
	for i, text := range texts {
		out = append(out, rag.Hit{Chunk: rag.Chunk{ID: fmt.Sprintf("%s#%d", id, i), Document: id, Ordinal: i, Text: text}, Document: rag.Document{ID: id, Title: title, Scope: "public"}})
	}
	return out
}

func withFiles(d *desk, text string, ids ...string) agent.Request {
	req := d.request(text)
	for _, id := range ids {
		req.Files = append(req.Files, agent.File{Document: id, Name: id + ".md"})
	}
	return req
}

func routeFile(about string) llmtest.Reply {
	return llmtest.JSON(map[string]string{"route": "agent", "reason": "r", "file": about})
}

// TestAFileIsTheSubject: what is asked of a file reaches the model with all of the file, whatever words the request has
// and whatever the router says.
func TestAFileIsTheSubject(t *testing.T) {
	t.Parallel()
	lease := paper("lease", "Lease", "The rent is 4,200 euros.", "It is due on the fifth.", "Either side may end it with 90 days' notice.")
	plan := paper("plan", "Plan", "The move is in June.")
	for _, text := range []string{
		"이 파일 요약해줘", "Translate this", "compare these two", "what is wrong in this?", "tl;dr", "세 줄로", "이거 왜 안 돼?", "ELI5", "rédige une réponse", "これを要約して",
	} {
		for _, says := range []llmtest.Reply{routeFile("whole"), routeFile(""), route("rag"), route("agent"), llmtest.Text("no JSON")} {
			m := llmtest.Func(func(_ int, req llm.Request) llmtest.Reply {
				if req.Purpose == llm.ForRoute {
					return says
				}
				return llmtest.Text("done")
			})
			d := deskWith(t, m, append(append(papers{}, lease...), plan...))
			res, _ := d.ask(withFiles(d, text, "lease", "plan"))
			system := lastPrompt(m).Messages[0].Content
			for _, h := range append(append(papers{}, lease...), plan...) {
				if !strings.Contains(system, h.Chunk.Text) {
					t.Errorf("%q: the prompt has no %q", text, h.Chunk.Text)
				}
			}
			if res.Text != "done" || !strings.Contains(system, "lease.md, plan.md") {
				t.Errorf("%q: %q", text, res.Text)
			}
		}
	}
}

// long returns a document of n passages that together go beyond a prompt.
func long(n int) papers {
	texts := make([]string, n)
	for i := range texts {
		texts[i] = fmt.Sprintf("Line %d: ", i) + strings.Repeat("all is well on the pump. ", 32)
	}
	texts[n/2] += " Valve K9 leaks."
	return paper("log", "Log", texts...)
}

// TestALongFileIsReadInParts: a request about all of a long file reads it in a bounded number of calls and says when
// that is not all; a detail of it is searched for.
func TestALongFileIsReadInParts(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		passages, parts int
		about           string
		partly          bool
	}{
		"some_parts":      {150, 4, "whole", false},
		"too_many_parts":  {1200, 7, "whole", true},
		"not_said":        {150, 4, "", false},
		"a_detail":        {150, 0, "part", false},
		"a_detail_of_one": {1200, 0, "part", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if testing.Short() && c.passages > 1000 {
				t.Skip("the race detector takes two minutes to index it; the shorter file has the same path")
			}
			m := llmtest.Func(func(_ int, req llm.Request) llmtest.Reply {
				switch req.Purpose {
				case llm.ForRoute:
					return routeFile(c.about)
				case llm.ForSummary:
					return llmtest.Text(fmt.Sprintf("note on %d letters", len(req.Messages[1].Content)))
				}
				return llmtest.Text("done")
			})
			d := deskWith(t, m, long(c.passages))
			question := "요약해줘"
			if c.about == "part" {
				question = "Valve K9?"
			}
			if _, _, err := d.try(withFiles(d, question, "log")); err != nil {
				t.Fatal(err)
			}
			if n := m.Count(llm.ForSummary); n != c.parts {
				t.Errorf("%d calls for parts, want %d", n, c.parts)
			}
			system := lastPrompt(m).Messages[0].Content
			if c.parts > 0 && strings.Count(system, "note on") != c.parts {
				t.Errorf("prompt: %.2000s", system)
			}
			if c.parts == 0 && !strings.Contains(system, "Valve K9 leaks") {
				t.Errorf("prompt: %.2000s", system)
			}
			if strings.Contains(system, "could be read") != c.partly {
				t.Errorf("what was left out: %.600s", system)
			}
		})
	}
}
