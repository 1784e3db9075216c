package grade

import (
	_ "embed" // the page
	"fmt"
	"html/template"
	"os"
	"time"

	"maru/rag/eval"
)

//go:embed page.html
var pageText string

var page = template.Must(template.New("page").Funcs(template.FuncMap{
	"share": func(m eval.Mean) string {
		if m.Of() == 0 {
			return "–"
		}
		return fmt.Sprintf("%.3f", m.Value())
	},
	"ms": func(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d)/1e6) },
	"wrong": func(o eval.Outcome) bool {
		return o.Wrong != "" || o.Graded != nil && !o.Graded.Declined && !(o.Graded.Right && o.Graded.Cited && o.Graded.Complete)
	},
}).Parse(pageText))

// Page writes a comparison as an HTML page of its own: the figures, and every question with a wrong answer.
func Page(path string, c eval.Comparison) error {
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("--html: %w", err)
	}
	err = page.Execute(f, c)
	if more := f.Close(); err == nil {
		err = more
	}
	return err
}
