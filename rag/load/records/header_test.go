package records_test

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"maru/rag/load/records"
)

// TestHeaderBelowTitles: an empty line parts titles from a table, in a file that separates nothing on it, too.
func TestHeaderBelowTitles(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Report,May\n\nName,Sum\nOkafor,412.50\nLindqvist,88.10\n":   "Name,Sum",
		"보고서,5월\r\n\r\n이름,합계\r\n오하람,412\r\n유단비,88\r\n":               "이름,합계",
		"작성일,2026-03-03\n,\n사번,이름\n1007,오하람\n1008,유단비\n":             "사번,이름",
		"name,age\nA,1\n\nB,2\nC,3\nD,4\n":                           "name,age",
		"name,age\nA,1\nB,2\n":                                       "name,age",
		"note,\"two\n\nparagraphs\"\nother,one\nthird,x\nfourth,y\n": "note,two\n\nparagraphs",
		"\n\nname,age\nA,1\n":                                        "name,age",
	} {
		r, err := records.NewCSV(text)
		if err != nil {
			t.Fatal(err)
		}
		var head [][]string
		for {
			rec, err := r.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			head = append(head, slices.Clone(rec))
		}
		if got := strings.Join(head[records.HeaderOf(head)], ","); got != want {
			t.Errorf("%q: the header is %q, want %q", text, got, want)
		}
	}
}
