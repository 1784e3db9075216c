package contract

import (
	"context"
	"slices"
	"strings"

	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/workflow"
	"maru/agent/workflow/host"
	"maru/phrase/fit"
	"maru/phrase/pattern"
	"maru/rag/article"
)

type evaluated struct {
	Enough     bool     `json:"enough"`
	Missing    string   `json:"missing_info"`
	Unexplored []string `json:"unexplored"`
}

var evaluationShape = llm.MustShape("contract_evaluation", `{
  "type": "object",
  "properties": {
    "enough": {"type": "boolean"},
    "missing_info": {"type": "string", "description": "what else must be looked up, one sentence; empty if enough"},
    "unexplored": {"type": "array", "maxItems": 8, "items": {"type": "string"}, "description": "numbers of articles worth a look"}
  },
  "required": ["enough", "missing_info", "unexplored"],
  "additionalProperties": false
}`)

func (k kit) evaluator() workflow.Type {
	return workflow.Define(workflow.Type{
		Name: "contract_evaluator", Summary: "Judges whether what was found is enough, and says what is missing.",
		Doc:   "A question that only asks for articles by number is answered when they were looked up, without asking the model. Counts the rounds: after max_iterations the answer is given from what there is.",
		Ports: []string{portMissing, portEnough}, Bounded: true,
		Reads: []string{"query", "done", "found", "iterations"}, Writes: []string{"evaluation", "iterations"},
	}, k.evaluate, func(s graph.State, _ none) string { return k.enoughRoute(s) })
}

func (k kit) evaluate(ctx context.Context, s graph.State, x *workflow.Exec, _ none) ([]graph.Write, error) {
	round := k.st.iterations.Get(s) + 1
	e := Evaluation{Enough: true, Explored: explored(k.st.found.Get(s))}
	switch {
	case lookedUp(k.st.question.Get(s), k.st.done.Get(s)):
	case k.stillToSearch(s, x) && round < k.maxIterations:
		e.Enough = false
	case round >= k.maxIterations: // the answer states what is still missing
		e.Enough, e.Missing = k.st.evaluation.Get(s).Missing == "", k.st.evaluation.Get(s).Missing
	default:
		x.Doing("contract.checking")
		got, err := k.ask(ctx, s, x, e.Explored)
		if err != nil {
			return nil, err
		}
		if got.Failed == "" {
			e.Enough, e.Missing = got.Value.Enough, fit.Cut(got.Value.Missing, 500)
			for _, u := range got.Value.Unexplored {
				if u = fit.Cut(strings.TrimSpace(u), 60); u != "" && !slices.Contains(e.Explored, u) {
					e.Unexplored = append(e.Unexplored, u)
				}
			}
		}
	}
	host.Custom(x, "evaluation_result", e)
	return []graph.Write{k.st.evaluation.Set(e), k.st.iterations.Set(round)}, nil
}

// stillToSearch reports whether nothing was found and the question itself has not been searched
// for.
func (k kit) stillToSearch(s graph.State, x *workflow.Exec) bool {
	_, left := k.lastResort(s, x)
	return left
}

func (k kit) ask(ctx context.Context, s graph.State, x *workflow.Exec, seen []string) (workflow.Filled[evaluated], error) {
	articles, err := k.articles(ctx, s, x)
	if err != nil {
		return workflow.Filled[evaluated]{}, err
	}
	system, err := prompt("evaluator", map[string]any{
		"Query": k.st.query.Get(s), "Articles": contents(articles), "Explored": strings.Join(seen, ", "),
		"Misses": k.misses(s), "Passages": showPassages(k.numbered(s)),
	})
	if err != nil {
		return workflow.Filled[evaluated]{}, err
	}
	req := llm.Request{Purpose: llm.ForReview, Messages: []llm.Message{
		{Role: llm.System, Content: system}, {Role: llm.User, Content: k.st.query.Get(s)},
	}}
	var labels []string
	for _, a := range articles {
		labels = append(labels, a.Label)
	}
	return workflow.Fill[evaluated](ctx, x, "evaluation", req, evaluationShape.Allowing("unexplored", labels))
}

// explored returns the labels of the articles found in the user's contracts.
func explored(found []Found) []string {
	var out []string
	for _, f := range found {
		if !f.Standard && f.Label != "" && !slices.Contains(out, f.Label) {
			out = append(out, f.Label)
		}
	}
	return out
}

// plainWords match the filler words of a request for the text of an article.
var plainWords = pattern.New(`(?i)알려\s*줘?(?:요|봐)?|알려\s*주세요|보여\s*줘?요?|보여\s*주세요|말해\s*줘?요?|읽어\s*줘?요?|찾아\s*줘?요?|뭐(?:야|예요|에요|지)|무엇(?:이야|인가요|입니까|이에요)|무슨|내용|전문|원문|뭐라고|되어\s*있(?:어|나요)|써\s*있(?:어|나요)|어떻게|이란|좀|별표|별지|붙임|부터|까지|계약서?|그럼|그러면|` +
	`\b(?:what|does|do|to|say|says|said|is|are|in|show|me|the|please|tell|about|of|read|give|our|my|this|contract|agreement|text|full|and|then)\b`)

// lookedUp reports whether the question asks only for the text of numbered articles and all of
// them were looked up, found or not.
func lookedUp(question string, done []Done) bool {
	if len(done) == 0 {
		return false
	}
	for _, d := range done {
		if d.Tool != toolIndex && d.Tool != toolStandard {
			return false
		}
	}
	_, rest := article.Named(question)
	for _, re := range []*pattern.Pattern{asksNext, asksBefore, asksStandard, plainWords, looseParts} {
		rest = re.ReplaceAllString(rest, " ")
	}
	return len([]rune(squash(rest))) <= 2
}

// looseParts match paragraph and item numbers and stray particles.
var looseParts = pattern.New(`(?:제\s*)?\d{1,2}\s*[항호]|\(\w{1,2}\)|(?:^|\s)(?:은|는|이|가|을|를|와|과|의|에|도|만|부칙)(?:\s|$|\?)`)
