package office

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf16"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"

	"maru/rag/load/charset"
	"maru/rag/load/outline"
	"maru/rag/load/pack"
)

// unsaid are groups of RTF that hold no text of the document.
var unsaid = map[string]bool{
	"fonttbl": true, "colortbl": true, "stylesheet": true, "info": true, "pict": true, "object": true, "listtable": true,
	"listoverridetable": true, "rsidtbl": true, "generator": true, "themedata": true, "datastore": true, "fldinst": true, "revtbl": true,
	"xmlnstbl": true, "filetbl": true, "latentstyles": true, "pntext": true, "bkmkstart": true, "bkmkend": true, "nonesttables": true,
}

// rtf reads RTF word by word.
type rtf struct {
	add   outline.Add
	code  encoding.Encoding
	fonts map[int]encoding.Encoding // those with a character set of their own
	entry int                       // font of the font table's entry being read
	deff  int                       // default font
	bytes []byte                    // of the font's character set or the code page, not decoded yet
	units []uint16                  // of \u
	words strings.Builder
	cell  strings.Builder // paragraphs before the open one
	row   outline.TableRow
	rows  []outline.TableRow
	nests []rtfNest // tables within the cell, each within a cell of the one before
	group []rtfGroup
	skip  int // characters that stand for the last \u
}

type rtfNest struct {
	depth int
	row   outline.TableRow
	rows  []outline.TableRow
}

type rtfGroup struct {
	unsaid bool
	uc     int
	table  bool // of fonts
	font   int  // -1: the default one
	cell   bool // the paragraph is in a table
	depth  int  // of the table that it is in, if it is within another
	level  int  // of the paragraph in the outline, 0 for text
}

// signs are the control words that stand for text.
var signs = map[string]string{"line": "\n", "tab": "\t", "emdash": "—", "endash": "–", "lquote": "'", "rquote": "'", "ldblquote": `"`, "rdblquote": `"`, "bullet": "•"}

// maxGroups bounds the nesting of groups.
const maxGroups = 1000

// RTF passes the blocks of a rich text file on.
func RTF(data []byte, add outline.Add) error {
	r := &rtf{add: add, code: charmap.Windows1252, fonts: map[int]encoding.Encoding{}, group: []rtfGroup{{uc: 1, font: -1}}}
	for i := 0; i < len(data); {
		var err error
		if i, err = r.next(data, i); err != nil {
			return err
		}
	}
	r.flush()
	if top := &r.group[len(r.group)-1]; len(r.row.Values) > 0 || top.cell { // a row without an end
		r.endRow()
		top.cell = false
	}
	return r.paragraph()
}

// next reads one brace, control or letter at i and returns where the next one begins.
func (r *rtf) next(data []byte, i int) (int, error) {
	top := &r.group[len(r.group)-1]
	if data[i] == '{' || data[i] == '}' {
		r.skip = 0 // what stands for a letter ends with its group
	}
	switch c := data[i]; c {
	case '{':
		if len(r.group) > maxGroups {
			return 0, pack.ErrLimit
		}
		r.group = append(r.group, *top)
	case '}':
		r.flush()
		if len(r.group) > 1 {
			r.group = r.group[:len(r.group)-1]
		}
	case '\\':
		return r.control(data, i+1)
	case '\r', '\n':
	default:
		r.letter(c)
	}
	return i + 1, nil
}

func (r *rtf) letter(c byte) {
	if r.skip > 0 {
		r.skip--
		return
	}
	r.flushUnits()
	if !r.group[len(r.group)-1].unsaid {
		r.bytes = append(r.bytes, c)
	}
}

// flush decodes what is waiting.
func (r *rtf) flush() {
	r.flushUnits()
	if len(r.bytes) > 0 {
		s, err := r.encoding().NewDecoder().Bytes(r.bytes)
		if err == nil && bytes.Contains(s, []byte("\uFFFD")) { // not what the font says
			s, err = r.code.NewDecoder().Bytes(r.bytes)
		}
		if err == nil {
			r.words.Write(s)
		}
		r.bytes = nil
	}
}

// encoding returns the encoding of the present font, else of the code page.
func (r *rtf) encoding() encoding.Encoding {
	font := r.group[len(r.group)-1].font
	if font < 0 {
		font = r.deff
	}
	if own := r.fonts[font]; own != nil {
		return own
	}
	return r.code
}

func (r *rtf) flushUnits() {
	if len(r.units) > 0 {
		r.words.WriteString(string(utf16.Decode(r.units)))
		r.units = nil
	}
}

func (r *rtf) control(data []byte, i int) (int, error) {
	if i >= len(data) {
		return i, nil
	}
	top := &r.group[len(r.group)-1]
	if c := data[i]; c == '\'' {
		if i+3 <= len(data) {
			if n, err := strconv.ParseUint(string(data[i+1:i+3]), 16, 8); err == nil {
				r.letter(byte(n))
			}
		}
		return i + 3, nil
	} else if c < 'A' || c > 'Z' && c < 'a' || c > 'z' {
		switch c {
		case '*':
			top.unsaid = top.unsaid || i > 1 && data[i-2] == '{' // elsewhere it means nothing
		case '~':
			r.letter(' ')
		case '\\', '{', '}':
			r.letter(c)
		case '_':
			r.letter('-')
		}
		return i + 1, nil
	}
	at := i
	for at < len(data) && (data[at] >= 'a' && data[at] <= 'z' || data[at] >= 'A' && data[at] <= 'Z') {
		at++
	}
	word, digits := string(data[i:at]), at
	if at < len(data) && data[at] == '-' {
		at++
	}
	for at < len(data) && data[at] >= '0' && data[at] <= '9' {
		at++
	}
	n, err := strconv.Atoi(string(data[digits:at]))
	if at < len(data) && data[at] == ' ' {
		at++
	}
	if word == "bin" && err == nil && n > 0 {
		return min(len(data), at+n), nil
	}
	return at, r.word(word, n, err == nil)
}

func (r *rtf) word(word string, n int, given bool) error {
	top := &r.group[len(r.group)-1]
	if unsaid[word] {
		top.unsaid = true
	}
	switch word {
	case "ansicpg":
		if page := charset.Page(n); page != nil {
			r.code = page
		}
	case "fonttbl":
		top.table = true
	case "fcharset", "cpg":
		of := map[string]func(int) encoding.Encoding{"fcharset": charset.Font, "cpg": charset.Page}[word]
		if own := of(n); top.table && own != nil {
			r.fonts[r.entry] = own
		}
	case "deff":
		r.flush()
		r.deff = n
	case "f":
		r.flush()
		if top.table {
			r.entry = n
		} else {
			top.font = n
		}
	case "plain":
		r.flush()
		top.font = -1
	case "uc":
		top.uc = max(0, n)
	case "u":
		if r.flushBytes(); given && !top.unsaid {
			r.units = append(r.units, uint16(n)) //nolint:gosec // negative numbers are of the upper half
		}
		r.skip = top.uc
	}
	if word == "nestrow" { // among the properties of the row
		n := r.nest(top.depth)
		n.rows, n.row = append(n.rows, n.row), outline.TableRow{}
	}
	if top.unsaid {
		return nil
	}
	if sign, ok := signs[word]; ok {
		r.flush()
		r.words.WriteString(sign)
		return nil
	}
	return r.layout(word, n, given)
}

// layout reads the words for paragraphs and tables.
func (r *rtf) layout(word string, n int, given bool) error {
	top := &r.group[len(r.group)-1]
	switch word {
	case "pard":
		top.cell, top.depth, top.level = false, 0, 0
	case "intbl":
		top.cell = true
	case "itap":
		top.depth = n
	case "outlinelevel":
		if top.level = 0; given && n >= 0 && n < 9 {
			top.level = n + 1
		}
	case "par", "sect", "page":
		return r.paragraph()
	case "cell":
		r.flush()
		r.endCell()
	case "row":
		r.flush()
		r.endRow()
		for i := range r.group {
			r.group[i].cell = false
		}
	case "nestcell":
		r.flush()
		n := r.nest(top.depth)
		n.row.Values = append(n.row.Values, strings.TrimSpace(r.words.String()))
		r.words.Reset()
	}
	return nil
}

// nest returns the open table of a depth, and ends those within it. A depth that is not given is that of the innermost.
func (r *rtf) nest(depth int) *rtfNest {
	last := len(r.nests) - 1
	if depth < 2 {
		depth = 2
		if last >= 0 {
			depth = r.nests[last].depth
		}
	}
	for ; last >= 0 && r.nests[last].depth > depth; last-- {
		r.endNest()
	}
	if last < 0 || r.nests[last].depth < depth {
		r.nests = append(r.nests, rtfNest{depth: depth})
	}
	return &r.nests[len(r.nests)-1]
}

// endNest ends the innermost table in the open cell around it.
func (r *rtf) endNest() {
	last := len(r.nests) - 1
	n, around := r.nests[last], &r.row
	if r.nests = r.nests[:last]; last > 0 {
		around = &r.nests[last-1].row
	}
	if len(n.row.Values)+len(n.row.Inner) > 0 {
		n.rows = append(n.rows, n.row)
	}
	around.Boxed = append(around.Boxed, len(around.Values))
	around.Inner = append(around.Inner, outline.Whole(n.rows, 0)...)
}

// endRow ends a row, and its last cell if that has no end.
func (r *rtf) endRow() {
	if len(r.nests) > 0 || strings.TrimSpace(r.cell.String()+r.words.String()) != "" {
		r.endCell()
	}
	if len(r.row.Values) > 0 {
		r.rows, r.row = append(r.rows, r.row), outline.TableRow{}
	}
}

// endCell ends a cell with the tables within it.
func (r *rtf) endCell() {
	for len(r.nests) > 0 {
		r.endNest()
	}
	r.row.Values = append(r.row.Values, strings.TrimSpace(r.cell.String()+r.words.String()))
	r.words.Reset()
	r.cell.Reset()
}

// flushBytes decodes letters of the code page before ones of Unicode.
func (r *rtf) flushBytes() {
	if len(r.bytes) > 0 {
		r.flush()
	}
}

// paragraph ends a paragraph; within a row it goes on in the cell.
func (r *rtf) paragraph() error {
	r.flush()
	text, top := strings.TrimSpace(r.words.String()), r.group[len(r.group)-1]
	if r.words.WriteByte(' '); top.cell && top.depth > 1 {
		return nil
	}
	if len(r.row.Values) > 0 || top.cell {
		r.cell.WriteString(r.words.String())
		r.words.Reset()
		return nil
	}
	r.words.Reset()
	r.endRow()
	for _, b := range outline.Whole(r.rows, 0) {
		if err := r.add(b); err != nil {
			return err
		}
	}
	r.rows = nil
	if top.level > 0 {
		return r.add(outline.Block{Kind: outline.Heading, Level: top.level, Text: text})
	}
	return r.add(outline.Block{Text: text})
}
