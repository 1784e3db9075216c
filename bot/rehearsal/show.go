package rehearsal

import (
	_ "embed" // the page
	"errors"
	"fmt"
	"html/template"
	"io"
	"strings"
	"time"
	"unicode"

	"maru/phrase"
	"maru/phrase/fit"
	"maru/phrase/pattern"
)

//go:embed page.html
var pageText string

const (
	shownRows  = 20  // of the summary
	shownText  = 160 // letters of a text there
	shownParts = 8   // numbers, names and sources of a difference
)

// view is a report in a language.
type view struct {
	Report

	Lang string
}

// WriteText writes a summary for a terminal. file is the settings file that was tried, "" if there is none to accept.
func (r Report) WriteText(w io.Writer, lang, file string) error {
	v := view{r, lang}
	lines := append([]string{v.Title()}, v.Facts()...)
	for i, row := range r.Rows {
		if !row.Difference.Changed() && row.Difference.Kind() != Open {
			continue
		}
		if i >= shownRows {
			lines = append(lines, "", phrase.Say(lang, "rehearse.more", r.Changed()+r.Count(Open)-i))
			break
		}
		lines = append(lines, "", fmt.Sprintf("%d. [%s] %s", row.N, v.Kinds(row), short(row.Text)))
		lines = append(lines, "   - "+short(v.Shown(row.Before)), "   + "+short(v.Shown(row.After)))
		for _, note := range v.Notes(row) {
			lines = append(lines, "   "+note)
		}
	}
	if file != "" {
		lines = append(lines, "", phrase.Say(lang, "rehearse.accept", file))
	}
	_, err := io.WriteString(w, strings.Join(lines, "\n")+"\n")
	return wrap("write report", err)
}

func short(text string) string { return fit.Clip(fit.OneLine(text), shownText) }

// WritePage writes the report as an HTML page.
func (r Report) WritePage(w io.Writer, lang string) error {
	page, err := template.New("page").Parse(pageText)
	if err != nil {
		return wrap("parse page", err)
	}
	return wrap("write page", page.Execute(w, view{r, lang}))
}

// Title heads the report.
func (v view) Title() string { return phrase.Say(v.Lang, "rehearse.title", v.Name) }

// T says a sentence without arguments.
func (v view) T(key string) string { return phrase.Say(v.Lang, key) }

// Facts returns the report's figures as sentences.
func (v view) Facts() []string {
	if len(v.Rows) == 0 && v.Left == 0 {
		return []string{phrase.Say(v.Lang, "rehearse.none")}
	}
	out := []string{
		phrase.Say(v.Lang, "rehearse.summary", len(v.Rows), v.Changed(), v.Count(Worded), v.Count(Unchanged), v.Count(Open)),
		phrase.Say(v.Lang, "rehearse.cost", money(v.Spent), v.Used.Calls, v.Used.Input+v.Used.Output, money(v.Was)),
	}
	if v.Based {
		out = append(out, phrase.Say(v.Lang, "rehearse.baseline", v.Chance(), len(v.Rows)))
	}
	if v.Gone > 0 {
		out = append(out, phrase.Say(v.Lang, "rehearse.gone", v.Gone))
	}
	switch {
	case v.Left == 0:
	case errors.Is(v.Why, ErrCost):
		out = append(out, phrase.Say(v.Lang, "rehearse.left.cost", v.Left))
	case errors.Is(v.Why, ErrTime):
		out = append(out, phrase.Say(v.Lang, "rehearse.left.time", v.Left))
	default:
		out = append(out, phrase.Say(v.Lang, "rehearse.left.stopped", v.Left))
	}
	return out
}

func money(cost float64) string { return fmt.Sprintf("%.4f", cost) }

// Kinds names how a row's answers differ.
func (v view) Kinds(row Row) string {
	kinds := row.Difference.Kinds
	if len(kinds) == 0 {
		kinds = []Kind{Unchanged}
	}
	var out []string
	for _, k := range kinds {
		out = append(out, phrase.Say(v.Lang, "rehearse.kind."+string(k)))
	}
	return strings.Join(out, ", ")
}

// Kind returns the style name of a row.
func (v view) Kind(row Row) string {
	switch row.Difference.Kind() {
	case Broken, Declines, Numbers, Uncited:
		return "grave"
	case Unchanged, Worded:
		return "same"
	}
	return ""
}

// Shown returns an answer's text, or the reason why there is none.
func (v view) Shown(a Answer) string {
	switch a.End {
	case Unrecorded:
		return phrase.Say(v.Lang, "rehearse.end.unrecorded", a.Why)
	case Asks:
		return phrase.Say(v.Lang, "rehearse.end.asks", a.Why)
	case Failed:
		return phrase.Say(v.Lang, "rehearse.end.failed", a.Why)
	}
	return a.Text
}

// Notes returns further information on a row.
func (v view) Notes(row Row) []string {
	var out []string
	d := row.Difference
	if len(d.Gone) > 0 {
		out = append(out, phrase.Say(v.Lang, "rehearse.only.before", v.parts(d.Gone)))
	}
	if len(d.New) > 0 {
		out = append(out, phrase.Say(v.Lang, "rehearse.only.after", v.parts(d.New)))
	}
	if row.Files {
		out = append(out, phrase.Say(v.Lang, "rehearse.files"))
	}
	if row.Chance {
		out = append(out, phrase.Say(v.Lang, "rehearse.noise"))
	}
	if o := row.Opinions; o != nil {
		key := "rehearse.even"
		switch a, b := o.Before.Points(), o.After.Points(); {
		case a > b:
			key = "rehearse.worse"
		case a < b:
			key = "rehearse.better"
		}
		out = append(out, phrase.Say(v.Lang, key))
	}
	return out
}

// parts joins the first of a difference's parts.
func (v view) parts(list []string) string {
	more := len(list) - shownParts
	if more <= 0 {
		return strings.Join(list, " · ")
	}
	return strings.Join(list[:shownParts], " · ") + " · " + phrase.Say(v.Lang, "rehearse.more", more)
}

// Asked describes who asked, and when.
func (v view) Asked(row Row) string {
	return phrase.Say(v.Lang, "rehearse.asked", row.Author, row.At.Format("2006-01-02 15:04"))
}

// Column is one answer of a row on the page.
type Column struct {
	Title, Route, Sources, Grade string
	Text                         template.HTML
}

// Columns returns a row's answers side by side.
func (v view) Columns(row Row) []Column {
	before, after := v.Shown(row.Before), v.Shown(row.After)
	var out []Column
	add := func(title string, a Answer, text, other string, o *Opinion) {
		c := Column{Title: title, Text: marked(text, other), Sources: phrase.Say(v.Lang, "rehearse.sources.none")}
		c.Route = phrase.Say(v.Lang, "rehearse.route", dash(a.Agent), dash(a.Route), money(a.Usage.Cost), a.Took.Round(10*time.Millisecond))
		if list := cited(a.Sources); len(list) > 0 {
			c.Sources = phrase.Say(v.Lang, "rehearse.sources", strings.Join(list, "; "))
		}
		if o != nil {
			c.Grade = v.grade(*o)
		}
		out = append(out, c)
	}
	var was, is *Opinion
	if row.Opinions != nil {
		was, is = &row.Opinions.Before, &row.Opinions.After
	}
	if row.Base != nil {
		add(v.T("rehearse.before"), row.Was, row.Was.Text, row.Was.Text, nil)
		add(v.T("rehearse.base"), row.Before, before, after, was)
	} else {
		add(v.T("rehearse.before"), row.Before, before, after, was)
	}
	add(v.T("rehearse.after"), row.After, after, before, is)
	return out
}

func dash(s string) string {
	if s == "" {
		return "–"
	}
	return s
}

// grade returns an opinion in words.
func (v view) grade(o Opinion) string {
	out := []string{phrase.Say(v.Lang, "rehearse.grade.wrong")}
	if o.Right {
		out[0] = phrase.Say(v.Lang, "rehearse.grade.right")
	}
	if o.Declined {
		out[0] = phrase.Say(v.Lang, "rehearse.grade.declined")
	}
	if o.Cited {
		out = append(out, phrase.Say(v.Lang, "rehearse.grade.cited"))
	}
	if o.Complete {
		out = append(out, phrase.Say(v.Lang, "rehearse.grade.complete"))
	}
	text := strings.Join(out, ", ")
	if o.Because != "" {
		text += " " + phrase.Say(v.Lang, "rehearse.grade.because", short(o.Because))
	}
	return text
}

var piece = pattern.New(`[\p{L}\p{M}\d]+(?:[.,:]\d+)*|[^\p{L}\p{M}\d]+`)

// marked highlights the words of a text that another text lacks.
func marked(text, other string) template.HTML {
	has := map[string]bool{}
	for _, p := range piece.FindAllString(other, -1) {
		has[strings.ToLower(p)] = true
	}
	var b strings.Builder
	for _, p := range piece.FindAllString(fit.Clean(text), -1) {
		escaped := template.HTMLEscapeString(p)
		if strings.ContainsFunc(p, isWord) && !has[strings.ToLower(p)] {
			escaped = "<mark>" + escaped + "</mark>"
		}
		b.WriteString(escaped)
	}
	return template.HTML(b.String()) //nolint:gosec // every piece is escaped
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
