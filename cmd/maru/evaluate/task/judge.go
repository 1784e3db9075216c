package task

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"maru/agent"
	"maru/phrase"
	"maru/rag/eval"
)

// Outcome is the result of one task. A figure that the task does not ask for is null.
type Outcome struct {
	Line        int      `json:"line"`
	ID          string   `json:"id"`
	Language    string   `json:"language"`
	Text        string   `json:"text"`
	Route       *bool    `json:"route"`
	Clarified   *bool    `json:"clarification"`
	Plan        *bool    `json:"plan"`
	Calls       *bool    `json:"calls"`
	Answer      *bool    `json:"answer"`
	Cited       *bool    `json:"cited"`
	Declined    *bool    `json:"declined"`
	Unsupported bool     `json:"unsupported"`
	Failed      string   `json:"failed"` // why the task came to no answer, "" if it did
	Wrong       []string `json:"wrong"`
	Steps       []string `json:"steps"` // of the plan
	Called      []string `json:"called"`
	Reply       string   `json:"reply"`
	ModelCalls  int      `json:"model_calls"`
	Input       int      `json:"input_tokens"`
	Output      int      `json:"output_tokens"`
	Seconds     float64  `json:"seconds"`
}

// judge compares the outcome of a task with the expected one.
func (r *Runner) judge(t Task, s seen, failed error) Outcome {
	o := Outcome{
		Line: t.Line, ID: t.ID, Language: s.language, Text: t.Text, Reply: s.result.Text,
		ModelCalls: s.usage.Calls, Input: s.usage.Input, Output: s.usage.Output, Seconds: s.took.Seconds(),
	}
	if failed != nil {
		o.Failed = failed.Error()
		o.Wrong = append(o.Wrong, "failed: "+o.Failed)
	} else if strings.TrimSpace(o.Reply) == "" {
		o.Failed = "no answer"
		o.Wrong = append(o.Wrong, o.Failed)
	}
	set := func(to **bool, wanted, right bool, fault string) {
		if !wanted {
			return
		}
		if *to = &right; !right {
			o.Wrong = append(o.Wrong, fault)
		}
	}
	for _, c := range s.calls {
		o.Called = append(o.Called, c.tool+" "+string(c.arguments))
	}
	if s.plan != nil {
		for _, step := range s.plan.Steps {
			o.Steps = append(o.Steps, strings.TrimSpace(step.Text+" · "+step.Detail))
		}
	}
	answered := o.Failed == ""
	said := !slices.ContainsFunc(t.Says, func(w Words) bool { return !w.in(o.Reply) }) && !slices.ContainsFunc(t.Never, func(n string) bool { return Words{n}.in(o.Reply) })
	declined := answered && (len(s.result.Nearest) > 0 || eval.Declines(o.Reply))
	set(&o.Route, t.Route != "", r.took(t.Route, s.visited), "another route than "+t.Route)
	set(&o.Clarified, t.Asks != nil, t.Asks != nil && *t.Asks == s.asked, "asks what is clear, or does not ask what is not")
	set(&o.Plan, t.Plan != nil, s.plan != nil && r.accepted(t.Plan, s.plan.Steps), "another plan")
	set(&o.Calls, t.called, r.calledRight(t.Calls, s.calls), "other calls")
	set(&o.Answer, len(t.Says)+len(t.Never) > 0, answered && said, "the answer")
	set(&o.Cited, len(t.Cites) > 0, cites(t.Cites, s.result.Sources), "no right source")
	set(&o.Declined, t.Declines, declined, "does not say that it does not know")
	if o.Unsupported = answered && unsupported(t, s, declined); o.Unsupported {
		o.Wrong = append(o.Wrong, "nothing stands behind it")
	}
	return o
}

// took reports whether the run left a router by a port.
func (r *Runner) took(port string, visited []string) bool {
	for _, e := range r.cfg.Definition.Edges {
		if e.Port != port {
			continue
		}
		for i, n := range visited {
			next := "end" // which no node event reports
			if i+1 < len(visited) {
				next = visited[i+1]
			}
			if n == e.Source && next == e.Target {
				return true
			}
		}
	}
	return false
}

// accepted reports whether a person would accept the plan as it is: its steps name what they should, in this order,
// and none writes or sends with a tool beyond that.
func (r *Runner) accepted(want []Words, steps []agent.PlanStep) bool {
	at := 0
	for _, s := range steps {
		text := s.Text + " " + s.Detail
		if at < len(want) && want[at].in(text) {
			at++
			continue
		}
		if slices.ContainsFunc(want, func(w Words) bool { return w.in(text) }) {
			continue // the same once more
		}
		for name, effect := range r.known {
			if effect != agent.EffectReads && strings.Contains(text, name) {
				return false
			}
		}
	}
	return at == len(want)
}

// calledRight reports whether every expected call was made, and none beside them that writes or sends.
func (r *Runner) calledRight(want []Call, got []made) bool {
	used := make([]bool, len(got))
	for _, w := range want {
		i := slices.IndexFunc(got, func(m made) bool { return m.tool == w.Tool && fits(w.Arguments, m.arguments) })
		if i < 0 {
			return false
		}
		used[i] = true
	}
	for i, m := range got {
		if !used[i] && (m.effect != agent.EffectReads || len(want) == 0) {
			return false
		}
	}
	return true
}

// cites reports whether one of the sources has one of the names in its title or heading.
func cites(want Words, sources []agent.Source) bool {
	return slices.ContainsFunc(sources, func(s agent.Source) bool { return want.in(s.Title + " " + s.Heading + " " + s.Document) })
}

// programsOwn begins the lines that the orchestrator itself adds to an answer: how many steps were done.
const programsOwn = "\n---\n"

// figure is a number of two digits and more, as answers write them.
var figure = regexp.MustCompile(`\d[\d,.]*\d`)

// unsupported reports whether an answer claims what nothing is behind: one about documents that neither cites nor
// says that it does not know, one that says what it must not, or one with a number of two digits and more that no
// passage, tool, or word of the conversation has.
func unsupported(t Task, s seen, declined bool) bool {
	text := s.result.Text
	if i := strings.LastIndex(text, programsOwn); i >= 0 {
		text = text[:i]
	}
	if declined || strings.Contains(text, phrase.Say(s.language, "chat.unsupported")) {
		return false
	}
	if (t.Declines || len(t.Cites) > 0) && len(s.result.Sources) == 0 {
		return true
	}
	if slices.ContainsFunc(t.Never, func(n string) bool { return Words{n}.in(text) }) {
		return true
	}
	known := []string{t.Text, t.Clarify}
	for _, turn := range t.Conversation {
		known = append(known, turn.Text)
	}
	for _, source := range slices.Concat(s.result.Sources, s.result.Found) {
		known = append(known, source.Title, source.Heading, source.Quote)
	}
	for _, c := range s.calls {
		known = append(known, c.result, string(c.arguments))
	}
	if raw, err := json.Marshal(s.plan); err == nil {
		known = append(known, string(raw))
	}
	all := plain(strings.Join(known, "\n"))
	return slices.ContainsFunc(figure.FindAllString(text, -1), func(n string) bool { return !strings.Contains(all, plain(n)) })
}

// plain returns a text as texts are compared: lower case, single spaces, numbers without marks for thousands.
func plain(s string) string {
	s = strings.ToLower(strings.Join(strings.Fields(norm.NFC.String(s)), " "))
	return thousands.ReplaceAllString(s, "$1$2")
}

// thousands is a mark within a number.
var thousands = regexp.MustCompile(`(\d),(\d)`)
