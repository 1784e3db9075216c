package load_test

import (
	"errors"
	"strings"
	"testing"

	"maru/rag/load"
)

// TestBrokenLines: a line that is no JSON costs itself, and is told; a file of such lines
// is refused.
func TestBrokenLines(t *testing.T) {
	t.Parallel()
	doc, chunks := mustLoad(t, "a.jsonl", []byte("{\"name\": \"지수\"}\n\n{\"name\": \"민\n{\"name\": \"하나\"}\n"))
	if got := show(chunks); got != "[a] name: 지수\n[a] name: 하나" && got != "[a] name: 지수 / name: 하나" {
		t.Errorf("read %s", got)
	}
	if list := load.Unread(doc); len(list) != 1 || !strings.HasPrefix(list[0].PeopleText("ko"), "a.jsonl:3번째 줄") {
		t.Errorf("unread %v", list)
	}
	inZip, _ := mustLoad(t, "b.zip", zipOf(t, "a.jsonl", "{\"a\": 1}\n{\n"))
	if list := load.Unread(inZip); len(list) != 1 || list[0].Name != "b.zip/a.jsonl:2" {
		t.Errorf("unread of an archive %v", list)
	}
	for name, data := range map[string]string{"all": "{\n{\n", "most": "{\"a\": 1}\n" + strings.Repeat("{\n", 21)} {
		_, _, err := newLoader().Load(t.Context(), "a.jsonl", []byte(data))
		if e := new(load.Error); !errors.As(err, &e) || e.Code != load.Broken || !strings.Contains(err.Error(), "line ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
