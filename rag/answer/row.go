package answer

import (
	"slices"

	"maru/phrase/pattern"
	"maru/rag"
)

// tableRow matches a row of a table as a sentence, with the value of its first column: "보험: 산재보험, 부담: 회사".
var tableRow = pattern.New(`^[^:,]{1,40}: ([^:,]{1,60}), [^:]{1,40}: `)

// rowFor reports whether a sentence is the row of the thing that a question names in full, and has a value of the kind that is
// asked for.
func (s sentence) rowFor(question string) bool {
	m := tableRow.FindStringSubmatch(s.text)
	if m == nil || s.value < 1 {
		return false
	}
	thing, in := Subject(m[1]), rag.HoldingOf(question)
	return len(thing) > 0 && !slices.ContainsFunc(thing, func(w rag.Word) bool { return in.Match(w) < 1 })
}
