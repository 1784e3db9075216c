package openai_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"maru/agent/llm"
	"maru/agent/llm/llmtest"
)

// TestLoopsAreCutOff: a model that repeats itself is stopped long before its limit, and the reply is told to be cut off, or is
// none where a word is repeated. What only resembles that is left alone.
func TestLoopsAreCutOff(t *testing.T) {
	t.Parallel()
	list := ""
	for i := range 60 {
		list += fmt.Sprintf("- Person %d: no updates this week.\n", i)
	}
	for name, c := range map[string]struct {
		text  string
		cut   bool
		class llm.Class
	}{
		"a line":          {"Call the desk first.\n" + strings.Repeat("If your laptop is lost, tell the security team [1].\n", 200), true, ""},
		"a sentence":      {strings.Repeat("연차는 내년으로 며칠이나 넘길 수 있어? ", 200), true, ""},
		"two lines":       {strings.Repeat("다 못 쓴 연차는 며칠이나 넘길 수 있어?\n쓰지 않은 연차는 며칠이나 넘길 수 있어?\n", 100), true, ""},
		"white space":     {`{"route": "rag"` + strings.Repeat("\n\t ", 2000), true, llm.Garbage},
		"a letter":        {"Aaa" + strings.Repeat("a", 5000), true, llm.Garbage},
		"while it thinks": {"<think>" + strings.Repeat("Wait, let me check that again. ", 300), true, llm.Length},
		"names differ":    {list, false, ""},
		"zeros in code":   {"```\n" + strings.Repeat("0, 0, 0, 0, 0, 0, 0, 0,\n", 200) + "```\nThat is it.", false, ""},
		"laughter":        {"ㅋ" + strings.Repeat("ㅋ", 60) + " 좋아요.", false, ""},
		"a ruler":         {strings.Repeat("=", 200) + "\nEnd.", false, ""},
		"a checklist":     {strings.Repeat("- [ ] ________________________\n", 20), false, ""},
		"rows of JSON":    {"[" + strings.Repeat(`{"relevant": false, "why": ""},`, 30) + "{}]", false, ""},
		"long laughter":   {strings.Repeat("ㅋ", 620), false, ""},
		"code it thinks":  {"<think>```\n" + strings.Repeat("0, 0, 0, 0, 0, 0, 0, 0,\n", 100) + "```</think>Zeros.", false, ""},
		"seven times":     {strings.Repeat("Please water the plants on the second floor before you leave. ", 7), false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var pieces []string
			for runes := range slices.Chunk([]rune(c.text), 7) {
				pieces = append(pieces, string(runes))
			}
			srv := llmtest.NewServer(t, func(llmtest.Request) llmtest.Reply { return llmtest.Reply{Text: c.text, Pieces: pieces} })
			told, said := 0, c.text
			if _, behind, thought := strings.Cut(said, "</think>"); thought {
				said = behind
			}
			resp, err := model(t, srv, nil).Generate(t.Context(), ask("hi"), func(s string) { told += len(s) })
			if (resp.Finish == "length") != (c.cut && c.class != llm.Garbage) || llm.ClassOf(err) != c.class || c.cut && told > 6000 || !c.cut && resp.Message.Content != said {
				t.Fatalf("%s, %d of %d bytes, %v", resp.Finish, told, len(c.text), err)
			}
		})
	}
}
