package pdf

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"strings"
	"testing"

	"maru/rag/load/loadtest"
)

// drawings returns a PDF of forms, each of which calls the next one so often.
func drawings(t *testing.T, levels, times int, deflate, apart bool) []byte {
	t.Helper()
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n")
	for i := range levels {
		id := 10 + 2*i
		content, filter := strings.Repeat("/F Do ", times), ""
		if deflate {
			var z bytes.Buffer
			w := zlib.NewWriter(&z)
			if _, err := w.Write([]byte(content)); err != nil || w.Close() != nil {
				t.Fatal(err)
			}
			content, filter = z.String(), "/Filter/FlateDecode"
		}
		resources := fmt.Sprintf("/Resources<</XObject<</F %d 0 R>>>>", id+2)
		if apart {
			resources = fmt.Sprintf("/Resources %d 0 R", id+1)
		}
		fmt.Fprintf(&b, "%d 0 obj\n<</Type/XObject/Subtype /Form/BBox[0 0 9 9]%s%s/Length %d>>\nstream\n%s\nendstream\nendobj\n", id, resources, filter, len(content), content)
		fmt.Fprintf(&b, "%d 0 obj\n<</XObject<</F %d 0 R>>>>\nendobj\n", id+1, id+2)
	}
	return b.Bytes()
}

// TestDrawingsThatCallEachOther: a file of a few kilobytes whose forms double at every level is refused at once; forms as programs
// write them, nested and repeated, are read.
func TestDrawingsThatCallEachOther(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		levels, times int
		want          bool
	}{
		"double_20_times": {20, 2, true}, "ten_5_times": {6, 10, true}, "a_thousand_twice": {3, 1000, true},
		"one_in_another": {30, 1, false}, "a_pattern": {2, 5000, false}, "a_table_of_icons": {4, 12, false}, "a_plot": {2, 60_000, false}, "none": {0, 0, false},
	} {
		for _, deflate := range []bool{false, true} {
			for _, apart := range []bool{false, true} {
				if got := nested(drawings(t, c.levels, c.times, deflate, apart)); got != c.want {
					t.Errorf("%s, deflated %v, resources apart %v: %v", name, deflate, apart, got)
				}
			}
		}
	}
	all := drawings(t, 0, 0, false, false) // each of twenty calls all
	for i := range 20 {
		var names, content strings.Builder
		for k := range 20 {
			fmt.Fprintf(&names, "/F%d %d 0 R ", k, 10+k)
			fmt.Fprintf(&content, "/F%d Do ", k)
		}
		all = fmt.Appendf(all, "%d 0 obj\n<</Subtype/Form/Resources<</XObject<<%s>>>>>>\nstream\n%s\nendstream\nendobj\n", 10+i, names.String(), content.String())
	}
	if !nested(all) {
		t.Error("twenty that call each other are read")
	}
}

const text = "BT /T 12 Tf 20 200 Td (hello forms) Tj ET"

// page returns a PDF of one page with this content that draws forms, each of which calls the next one so often, the last of which draws leaf.
func page(t *testing.T, levels, times int, content, leaf string) []byte {
	t.Helper()
	b := drawings(t, levels, times, true, false)
	b = fmt.Appendf(b, "2 0 obj\n<</Type/Pages/Kids[3 0 R]/Count 1>>\nendobj\n3 0 obj\n<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]/Contents 4 0 R/Resources<</Font<</T 5 0 R>>/XObject<</F 10 0 R>>>>>>\nendobj\n")
	b = fmt.Appendf(b, "4 0 obj\n<</Length %d>>\nstream\n%s\nendstream\nendobj\n5 0 obj\n<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>\nendobj\n", len(content), content)
	return fmt.Appendf(b, "%d 0 obj\n<</Type/XObject/Subtype/Form/BBox[0 0 300 300]/Resources<</Font<</T 5 0 R>>>>/Length %d>>\nstream\n%s\nendstream\nendobj\ntrailer\n<</Root 1 0 R>>\n%%%%EOF\n",
		10+2*levels, len(leaf), leaf)
}

// TestNestedDrawingsAreRead: the text of a form within forms is found, and the same file with forms that double is refused.
func TestNestedDrawingsAreRead(t *testing.T) {
	t.Parallel()
	e, err := Open(t.Context(), Config{Cache: loadtest.PDFCache()})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = e.Close() }()
	d, err := e.Document(page(t, 3, 1, "/F Do", text))
	if err != nil {
		t.Fatal(err)
	}
	texts, err := d.Page(0, 1<<20)
	if err != nil || !strings.Contains(strings.Join(texts, " "), "hello forms") {
		t.Errorf("%q, %v", texts, err)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	plot := page(t, 1, 30_000, "/F Do "+text, "0 0 m 1 0 1 1 0 1 c f") // a marker for each point
	if d, err = e.Document(plot); err != nil {
		t.Fatal(err)
	}
	if texts, err = d.Page(0, 1<<20); err != nil || !strings.Contains(strings.Join(texts, " "), "hello forms") {
		t.Errorf("a plot of 30,000 points: %q, %v", texts, err)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	if _, err := e.Document(page(t, 25, 2, "/F Do", text)); !errors.Is(err, ErrNested) {
		t.Errorf("forms that double: %v", err)
	}
}
