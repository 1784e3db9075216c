package load

import (
	"errors"
	"io"
	"slices"
	"strings"

	"maru/rag/load/outline"
	"maru/rag/load/records"
)

// parseCSV makes every record a row with the column names. Lines above them, as reports have them, are paragraphs.
func parseCSV(data []byte, _ limits, out *sink) error {
	text, err := decodeText(data)
	if err != nil {
		return err
	}
	r, err := records.NewCSV(text)
	if err != nil {
		return fault(TooComplex, "", err)
	}
	var head [][]string
	for len(head) < csvHead {
		rec, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fault(Broken, "", err)
		}
		head = append(head, slices.Clone(rec))
	}
	at := headerOf(head)
	if err := above(head[:at], out); err != nil {
		return err
	}
	t := csvRows{out: out}
	for _, rec := range head[at:] {
		if err := t.add(rec); err != nil {
			return err
		}
	}
	for {
		rec, err := r.Next()
		if errors.Is(err, io.EOF) {
			return t.end()
		}
		if err != nil {
			return fault(Broken, "", err)
		}
		if err := t.add(rec); err != nil {
			return err
		}
	}
}

// csvRows emits records below the names of their columns.
type csvRows struct {
	out    *sink
	header []string
	rows   int
}

func (t *csvRows) add(rec []string) error {
	switch {
	case filled(rec) == 0:
		return nil
	case t.header == nil:
		t.header = slices.Clone(rec)
		return nil
	}
	t.rows++
	return t.out.add(block{Kind: row, Text: outline.RowText(t.header, rec)})
}

// end emits the names of columns without rows: they are all there is.
func (t *csvRows) end() error {
	if t.rows > 0 || t.header == nil {
		return nil
	}
	return t.out.add(block{Kind: row, Text: outline.RowText(nil, t.header)})
}

const (
	csvHead   = 40 // records by which the names of columns are found
	maxTitles = 12 // lines above them
)

// headerOf returns which record has the names of the columns: the first as wide as the rows of the table. Lines of a
// name and a value above an empty line are none of a table of two columns.
func headerOf(head [][]string) int {
	var wide []int
	for _, rec := range head {
		if n := extent(rec); n > 0 {
			wide = append(wide, n)
		}
	}
	width := most(wide[len(wide)/2:])
	at := 0
	for at < min(len(head), maxTitles) && (extent(head[at]) < width || filled(head[at]) < min(2, width)) {
		at++
	}
	if at == min(len(head), maxTitles) {
		return 0
	}
	for i := at + 1; i < min(len(head)-1, maxTitles); i++ {
		if extent(head[i]) == 0 && extent(head[i+1]) >= width && width == 2 && i-at < len(head)-i-1 {
			return i + 1
		}
	}
	return at
}

// extent is the number of cells up to the last that is filled.
func extent(rec []string) int {
	n := len(rec)
	for n > 0 && strings.TrimSpace(rec[n-1]) == "" {
		n--
	}
	return n
}

// most returns the number that stands most often in a list, of equals the largest.
func most(list []int) int {
	count, best := map[int]int{}, 0
	for _, n := range list {
		count[n]++
	}
	for n, c := range count {
		if c > count[best] || c == count[best] && n > best {
			best = n
		}
	}
	return best
}

// above emits the lines above the names of columns: a name and its value, or a title.
func above(lines [][]string, out *sink) error {
	for _, rec := range lines {
		var cells []string
		for _, c := range rec {
			if c = strings.TrimSpace(c); c != "" {
				cells = append(cells, c)
			}
		}
		between := " | "
		if len(cells) == 2 {
			between = ": "
		}
		if err := out.add(block{Kind: para, Text: strings.Join(cells, between)}); err != nil {
			return err
		}
	}
	return nil
}
