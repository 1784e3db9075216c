package builtin_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"maru/agent/tool"
	"maru/agent/tool/builtin"
	"maru/rag"
)

// shelf is a small index. leaky makes it forget to filter by scope.
type shelf struct {
	docs  []rag.Document
	leaky bool
}

func (s shelf) Documents(_ context.Context, scopes []string) ([]rag.Document, error) {
	return slices.DeleteFunc(slices.Clone(s.docs), func(d rag.Document) bool { return !s.leaky && !slices.Contains(scopes, d.Scope) }), nil
}

func (s shelf) Chunk(_ context.Context, scopes []string, id string) (rag.Chunk, rag.Document, error) {
	doc, ordinal, _ := strings.Cut(id, "#")
	for _, d := range s.docs {
		if d.ID == doc && (s.leaky || slices.Contains(scopes, d.Scope)) && d.Title != "gone" {
			text := "passage " + ordinal + " of " + d.Title
			if d.Title == "long" {
				text += strings.Repeat(" 긴", 1500)
			}
			return rag.Chunk{ID: id, Heading: []string{"1장", "휴가"}, Page: 3, Text: text}, d, nil
		}
	}
	return rag.Chunk{}, rag.Document{}, rag.ErrNotFound
}

var library = shelf{docs: []rag.Document{
	{ID: "d1", Scope: "team", Title: "취업 규칙", Source: "hr/규칙.md", Chunks: 25},
	{ID: "d2", Scope: "channel:a", Title: "Plan", Source: "plan.pdf", Chunks: 1},
	{ID: "d3", Scope: "channel:b", Title: "Salaries", Source: "salaries.xlsx", Chunks: 4},
	{ID: "d4", Scope: "team", Title: "long", Source: "long.txt", Chunks: 10},
	{ID: "d6", Scope: "team", Title: "Release 12", Source: "v12.md", Chunks: 1},
	{ID: "d7", Scope: "team", Title: "Release 1.2", Source: "v1.2.md", Chunks: 1},
	{ID: "d5", Scope: "team", Title: "gone", Source: "gone.txt", Chunks: 1},
}}

var inA = tool.Call{Scopes: []string{"team", "channel:a"}}

func TestReadFile(t *testing.T) {
	t.Parallel()
	type args = map[string]any
	for name, tc := range map[string]struct {
		args args
		want []string
	}{
		"list":          {args{}, []string{"- hr/규칙.md (취업 규칙, 25 passages, id d1)", "plan.pdf"}},
		"by id":         {args{"file": "d2"}, []string{"plan.pdf, passages 1 to 1 of 1\n\n#1 (p. 3 1장 > 휴가)\npassage 0 of Plan"}},
		"by name":       {args{"file": "Plan.PDF"}, []string{"passage 0 of Plan"}},
		"by very name":  {args{"file": "v1.2.md"}, []string{"passage 0 of Release 1.2"}},
		"by very title": {args{"file": "Release 1.2"}, []string{"passage 0 of Release 1.2"}},
		"by title":      {args{"file": "취업규칙"}, []string{"passages 1 to 10 of 25", "[continue with from: 11]"}},
		"by last part":  {args{"file": "규칙.md", "from": 24, "count": 20}, []string{"passages 24 to 25 of 25", "passage 24 of"}},
		"long passages": {args{"file": "long.txt"}, []string{"passages 1 to 2 of 10", "[continue with from: 3]"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := invoke(t, builtin.NewReadFile(library), tc.args, inA)
			if err != nil || len(got.Text) > tool.MaxResult || strings.Contains(got.Text, "alaries") {
				t.Fatalf("got %.300q, %v", got.Text, err)
			}
			for _, want := range tc.want {
				if !strings.Contains(got.Text, want) {
					t.Errorf("got %.300q, want %q", got.Text, want)
				}
			}
		})
	}
}

func TestReadFileStaysInItsScopes(t *testing.T) {
	t.Parallel()
	files := []string{
		"d3", "salaries.xlsx", "Salaries", "SALARIES.XLSX", "/etc/passwd", "../../../../etc/passwd", "file:///etc/passwd", "/proc/self/environ",
		"..", ".", "/", "hr/../../etc/shadow", "C:\\Windows\\win.ini", "\x00", "%2e%2e%2fetc%2fpasswd", "d3#0", "d1#0", "*",
	}
	for i := range 200 { // traversal in many lengths
		files = append(files, strings.Repeat("../", i%20)+fmt.Sprintf("etc/passwd%d", i))
	}
	for _, file := range files {
		for _, docs := range []shelf{library, {docs: library.docs, leaky: true}} {
			_, err := invoke(t, builtin.NewReadFile(docs), map[string]any{"file": file}, inA)
			if e := wrong(t, err, "not_found"); strings.Contains(e.Model, "alaries.xlsx\"?") {
				t.Errorf("%q: tells of a foreign document: %s", file, e.Model)
			}
		}
	}
	for _, nowhere := range []tool.Call{{}, {Scopes: []string{"channel:c"}}} {
		got, err := invoke(t, builtin.NewReadFile(shelf{docs: library.docs, leaky: true}), map[string]any{}, nowhere)
		if err != nil || got.Text != "No documents are shared here." {
			t.Errorf("without scopes: %q, %v", got.Text, err)
		}
	}
}

func TestReadFileBeyondTheEnd(t *testing.T) {
	t.Parallel()
	_, err := invoke(t, builtin.NewReadFile(library), map[string]any{"file": "plan.pdf", "from": 2}, inA)
	wrong(t, err, "bad_argument")
	_, err = invoke(t, builtin.NewReadFile(library), map[string]any{"file": "gone.txt"}, inA)
	wrong(t, err, "not_found")
}
