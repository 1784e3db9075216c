// Package scripted is a model that plays one task of the orchestrator from a script, in Korean
// and English, for trying the product without a language model: it asks how many people come to
// a team dinner, plans to look up the rule and to calculate, fills in both calls and writes the
// answer. Every sentence of the script says or implies that a script wrote it.
//
// It reads the person's number and the results of the tools, since people change values, skip
// steps and edit plans. It understands nothing else, and says so.
//
// It knows the orchestrator's schemas by their names, and no agent, tool or document beyond what a
// [llm.Request] says. [maru/agent/llm/extractive] is the built-in model, which answers real questions.
package scripted

import (
	"context"
	"encoding/json"
	"regexp"
	"strings"

	"maru/agent/llm"
	"maru/phrase"
)

// Name is the name of the model.
const Name = "maru-scripted"

// The tools that the script calls.
const (
	LookUp     = "handbook_lookup" // with a topic
	Calculator = "calculator"      // with an expression
)

// Model plays the script. It holds no state; the zero value is ready.
type Model struct{}

var _ llm.Model = Model{}

// New returns the model.
func New() Model { return Model{} }

// Name implements [llm.Model].
func (Model) Name() string { return Name }

// Generate implements [llm.Model]. It spends no tokens and reports none.
func (Model) Generate(ctx context.Context, req llm.Request, onDelta func(string)) (llm.Response, error) {
	if err := ctx.Err(); err != nil {
		return llm.Response{}, err
	}
	out := llm.Message{Role: llm.Assistant}
	s := read(req)
	switch {
	case req.Schema != nil:
		v, ok := s.structured(req.Schema.Name)
		if !ok {
			return llm.Response{}, &llm.Error{Class: llm.BadRequest, Model: Name, Detail: "the script has nothing for the schema " + req.Schema.Name}
		}
		raw, err := json.Marshal(v)
		if err != nil {
			return llm.Response{}, &llm.Error{Class: llm.BadRequest, Model: Name, Detail: err.Error()}
		}
		out.Content = string(raw)
	case req.Purpose == llm.ForExtract:
		out.ToolCalls = s.call(req.Tools)
	case s.inStep():
		out.Content = phrase.Say(s.lang, "demo.no_script")
	default:
		out.Content = s.answer()
	}
	if onDelta != nil {
		for _, line := range strings.SplitAfter(out.Content, "\n") {
			if line != "" {
				onDelta(line)
			}
		}
	}
	finish := "stop"
	if len(out.ToolCalls) > 0 {
		finish = "tool_calls"
	}
	return llm.Response{Message: out, Model: Name, Finish: finish}, nil
}

// scene is the part of the script that a request asks for.
type scene struct {
	lang   string
	system string // prompt
	last   string // message of a person
	shown  string // results of the task so far
}

// What the orchestrator's prompts put before what the script reads.
const (
	answersMark  = "What the person answered when asked about the task:\n"
	callMark     = "The call is now: "
	stepsMark    = "The steps:\n"
	stepMark     = "You carry out one step of a larger task"
	languageMark = "Answer in Korean."
)

var progressMarks = []string{"The plan so far:\n", "The results:\n"}

func read(req llm.Request) scene {
	var s scene
	var shown []string
	for _, m := range req.Messages {
		switch m.Role {
		case llm.System:
			s.system += m.Content + "\n"
		case llm.User:
			s.last = m.Content
		case llm.ToolRole:
			shown = append(shown, m.Content)
		}
	}
	for _, mark := range progressMarks {
		if i := strings.LastIndex(s.system, mark); i >= 0 {
			shown = append(shown, s.system[i+len(mark):])
		}
	}
	s.shown = strings.Join(shown, "\n")
	s.lang = phrase.Spoken(s.last, phrase.Fallback)
	if strings.Contains(s.system, languageMark) {
		s.lang = "ko"
	}
	return s
}

// inStep reports whether a step without a prepared call is to be worked on. The script has only
// steps with calls; others come from people's edits.
func (s scene) inStep() bool { return strings.HasPrefix(s.system, stepMark) }

// structured returns the value for one of the orchestrator's schemas.
func (s scene) structured(schema string) (any, bool) {
	switch schema {
	case "message_kind":
		return map[string]string{"kind": "TOOL_REQUIRED", "title": phrase.Say(s.lang, "demo.title"), "reason": "script"}, true
	case "clarity":
		if s.answered() != "" {
			return map[string]any{"score": 0.9, "questions": []any{}}, true
		}
		return map[string]any{"score": 0.3, "questions": []any{
			map[string]any{"question": phrase.Say(s.lang, "demo.question"), "options": []string{"4", "8", "12"}},
		}}, true
	case "plan":
		return map[string]any{
			"title": phrase.Say(s.lang, "demo.title"), "why": phrase.Say(s.lang, "demo.why"),
			"steps": s.steps(),
		}, true
	case "edited_plan": // a script does not understand an edit in words; the form and numbers need no model
		return map[string]any{"understood": false, "steps": []any{}}, true
	case "tools_of_steps":
		return map[string]any{"tools": s.toolsOfSteps()}, true
	case "after_failure":
		return map[string]string{"decision": "go_on", "reason": "script"}, true
	}
	return nil, false
}

// step is one of the plan.
type step struct {
	Text   string `json:"text"`
	Detail string `json:"detail"`
	Tool   string `json:"tool"`
}

// steps returns those of the script's plan.
func (s scene) steps() []step {
	return []step{
		{Text: phrase.Say(s.lang, "demo.step.look_up"), Tool: LookUp},
		{Text: phrase.Say(s.lang, "demo.step.calculate"), Tool: Calculator},
	}
}

var numberedLine = regexp.MustCompile(`(?m)^\d+\. (.*)$`)

// toolsOfSteps gives steps whose text is the script's, or shares its beginning, the script's tool.
func (s scene) toolsOfSteps() []string {
	_, list, _ := strings.Cut(s.system, stepsMark)
	list, _, _ = strings.Cut(list, "\n\n")
	out := []string{}
	for _, m := range numberedLine.FindAllStringSubmatch(list, -1) {
		tool := ""
		for _, st := range s.steps() {
			first, _, _ := strings.Cut(st.Text, " ")
			if strings.HasPrefix(strings.ToLower(m[1]), strings.ToLower(first)) {
				tool = st.Tool
			}
		}
		out = append(out, tool)
	}
	return out
}

// answered returns what the person answered to the script's question, "" for nothing yet.
func (s scene) answered() string {
	i := strings.LastIndex(s.system, answersMark)
	if i < 0 {
		return ""
	}
	block, _, _ := strings.Cut(s.system[i+len(answersMark):], "\n\n")
	_, answer, _ := strings.Cut(block, ": ")
	return strings.TrimSpace(answer)
}
