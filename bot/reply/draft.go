package reply

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"maru/agent"
	"maru/bot"
	"maru/phrase"
	"maru/phrase/chart"
	"maru/phrase/fit"
	"maru/phrase/pattern"
	"maru/rag"
)

// draft is the current content of a reply. Run events write to it without blocking; the
// presenter's loop reads it when the platform can take an edit.
type draft struct {
	mu      sync.Mutex
	text    strings.Builder
	status  string
	sources []agent.Source
	plan    agent.Plan
	version int
	changed chan struct{} // contains a token while the loop has not read the newest version
}

func newDraft() *draft { return &draft{changed: make(chan struct{}, 1)} }

// event applies a run's event to the draft.
func (d *draft) event(e agent.Event) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch e.Kind {
	case agent.EventToken:
		d.text.WriteString(e.Text)
		d.status = ""
	case agent.EventReset:
		d.text.Reset()
	case agent.EventStatus:
		d.status = e.Text
	case agent.EventPlan:
		var plan agent.Plan
		if json.Unmarshal(e.Data, &plan) != nil {
			return
		}
		d.plan = plan
	case agent.EventSources:
		d.sources = e.Sources
	default:
		return
	}
	d.version++
	select {
	case d.changed <- struct{}{}:
	default:
	}
}

// again clears the draft of a restarted run and shows the reason.
func (d *draft) again(status string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.text.Reset()
	d.status, d.sources, d.plan = status, nil, agent.Plan{}
	d.version++
	select {
	case d.changed <- struct{}{}:
	default:
	}
}

// snapshot returns the draft's text and plan.
func (d *draft) snapshot() (text string, plan agent.Plan) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.text.String(), d.plan
}

// restore sets the draft's text and plan.
func (d *draft) restore(text string, plan agent.Plan) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.text.Reset()
	d.text.WriteString(text)
	d.plan = plan
	d.version++
}

// soFar returns the text that has been streamed.
func (d *draft) soFar() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.text.String()
}

// card returns the draft as a card, and its version.
func (d *draft) card(run, language string) (bot.Card, int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	c := bot.Card{Kind: bot.CardProgress, Status: d.status, Language: language, Run: run}
	c.Text, c.Sources = numbered(chart.Settled(d.text.String()), Sources(d.sources, language))
	if len(d.plan.Steps) > 0 {
		c.Title, c.Steps = fit.Visible(d.plan.Title), planSteps(d.plan)
		if c.Status == "" && c.Text == "" {
			c.Status = current(d.plan)
		}
	}
	if c.Text == "" && c.Status == "" {
		c.Status = phrase.Say(language, "bot.reply.thinking")
	}
	return c, d.version
}

// numbered returns a growing text with its sources, numbered as in the finished answer: from 1 in order of
// citation. An incomplete citation at the end is held back. For a text without citations it returns all possible
// sources.
func numbered(text string, found []bot.Source) (string, []bot.Source) {
	if begun := strings.LastIndexByte(text, '['); begun >= 0 && unfinished.MatchString(text[begun:]) {
		text = strings.TrimRight(text[:begun], " ")
	}
	text, old := rag.Renumber(text, len(found))
	if len(old) == 0 {
		return text, found
	}
	out := make([]bot.Source, len(old))
	for i, n := range old {
		out[i] = found[n-1]
		out[i].N = i + 1
	}
	return text, out
}

// unfinished matches the beginning of a citation.
var unfinished = pattern.New(`^\[[\d\s,–-]*$`)

// planSteps returns the steps of an active plan.
func planSteps(p agent.Plan) []bot.Step {
	out := make([]bot.Step, len(p.Steps))
	for i, s := range p.Steps {
		out[i] = bot.StepOf(s)
	}
	return out
}

// maxStatus limits the step's text in a status, in characters.
const maxStatus = 60

// current returns the plan's current step, "" if there is none.
func current(p agent.Plan) string {
	for i, s := range p.Steps {
		if s.State == agent.StepRunning {
			return fmt.Sprintf("%d/%d %s", i+1, len(p.Steps), fit.Clip(fit.OneLine(fit.Visible(s.Text)), maxStatus))
		}
	}
	return ""
}

// ended returns the plan after the end of its run: pending steps were skipped, and running ones
// were interrupted and may have had an effect.
func (d *draft) ended(lang string) (title string, steps []bot.Step) {
	d.mu.Lock()
	defer d.mu.Unlock()
	steps = planSteps(d.plan)
	for i := range steps {
		switch steps[i].State {
		case bot.StepRunning:
			steps[i].State = bot.StepFailed
			if e := d.plan.Steps[i].Effect; e != agent.EffectReads && e != "" {
				steps[i].Detail = fit.Dots(phrase.Say(lang, "bot.step.interrupted"), steps[i].Detail)
			}
		case bot.StepWaiting:
			steps[i].State = bot.StepSkipped
		case bot.StepDone, bot.StepFailed, bot.StepSkipped:
		}
	}
	return fit.Visible(d.plan.Title), steps
}

// planned reports whether the run has a plan, and whether its answer has begun.
func (d *draft) planned() (plan, text bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.plan.Steps) > 0, d.text.Len() > 0
}

func (d *draft) statusLine() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.status
}

// Sources converts an answer's sources for a card in a language.
func Sources(sources []agent.Source, lang string) []bot.Source {
	if len(sources) == 0 {
		return nil
	}
	out := make([]bot.Source, len(sources))
	for i, s := range sources {
		out[i] = bot.Source{
			N: s.N, Title: s.Title, Heading: s.Heading, Page: s.Page,
			Score: s.Score, Quote: s.Quote, Chunk: s.Chunk, URL: s.URL,
		}
		if s.Sample {
			out[i].Title = phrase.Say(lang, "agent.sample", s.Title)
		}
	}
	return out
}

// backoff returns the delay before delivery attempt n (from 1), unless the platform gave one.
func backoff(n int, said time.Duration) time.Duration {
	if said > 0 {
		return said
	}
	return min(time.Second<<min(n-1, 5), 30*time.Second)
}
