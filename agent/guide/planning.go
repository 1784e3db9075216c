package guide

import (
	"context"
	"slices"
	"strings"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/workflow"
	"maru/agent/workflow/host"
	"maru/phrase/fit"
	"maru/phrase/pattern"
)

const planningNode = "planning_node"

// Limits of a plan.
const (
	maxTasks  = 8
	maxTitle  = 120 // characters
	maxDetail = 300
)

type planned struct {
	Tasks []SubTask `json:"sub_tasks"`
}

var planShape = llm.MustShape("guide_plan", `{
  "type": "object",
  "properties": {
    "sub_tasks": {"type": "array", "minItems": 1, "maxItems": 8, "items": {
      "type": "object",
      "properties": {
        "title": {"type": "string", "minLength": 1, "description": "a few words, in the person's language"},
        "detail": {"type": "string", "description": "what comes out of it, one sentence"}
      },
      "required": ["title", "detail"],
      "additionalProperties": false
    }}
  },
  "required": ["sub_tasks"],
  "additionalProperties": false
}`)

func (k kit) planning() workflow.Type {
	return workflow.Define(workflow.Type{
		Name: "guide_planning", Summary: "Breaks the goal into sub-tasks, or changes them as the person wants.",
		Doc:   "If the model cannot, the parts that the message itself names are the sub-tasks. Writing sub_tasks by hand as this node goes on as if it had written them.",
		Reads: []string{"question", "sub_tasks", "user_feedback"}, Writes: []string{"sub_tasks", "approved", "user_feedback", "unchanged", "plain"},
	}, k.plan, nil)
}

func (k kit) plan(ctx context.Context, s graph.State, x *workflow.Exec, _ none) ([]graph.Write, error) {
	x.Doing("guide.planning")
	system, err := k.prompt("planning", s, x, map[string]any{"Max": maxTasks})
	if err != nil {
		return nil, err
	}
	got, err := workflow.Fill[planned](ctx, x, "plan", llm.Request{Purpose: llm.ForPlan, Messages: k.talk(system, s)}, planShape)
	if err != nil {
		return nil, err
	}
	tasks := bounded(got.Value.Tasks)
	if len(tasks) == 0 {
		tasks = k.split(s)
	}
	host.Custom(x, "planning", planned{tasks})
	unchanged := len(k.st.feedback.Get(s)) > 0 && slices.Equal(tasks, k.st.tasks.Get(s))
	return []graph.Write{
		k.st.unchanged.Set(unchanged), k.st.plain.Set(got.Failed != ""), k.st.tasks.Set(tasks), k.st.approved.Set(!x.Request.Approvals.Plan),
	}, nil
}

// bounded truncates sub-tasks to the limits.
func bounded(tasks []SubTask) []SubTask {
	var out []SubTask
	for _, t := range tasks {
		t = SubTask{Title: fit.Cut(fit.OneLine(t.Title), maxTitle), Detail: fit.Cut(fit.OneLine(t.Detail), maxDetail)}
		if t.Title != "" && len(out) < maxTasks {
			out = append(out, t)
		}
	}
	return out
}

var (
	listed   = pattern.New(`(?m)^\s*(?:[-*•]|\d{1,2}[.)])\s+`)
	joints   = pattern.New(`(?i)\s*(?:,|;|\n|그리고|그다음에?|그 다음에?|및|\band then\b|\bthen\b|\band\b)\s*`)
	jointsKo = pattern.New(`([\p{Hangul}]+)고(?:\s*,\s*|\s+)`)
	andKo    = pattern.New(`^\s*(?:(?:그리고|또한|또)\s+)?`)     // at the beginning of a sentence it is not "to draw"
	nounsKo  = pattern.New(`(?:광|보|창|재|사|중|신|참|원|경|권|공)$`) // 광고, 보고, …: not a connective ending
	// sentenceEnd separates sentences.
	sentenceEnd = pattern.New(`[.!?]+\s+`)
	// inParts matches a goal followed by its parts: "I want to start a newsletter: write articles,
	// …".
	inParts = pattern.New(`(?i)(싶\p{Hangul}*|해야\s*\p{Hangul}+|려고\s*\p{Hangul}*|^\s*(?:i(?: (?:want|need|would like)|['’]d like) to|help me(?: to)?)\s[^:\n]*):\s+`)
	hasToKo = pattern.New(`해야\s*(?:해요?|합니다|하는데요?|돼요?|됩니다)[\s.!?~]*$`)
	mustKo  = pattern.New(`([\p{Hangul}])(?:어|아)야\s*(?:해요?|합니다|하는데요?|돼요?|됩니다)[\s.!?~]*$`)
	wishKo  = pattern.New(`([\p{Hangul}])고\s*싶(?:어요?|습니다|은데요?|다)[\s.!?~]*$`)
	// meantKo matches the end of an intention: 만들려고 해요, 모으려고요, 열려는데 도와줘.
	meantKo = pattern.New(`([가-힣]으|[가-힣])(?:려고(?:요|\s*(?:해요?|합니다|하는데요?))?|려는데요?)[\s.!?~]*$`)
	// doneKo matches the end of a request to do something: 준비해줘, 만들어 주세요.
	doneKo   = pattern.New(`(?:\s*(?:좀\s*)?(해)|\s(?:좀\s*)?(만들)어)\s*(?:줘요?|주세요)[\s.!?~]*$`)
	askedFor = pattern.New(`(?i)(?:(?:단계별\s*)?(?:가이드|워크플로|계획|로드맵)(?:를|을)?\s*(?:만들어|짜|세워|알려)\s*(?:줘요?|주세요)|도와\s*(?:줘요?|주세요)|알려\s*(?:줘요?|주세요))[\s.!?]*$|` +
		`^\s*(?:please\s+)?(?:i(?: (?:want|need|would like)|['’]d like) to|help (?:me|us)(?: to)?|how (?:do|can|should) (?:i|we)|(?:make|write|give) me a (?:guide|plan|workflow) (?:to|for))\s+`)
)

// split returns the parts that the message names, or applies the person's corrections to the
// sub-tasks.
func (k kit) split(s graph.State) []SubTask {
	if before, words := k.st.tasks.Get(s), k.st.feedback.Get(s); len(before) > 0 && len(words) > 0 {
		return amended(before, words[len(words)-1])
	}
	var out []SubTask
	text := inParts.ReplaceAllString(listed.ReplaceAllString(k.st.question.Get(s), "\n"), "$1\n")
	for sentence := range strings.SplitSeq(sentenceEnd.ReplaceAllString(text, "\n"), "\n") {
		for _, part := range parts(sentence) {
			out = append(out, SubTask{Title: part})
		}
	}
	if len(out) == 0 {
		out = []SubTask{{Title: k.st.question.Get(s)}}
	}
	return bounded(out)
}

// parts returns the tasks in one sentence: "쇼핑몰 열고 로고도 만들어야 해" gives 쇼핑몰 열기 and 로고도 만들기.
func parts(sentence string) []string {
	text := wishKo.ReplaceAllString(andKo.ReplaceAllString(strings.TrimSpace(sentence), ""), "${1}기")
	text = mustKo.ReplaceAllString(hasToKo.ReplaceAllString(text, "하기"), "${1}기")
	text = meantKo.ReplaceAllStringFunc(askedFor.ReplaceAllString(text, ""), func(end string) string {
		return stemKo(meantKo.FindStringSubmatch(end)[1]) + "기"
	})
	if m := doneKo.FindStringSubmatch(text); m != nil {
		text = strings.TrimSuffix(text, m[0]) + map[bool]string{true: "하기", false: " 만들기"}[m[1] != ""]
	}
	text = jointsKo.ReplaceAllStringFunc(text, func(verb string) string {
		stem := jointsKo.FindStringSubmatch(verb)[1]
		if nounsKo.MatchString(stem) {
			return verb
		}
		return stem + "기\n"
	})
	var out []string
	for _, part := range joints.Split(text, -1) {
		if part = strings.Trim(part, " .!?~"); len([]rune(part)) >= 2 {
			out = append(out, part)
		}
	}
	return out
}

// stemKo returns the stem of a verb before "려고": 받 for 받으려고, 듣 for 들으려고, 짓 for 지으려고, 모으 for 모으려고.
func stemKo(before string) string {
	r := []rune(before)
	if len(r) < 2 || r[1] != '으' || r[0] == '모' {
		return before
	}
	const finals, l, d, s = 28, 8, 7, 19 // final consonants of a syllable, and the indices of three
	switch (r[0] - '가') % finals {
	case 0:
		return string(r[0] + s)
	case l:
		return string(r[0] - l + d)
	}
	return string(r[0])
}

// steps presents sub-tasks as the steps of a plan.
func steps(tasks []SubTask, state func(int) agent.StepState) []agent.PlanStep {
	out := make([]agent.PlanStep, len(tasks))
	for i, t := range tasks {
		out[i] = agent.PlanStep{Text: t.Title, Detail: t.Detail, State: state(i), Effect: agent.EffectReads}
	}
	return out
}
