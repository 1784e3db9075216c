package web

import (
	"cmp"
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"strconv"
	"time"

	"maru/adapters/web/site"
	"maru/bot"
	"maru/phrase/fit"
)

// comparePage shows two runs side by side.
type comparePage struct {
	view

	Sides    [2]told
	Rows     []compared
	Passages []comparedPassage
}

// compared is one fact about both runs.
type compared struct {
	Label  string
	Values [2]string
	Differ bool
}

// comparedPassage is a passage found by at least one of the runs.
type comparedPassage struct {
	Title, Heading string
	Uses           [2]string // its use in each run, "" where it was not found
	Differ         bool
}

// chosenRuns is the number of runs in a comparison.
const chosenRuns = 2

func (d *door) comparePage(w http.ResponseWriter, r *http.Request) {
	ids := r.URL.Query()["run"]
	if len(ids) != chosenRuns || ids[0] == ids[1] {
		d.fail(w, r, &bot.Error{Code: bot.CodeBadCommand, Say: word(visitOf(r).Lang, "compare.choose")})
		return
	}
	v, err := d.view(r, "compare", "")
	if err != nil {
		d.fail(w, r, err)
		return
	}
	v.Where = "runs"
	p := comparePage{view: v}
	for i, id := range ids {
		if p.Sides[i], err = d.explained(r, id); err != nil {
			d.fail(w, r, err)
			return
		}
	}
	p.rows()
	p.passages()
	d.render(w, r, http.StatusOK, "compare", &p)
}

// At shows a moment by the clock of the browser.
func (*comparePage) At(t time.Time) template.HTML { return site.Moment(t) }

// Drawn reports whether there is a drawing of a run's way. A workflow that is gone has none.
func (p *comparePage) Drawn() bool { return p.Sides[0].Flow != "" || p.Sides[1].Flow != "" }

// rows lines the facts of the runs up.
func (p *comparePage) rows() {
	for _, f := range []struct {
		key string
		of  func(told) string
	}{
		{"trace.question", func(t told) string { return oneLine(t.Run.Question) }},
		{"trace.agent", func(t told) string { return oneLine(t.Run.Agent) }},
		{"compare.status", func(t told) string { return p.T("trace.status." + t.Run.Status) }},
		{"trace.model", func(t told) string { return oneLine(t.Run.Usage.Model) }},
		{"trace.time", func(t told) string { return t.Wall }},
		{"trace.calls", func(t told) string { return strconv.Itoa(t.Run.Usage.Calls) }},
		{"trace.tools", func(t told) string { return strconv.Itoa(t.Line.Tools) }},
		{"trace.tokens", func(t told) string { return t.Tokens }},
		{"trace.cost", func(t told) string { return t.Cost }},
	} {
		row := compared{Label: p.T(f.key), Values: [2]string{f.of(p.Sides[0]), f.of(p.Sides[1])}}
		row.Differ = row.Values[0] != row.Values[1]
		if row.Values != [2]string{} {
			p.Rows = append(p.Rows, row)
		}
	}
}

// passages lists the passages that the runs found, one per row with both uses, differences first.
func (p *comparePage) passages() {
	at := map[string]int{}
	for side, t := range p.Sides {
		for _, f := range t.Line.Found {
			key := cmp.Or(f.Chunk, f.Title+"\n"+f.Quote)
			i, known := at[key]
			if !known {
				i = len(p.Passages)
				at[key] = i
				p.Passages = append(p.Passages, comparedPassage{Title: f.Title, Heading: f.Heading})
			}
			p.Passages[i].Uses[side] = p.use(f)
		}
	}
	for i, c := range p.Passages {
		p.Passages[i].Differ = c.Uses[0] != c.Uses[1]
	}
	slices.SortStableFunc(p.Passages, func(a, b comparedPassage) int {
		switch {
		case a.Differ == b.Differ:
			return 0
		case a.Differ:
			return -1
		}
		return 1
	})
}

// use describes the use of a passage, as a run's page does.
func (p *comparePage) use(f foundRow) string {
	switch {
	case f.Cited > 0:
		return fmt.Sprintf(p.T("trace.cited"), f.Cited)
	case f.Newer != "":
		return fmt.Sprintf(p.T("trace.newer"), fit.Clean(f.Newer))
	case f.Read == "no":
		return p.T("trace.unread")
	case f.Read == "yes":
		return p.T("trace.read")
	}
	return p.T("trace.unused")
}
