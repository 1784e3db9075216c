package rag_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"maru/rag"
	"maru/rag/load"
	"maru/rag/local"
)

func TestTags(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in   []string
		want string
	}{
		{nil, "[]"},
		{[]string{"HR", "ＨＲ", " hr "}, "[hr]"},
		{[]string{"\u110c\u1165\u11bc\u110e\u1162\u11a8", "정책"}, "[정책]"}, // decomposed, as a Mac writes it
		{[]string{"pay  roll", "Pay-Roll"}, "[pay-roll]"},
		{[]string{"b", " ", "a"}, "[a b]"},
	} {
		if got := fmt.Sprint(rag.Tags(c.in)); got != c.want {
			t.Errorf("%q: %s, want %s", c.in, got, c.want)
		}
	}
}

func TestNarrow(t *testing.T) {
	t.Parallel()
	seoul := time.FixedZone("KST", 9*3600)
	day := func(y, m, d int) time.Time { return time.Date(y, time.Month(m), d, 0, 0, 0, 0, seoul) }
	for _, c := range []struct {
		text  string
		left  string
		tags  string
		since time.Time
		until time.Time
	}{
		{"연차는 며칠이야?", "연차는 며칠이야?", "[]", time.Time{}, time.Time{}},
		{"tag:HR how many days?", "how many days?", "[hr]", time.Time{}, time.Time{}},
		{"태그:인사,급여 연차는?", "연차는?", "[급여 인사]", time.Time{}, time.Time{}},
		{"연차 since:2026-03", "연차", "[]", day(2026, 3, 1), time.Time{}},
		{"연차 부터:2026-03-05 까지:2026.6.1", "연차", "[]", day(2026, 3, 5), day(2026, 6, 2)},
		{"leave after:2025 before:2027", "leave", "[]", day(2026, 1, 1), day(2027, 1, 1)},
		{"until:2026", "", "[]", time.Time{}, day(2027, 1, 1)},
		{"since:yesterday it rains", "since:yesterday it rains", "[]", time.Time{}, time.Time{}},
		{"tag: nothing", "tag: nothing", "[]", time.Time{}, time.Time{}},
		{"https://example.com at 10:30", "https://example.com at 10:30", "[]", time.Time{}, time.Time{}},
		{"first line\n  tag:hr second: line", "first line\nsecond: line", "[hr]", time.Time{}, time.Time{}},
		{`tag:"pay roll", how many days?`, "how many days?", "[pay-roll]", time.Time{}, time.Time{}},
		{`he said:"wait  here" and left`, `he said:"wait  here" and left`, "[]", time.Time{}, time.Time{}},
	} {
		q := rag.Narrow(rag.Query{Text: c.text}, seoul)
		f := q.Filter()
		if q.Text != c.left || fmt.Sprint(f.Tags) != c.tags || !f.Since.Equal(c.since) || !f.Until.Equal(c.until) {
			t.Errorf("%q: %q %+v", c.text, q.Text, f)
		}
	}
}

// TestCalled: a document is named by its title or its file, as people shorten them; the whole
// name goes before a part of one.
func TestCalled(t *testing.T) {
	t.Parallel()
	docs := []rag.Document{
		{ID: "rules", Title: "취업규칙", Source: "hr/2026 취업 규칙.pdf"},
		{ID: "travel", Title: "Travel", Source: "travel notes.md"},
		{ID: "abroad", Title: "Travel abroad", Source: "abroad.md"},
		{ID: "hr", Title: "People", Source: "hr.md"},
		{ID: "three", Title: "Three", Source: "three.hr.md"},
	}
	for _, c := range []struct{ text, left, want string }{
		{"doc:Travel how much?", "how much?", "[travel]"}, // not "Travel abroad"
		{"doc:trav how much?", "how much?", "[abroad travel]"},
		{`doc:"Travel notes" how much?`, "how much?", "[travel]"},
		{"document:travel_notes.md, how much?", "how much?", "[travel]"},
		{"문서:취업규칙에서 연차는?", "연차는?", "[rules]"},
		{"문서:“2026 취업 규칙”에서 연차는?", "연차는?", "[rules]"},
		{"doc:hr how much?", "how much?", "[hr]"},
		{"doc:hr doc:abroad how much?", "how much?", "[abroad hr]"},
		{"doc:hr/2026취업규칙.pdf 연차는?", "연차는?", "[rules]"},
		{"doc:nope how much?", "how much?", "[]"},
		{"doc:- how much?", "how much?", "[]"},
		{"doc: how much?", "doc: how much?", "[]"},
	} {
		q := rag.Narrow(rag.Query{Text: c.text}, nil)
		if got := fmt.Sprint(rag.Called(docs, q.Names)); got != c.want || q.Text != c.left {
			t.Errorf("%s: %s in %q, want %s in %q", c.text, got, q.Text, c.want, c.left)
		}
	}
}

// TestNarrowNeverWidens gives a query that is narrow already.
func TestNarrowNeverWidens(t *testing.T) {
	t.Parallel()
	own := rag.Query{Tags: []string{"hr"}, Since: time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC), Until: time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)}
	own.Text = "tag:law since:2020 until:2030 leave"
	got := rag.Narrow(own, time.UTC)
	f := got.Filter()
	if fmt.Sprint(f.Tags) != "[hr law]" || !f.Since.Equal(own.Since) || !f.Until.Equal(own.Until) {
		t.Errorf("narrowed to %+v", f)
	}
	if fmt.Sprint(own.Tags) != "[hr]" {
		t.Errorf("the caller's query changed: %v", own.Tags)
	}
}

func TestIngestTags(t *testing.T) {
	t.Parallel()
	x, err := local.Open(t.Context(), local.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = x.Close() })
	at := time.Unix(1_700_000_000, 0)
	in := rag.Ingester{Loader: load.New(load.Config{}), Index: x, Now: func() time.Time { return at }}
	file := rag.File{Scope: "team", Name: "notes.md", Data: []byte("# 메모\n연차는 15일입니다.")}
	for _, c := range []struct {
		name    string
		tags    []string
		changed bool
		want    string
	}{
		{"first", []string{"HR", "draft"}, true, "[draft hr]"},
		{"the_same_otherwise_spelt", []string{"hr", "Draft", "ＨＲ"}, false, "[draft hr]"},
		{"none_given_leaves_them", nil, false, "[draft hr]"},
		{"others", []string{"final"}, true, "[final]"},
		{"taken_away", []string{}, true, "[]"},
	} {
		file.Tags = c.tags
		doc, changed, err := in.Add(t.Context(), file, nil)
		if err != nil || changed != c.changed || fmt.Sprint(doc.Tags) != c.want || !doc.At.Equal(at) {
			t.Errorf("%s: %+v, changed %v, %v; want %s", c.name, doc, changed, err, c.want)
		}
		in.Now = func() time.Time { return at.Add(time.Hour) } // other tags make no document newer
	}
	for _, bad := range [][]string{{""}, {"a,b"}, {strings.Repeat("가", 40)}, strings.Fields(manyTags())} {
		file.Tags = bad
		if _, _, err := in.Add(t.Context(), file, nil); err == nil {
			t.Errorf("the tags %.40q were taken", bad)
		}
	}
}

func manyTags() string {
	var b strings.Builder
	for i := range 40 {
		fmt.Fprintf(&b, "t%d ", i)
	}
	return b.String()
}

// TestCalledWholeNumbers: a number in a name is whole: 안내 1번 is no part of 안내 11번, nor 201 of 2012.
func TestCalledWholeNumbers(t *testing.T) {
	t.Parallel()
	docs := []rag.Document{{ID: "11", Title: "이용 안내 11번"}, {ID: "2012", Title: "2012년 보고서"}}
	for name, want := range map[string]string{"안내 1번": "[]", "안내 11번": "[11]", "안내 1": "[]", "12년 보고서": "[]", "2012년": "[2012]", "보고서": "[2012]"} {
		if got := fmt.Sprint(rag.Called(docs, []string{name})); got != want {
			t.Errorf("%s calls %s, want %s", name, got, want)
		}
	}
}
