package web

import (
	"cmp"
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"time"

	"maru/adapters/web/site"
	"maru/bot"
	"maru/phrase"
	"maru/phrase/fit"
)

// told is a run with its supplements.
type told struct {
	Run    bot.RunView
	Line   timeline
	Wall   string
	Tokens string
	Cost   string
	Flow   template.HTML // drawing of the agent
	Answer template.HTML
	Redo   []redoStep // steps of its task that can be done again; nil: it cannot be
}

// redoStep is a step of a task with the message that repeats the task from there.
type redoStep struct {
	N           int
	Text, Words string
}

// runPage is the trace of a run.
type runPage struct {
	view
	told

	now time.Time
}

// Whom lists the people who may decide a node's question.
func (p runPage) Whom(node string) string {
	i := slices.IndexFunc(p.Run.Waits, func(w bot.RunWait) bool { return w.Node == node })
	if i < 0 {
		return ""
	}
	return fit.Clean(p.Run.Waits[i].Whom(p.Lang))
}

// Ago returns how long ago at was.
func (p runPage) Ago(at time.Time) string { return ago(p.Lang, at, p.now) }

// explained reads a run for a page.
func (d *door) explained(r *http.Request, id string) (told, error) {
	v := visitOf(r)
	run, err := entrance{d}.trace(r, id)
	if err != nil {
		return told{}, fmt.Errorf("read trace: %w", err)
	}
	run.Question, run.Status = fit.Clean(run.Question), cmp.Or(run.Status, "running")
	t := told{Run: run, Line: draw(run, d.cfg.Now())}
	t.Wall = site.Took(t.Line.Total)
	t.Tokens = fmt.Sprintf("%d → %d", run.Usage.Input, run.Usage.Output)
	if run.Usage.Cost > 0 {
		t.Cost = fmt.Sprintf("%.4f", run.Usage.Cost)
	}
	e, ok := d.desk.(Explainer)
	if !ok {
		return t, nil
	}
	more, err := e.Explain(r.Context(), v.user(), run)
	if err != nil {
		return told{}, fmt.Errorf("explain run: %w", err)
	}
	for i, f := range t.Line.Found {
		t.Line.Found[i].Read = more.Read[f.Chunk]
	}
	t.Flow = template.HTML(more.Drawing) //nolint:gosec // G203: made by our own code, which escapes names
	t.Answer = htmlOf(more.Answer, around(t.current(), bot.Card{Run: run.ID}, v.Lang))
	for i, step := range more.Redo {
		t.Redo = append(t.Redo, redoStep{i + 1, fit.Clip(oneLine(step), 120), phrase.Say(v.Lang, "bot.redo.words", i+1)})
	}
	return t, nil
}

// current returns the run's conversation on the console, "" for one elsewhere.
func (t told) current() string {
	if t.Run.Thread.Platform != platform {
		return ""
	}
	return t.Run.Thread.ID
}

func (d *door) runPage(w http.ResponseWriter, r *http.Request) {
	t, err := d.explained(r, r.PathValue("run"))
	if err != nil {
		d.fail(w, r, err)
		return
	}
	v, err := d.view(r, "trace.title", t.current())
	if err != nil {
		d.fail(w, r, err)
		return
	}
	v.Where = "runs"
	d.render(w, r, http.StatusOK, "run", runPage{view: v, told: t, now: d.cfg.Now()})
}
