package guide

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/workflow"
	"maru/agent/workflow/host"
	"maru/phrase"
	"maru/phrase/fit"
	"maru/rag/answer"
)

type chosen struct {
	Recommendations []struct {
		SubTask int    `json:"sub_task"`
		Service string `json:"service"`
		Reason  string `json:"reason"`
	} `json:"recommendations"`
}

var chosenShape = llm.MustShape("guide_recommendations", `{
  "type": "object",
  "properties": {
    "recommendations": {"type": "array", "minItems": 1, "maxItems": 8, "items": {
      "type": "object",
      "properties": {
        "sub_task": {"type": "integer", "description": "its number, from 1"},
        "service": {"type": "string", "description": "exactly as it was found; empty if nothing fits"},
        "reason": {"type": "string", "description": "one sentence, in the person's language"}
      },
      "required": ["sub_task", "service", "reason"],
      "additionalProperties": false
    }}
  },
  "required": ["recommendations"],
  "additionalProperties": false
}`)

// conclude chooses one service per sub-task. A non-empty silent is the error class for which the
// model is not asked.
func (k kit) conclude(ctx context.Context, s graph.State, x *workflow.Exec, tasks []SubTask, silent llm.Class) ([]graph.Write, error) {
	found := describe(k.st.docs.Get(s))
	for _, r := range k.st.results.Get(s) {
		if r.Tool == toolWeb && r.Err == "" {
			found += "\n\n(web) " + r.Text
		}
	}
	got := workflow.Filled[chosen]{Failed: string(silent)}
	if silent == "" {
		var err error
		if got, err = k.choice(ctx, s, x, found); err != nil {
			return nil, err
		}
	}
	recommended := make([]Recommendation, len(tasks))
	for i, t := range tasks {
		recommended[i].SubTask = t.Title
	}
	for _, c := range got.Value.Recommendations {
		if i := c.SubTask - 1; i >= 0 && i < len(tasks) && recommended[i].Service == "" {
			recommended[i] = k.admit(x, tasks[i], c.Service, k.reason(s, x, tasks[i], c.Service, c.Reason), found)
		}
	}
	free, err := k.frugal(ctx, s, x)
	if err != nil {
		return nil, err
	}
	for i, r := range recommended {
		if r.Service == "" && r.Reason == "" { // not chosen, or not among the results
			recommended[i] = k.known(x, tasks[i], free)
		}
	}
	k.show(x, tasks, func(int) agent.StepState { return agent.StepDone }, recommended)
	host.Custom(x, "tool_recommendations", recommended)
	why := got.Failed
	if why == string(llm.BadRequest) { // the endpoint has no structured output (as the built-in model): choose from the catalogue
		why = ""
	}
	return []graph.Write{k.st.recommend.Set(recommended), k.st.plain.Set(got.Failed != ""), k.st.silent.Set(why)}, nil
}

// services returns the names that may be recommended, in order of discovery; nil after a web
// search, which may name others.
func (k kit) services(s graph.State) []string {
	if slices.ContainsFunc(k.st.results.Get(s), func(r ToolResult) bool { return r.Tool == toolWeb && r.Err == "" }) {
		return nil
	}
	var out []string
	for _, d := range k.st.docs.Get(s) {
		if d.Service != "" {
			out = append(out, d.Source.Title)
		}
	}
	out = append(out, "")
	for _, known := range k.catalog.services {
		out = append(out, known.Name)
	}
	return out
}

// subTasks returns the numbers of n sub-tasks.
func subTasks(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = strconv.Itoa(i + 1)
	}
	return out
}

// choice asks the model to choose. A failed call chooses nothing.
func (k kit) choice(ctx context.Context, s graph.State, x *workflow.Exec, found string) (workflow.Filled[chosen], error) {
	system, err := k.prompt("choose", s, x, map[string]any{"Found": found})
	if err != nil {
		return workflow.Filled[chosen]{}, err
	}
	got, err := workflow.Fill[chosen](ctx, x, "choose", llm.Request{Purpose: llm.ForExtract, Messages: []llm.Message{
		{Role: llm.System, Content: system}, {Role: llm.User, Content: k.st.question.Get(s)},
	}}, chosenShape.Allowing("service", k.services(s)).Allowing("sub_task", subTasks(len(k.st.tasks.Get(s)))))
	if err != nil && workflow.Silent(ctx, err) {
		k.log.WarnContext(ctx, "service choice failed, using the catalogue", "run", x.Request.Run, "err", err)
		return workflow.Filled[chosen]{Failed: string(llm.ClassOf(err))}, nil
	}
	return got, err
}

// reason returns why a service was chosen, "" if the model only repeats the goal, or is in another language than the person.
func (k kit) reason(s graph.State, x *workflow.Exec, t SubTask, service, reason string) string {
	goal := strings.Join([]string{k.st.question.Get(s), t.Title, t.Detail}, " ")
	other := slices.DeleteFunc(strings.Fields(reason), func(word string) bool { return strings.HasPrefix(word, service) }) // with its particle
	if answer.Repeats(goal, strings.Join(other, " ")) || phrase.Spoken(reason, x.Request.Language) != x.Request.Language {
		return ""
	}
	return reason
}

// admit accepts a model's choice only if the service was found, or if it chose none. The price
// always comes from the catalogue.
func (k kit) admit(x *workflow.Exec, t SubTask, service, reason, found string) Recommendation {
	language := x.Request.Language
	service = fit.Cut(fit.OneLine(service), 80)
	if known, ok := k.catalog.Named(service); ok {
		if reason = unpriced(reason, known.Cost(language)+" "+found); reason == "" {
			reason = known.About(language)
		}
		return Recommendation{SubTask: t.Title, Service: known.Name, Reason: reason, Price: known.Cost(language), URL: known.URL}
	}
	if service == "" {
		return Recommendation{SubTask: t.Title, Reason: x.Phrase("guide.none_fits")}
	}
	if !strings.Contains(strings.ToLower(found), strings.ToLower(service)) {
		return Recommendation{SubTask: t.Title} // not among the results
	}
	return Recommendation{SubTask: t.Title, Service: service, Reason: unpriced(reason, found)}
}

// recommended builds a recommendation from a catalogue entry.
func recommended(t SubTask, s Service, language string) Recommendation {
	return Recommendation{SubTask: t.Title, Service: s.Name, Reason: s.About(language), Price: s.Cost(language), URL: s.URL}
}

// known returns the catalogue's best service for a sub-task, free ones first where the person
// wants that. It returns no service if the match is a coincidence of words, or if the sub-task
// names another product.
func (k kit) known(x *workflow.Exec, t SubTask, free bool) Recommendation {
	language := x.Request.Language
	if s, ok := k.catalog.namedIn(t.Title); ok {
		return recommended(t, s, language)
	}
	if namesOther(t.Title) && len(k.catalog.Mentioned(t.Title)) == 0 {
		return Recommendation{SubTask: t.Title, Reason: x.Phrase("guide.none_fits")}
	}
	for _, about := range []string{t.Title, strings.TrimSpace(t.Title + " " + t.Detail)} {
		matches := slices.DeleteFunc(k.catalog.Search(about, maxServices, k.threshold), func(m Match) bool { return !m.Meant })
		if len(matches) == 0 {
			continue
		}
		instead := -1
		if free { // a free one for the same kind of work
			instead = slices.IndexFunc(matches, func(m Match) bool {
				return m.Service.Category == matches[0].Service.Category && m.Service.Free
			})
		}
		r := recommended(t, matches[max(0, instead)].Service, language)
		if free && instead < 0 {
			r.Reason += " " + x.Phrase("guide.none_free")
		}
		return r
	}
	return Recommendation{SubTask: t.Title, Reason: x.Phrase("guide.none_fits")}
}
