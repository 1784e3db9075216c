package mcp_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"maru/agent/tool"
	"maru/agent/tool/mcp"
)

// TestDocumentsAreRead: the model reads the text of a document that a tool returns, and the person gets the file; what cannot be
// read is a file alone.
func TestDocumentsAreRead(t *testing.T) {
	t.Parallel()
	read := func(_ context.Context, name string, data []byte) (string, error) {
		if text, ok := bytes.CutPrefix(data, []byte("%PDF-1.7 ")); ok && name != "photo.png" {
			return "the text of the " + string(text), nil
		}
		return "", errors.New("broken")
	}
	b := start(t, mcp.Config{Servers: []mcp.Server{stdio("odd", "good")}, Read: read})
	b.ready()
	got, err := b.call("odd_report", `{}`)
	want := "successfully downloaded\n[file report.pdf, application/pdf, 15 bytes: the person gets it; its text follows]\nthe text of the report\n" +
		"[file broken.pdf, application/pdf, 6 bytes: the person gets it, you do not see it]\n[file photo.png, image/png, 14 bytes: the person gets it, you do not see it]"
	if err != nil || got.Text != want || len(got.Files) != 3 {
		t.Errorf("%q, %d files, %v", got.Text, len(got.Files), err)
	}
}

// TestLongDocumentsDisplaceNothing: long documents share the room that the rest of a result leaves, and what is cut says so.
func TestLongDocumentsDisplaceNothing(t *testing.T) {
	t.Parallel()
	read := func(_ context.Context, name string, _ []byte) (string, error) {
		return map[string]string{"long.pdf": strings.Repeat("긴 ", 40_000), "longer.pdf": strings.Repeat("words ", 100_000), "short.pdf": strings.Repeat("s", 9_000)}[name], nil
	}
	b := start(t, mcp.Config{Servers: []mcp.Server{stdio("odd", "good")}, Read: read})
	b.ready()
	got, err := b.call("odd_books", `{}`)
	if err != nil || len(got.Text) > tool.MaxResult || len(got.Text) < tool.MaxResult-300 || len(got.Files) != 3 || !strings.HasSuffix(got.Text, "\nthree documents") {
		t.Errorf("%d bytes, %d files, %v", len(got.Text), len(got.Files), err)
	}
	for part, n := range map[string]int{
		"[file long.pdf, application/pdf, 13 bytes: the person gets it; its text follows, cut]\n긴 ":       1,
		"[file longer.pdf, application/pdf, 15 bytes: the person gets it; its text follows, cut]\nwords ": 1,
		"its text follows]\n" + strings.Repeat("s", 9_000) + "\n":                                         1,
		"more bytes were left out]": 2,
	} {
		if strings.Count(got.Text, part) != n {
			t.Errorf("%d times %.100q", strings.Count(got.Text, part), part)
		}
	}
}

// TestTypedResultsAreRead: a tool that promises no form may give values alone, or beside a text that is something else. Models read them;
// programs do not take them for checked.
func TestTypedResultsAreRead(t *testing.T) {
	t.Parallel()
	b := start(t, mcp.Config{Servers: []mcp.Server{stdio("odd", "good")}})
	b.ready()
	for name, c := range typed {
		want := strings.Join(c.said, "\n")
		if !c.whole {
			want = strings.TrimPrefix(want+"\n"+c.values, "\n")
		}
		if got, err := b.call("odd_"+name, `{}`); err != nil || got.Text != want || got.Data != nil {
			t.Errorf("%s: %q, want %q; %s, %v", name, got.Text, want, got.Data, err)
		}
	}
}
