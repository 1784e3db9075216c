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

// TestMembersKeepTheirOrder: what is written first is read first, a question before its answer,
// whatever the letters they begin with.
func TestMembersKeepTheirOrder(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		`{"question": "연차는?", "answer": "15일", "about": {"z": 1, "a": [{"y": true, "b": null, "c": "x"}, 2]}}`: "question: 연차는?\nanswer: 15일\nabout.z: 1\nabout.a.y: true\nabout.a.c: x\nabout.a: 2",
		`[{"b": 12345678901234567890, "a": 1.50}]`: "b: 12345678901234567890\na: 1.50",
	} {
		for _, file := range []string{"a.json", "a.jsonl"} {
			_, chunks := mustLoad(t, file, []byte(name))
			if len(chunks) != 1 || chunks[0].Text != want {
				t.Errorf("%s of %s: %s, want %q", file, name, show(chunks), want)
			}
		}
	}
	for _, broken := range []string{`{"a": 1`, `{"a" 1}`, `{"a": 1,}`, `[1, 2`, `{1: 2}`, `}`, `{"a": [}`, ``, `{"a":1} x`} {
		_, _, err := newLoader().Load(t.Context(), "a.json", []byte(broken))
		if e := new(load.Error); !errors.As(err, &e) {
			t.Errorf("%q: %v", broken, err)
		}
	}
}
