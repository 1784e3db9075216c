package guide

import (
	"context"

	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/workflow"
	"maru/phrase/intent"
	"maru/phrase/pattern"
	"maru/phrase/prose"
)

type routing struct {
	Complex bool   `json:"is_complex_task"`
	Reason  string `json:"reason"`
}

var routeShape = llm.MustShape("guide_route", `{
  "type": "object",
  "properties": {
    "is_complex_task": {"type": "boolean"},
    "reason": {"type": "string", "description": "a few words"}
  },
  "required": ["is_complex_task", "reason"],
  "additionalProperties": false
}`)

// taskWords match requests to make or organise something.
var taskWords = pattern.New(`(?i)가이드|워크플로|로드맵|계획|단계별|절차|방법을?\s*(?:알려|정리|짜)|고\s*싶(?:어|습니다|은|다)|려고\s*(?:해|하|합|요?[\s.!~]*$)|려는데\s*도와|어떻게\s*(?:만들|시작|준비|진행|운영|하면)|` +
	`(?:준비|기획|구성|진행|운영|개설|출시|런칭|제작)\p{Hangul}{0,3}\s*(?:좀\s*)?(?:도와|해)\s*(?:줘|주세요|줄래|주실래)|만들어\s*(?:줘|주세요|보자)|` +
	`\bguide\b|\bworkflow\b|\broadmap\b|\bplan\b|step by step|\bi(?: (?:want|need|would like)|['’]d like) to\b|\bhelp (?:me|us) (?:to )?(?:make|build|launch|start|plan|prepare|set up|organi[sz]e|run|create)\b|\bhow (?:do|can|should) (?:i|we) (?:make|build|launch|start|run|create|organi[sz]e)\b`)

func (k kit) router() workflow.Type {
	return workflow.Define(workflow.Type{
		Name: "guide_llm_router", Summary: "Decides whether the message is a task for a plan or a plain question.",
		Doc:   "A question about one service that the knowledge names is plain, without a call. A model that cannot decide leaves it to the words of the message. What the person has said about themselves before is brought in.",
		Ports: []string{portComplex, portPlain}, Reads: []string{"question", "messages"}, Writes: []string{"is_complex_task", "known"},
	}, k.route, func(s graph.State, _ none) string { return k.routerRoute(s) })
}

// manner matches "how" questions. Their answer may need several services, so the model decides about them.
var manner = pattern.New(`(?i)\bhow (?:to|do|does|can|could|should|would|might)\b|어떻게|어떡|방법`)

// aboutOne reports whether a message is a question about one service that is known by name. Small models take it for a task.
func (k kit) aboutOne(question string) bool {
	return intent.AsksToKnow(question) && !taskWords.MatchString(question) && !manner.MatchString(question) &&
		len(prose.Sentences(question)) == 1 && len(k.catalog.Mentioned(question)) == 1
}

func (k kit) route(ctx context.Context, s graph.State, x *workflow.Exec, _ none) ([]graph.Write, error) {
	question := k.st.question.Get(s)
	known, err := k.recall(ctx, x, question)
	if err != nil {
		return nil, err
	}
	if k.aboutOne(question) {
		return []graph.Write{k.st.complex.Set(false), k.st.known.Set(known)}, nil
	}
	system, err := k.prompt("router", s, x, nil)
	if err != nil {
		return nil, err
	}
	got, err := workflow.Fill[routing](ctx, x, "route", llm.Request{Purpose: llm.ForRoute, Messages: k.talk(system, s)}, routeShape)
	if err != nil {
		return nil, err
	}
	task := got.Value.Complex
	if got.Failed != "" {
		task = taskWords.MatchString(question)
	}
	return []graph.Write{k.st.complex.Set(task), k.st.known.Set(known)}, nil
}
