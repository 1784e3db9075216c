package cut

import (
	"strings"

	"maru/rag/article"
	"maru/rag/load/outline"
)

// Numbering finds headings by their number alone ("3. Fees") in documents numbered throughout, as English contracts
// are. List items are numbered too; headings differ by forming one sequence through the whole document with text
// between them.
type Numbering struct{ lines map[string]article.Head }

// fewest is the minimum number of headings in a document numbered throughout.
const fewest = 3

// NewNumbering returns the numbering of a document, empty if it has none.
func NewNumbering(blocks []outline.Block) Numbering {
	n := Numbering{lines: map[string]article.Head{}}
	last, text := "", true
	top := 0
	const most = 100_000 // headings; a list of more is no contract
	for _, b := range blocks {
		if b.Kind != outline.Para {
			text = text || b.Kind != outline.Heading
			continue
		}
		for line := range strings.SplitSeq(b.Text, "\n") {
			if _, ok := article.Heading(line); ok {
				return Numbering{} // it numbers its parts in words
			}
			h, ok := article.Numbered(line)
			first := last == "" && h.Ref.Number == "1"
			if !ok || !(first || article.Follows(last, h.Ref.Number)) || (!text && !strings.HasPrefix(h.Ref.Number, last+"-")) {
				text = text || strings.TrimSpace(line) != ""
				continue
			}
			if n.lines[strings.TrimSpace(line)] = h; len(n.lines) > most {
				return Numbering{}
			}
			last, text = h.Ref.Number, false
			if !strings.Contains(last, "-") {
				top++
			}
		}
	}
	if top < fewest {
		return Numbering{}
	}
	return n
}

// Heading returns a line as a heading, if it is one.
func (n Numbering) Heading(line string) (article.Head, bool) {
	h, ok := n.lines[strings.TrimSpace(line)]
	return h, ok
}
