package rehearsal

// Shown is a report formatted in a language, for a page with its own layout.
type Shown struct {
	Facts []string
	Rows  []ShownRow
}

// ShownRow is one question of it.
type ShownRow struct {
	Row

	Label   string // how the answers differ
	Grave   bool
	Same    bool
	Remarks []string
	Sides   []Column
}

// In returns the report in a language. The facts omit the questions that are left, since the remedy depends on the
// page.
func (r Report) In(lang string) Shown {
	v := view{r, lang}
	v.Left = 0
	out := Shown{Facts: v.Facts()}
	if r.Left > 0 && len(r.Rows) == 0 {
		out.Facts = nil // nothing was replayed, which does not say that there is nothing
	}
	for _, row := range r.Rows {
		kind := v.Kind(row)
		out.Rows = append(out.Rows, ShownRow{
			Row: row, Label: v.Kinds(row), Grave: kind == "grave", Same: kind == "same", Remarks: v.Notes(row), Sides: v.Columns(row),
		})
	}
	return out
}
