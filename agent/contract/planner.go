package contract

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/workflow"
	"maru/agent/workflow/host"
	"maru/phrase/fit"
	"maru/phrase/intent"
	"maru/rag"
	"maru/rag/article"
)

// maxCalls limits the calls of one round.
const maxCalls = 6

func (k kit) planner() workflow.Type {
	t := workflow.Define(workflow.Type{
		Name: "contract_planner", Summary: "Plans what to look up: by rule where the question names an article, else by the model's tool calls.",
		Doc:   "Where the model calls nothing in the first round, the question itself is searched for, unless the conversation holds the answer or nothing is asked. The same tool with the same arguments never runs twice in a turn; if that is all the model wants, the evaluator judges what there is.",
		Ports: []string{portOne, portSeveral, portEvaluate, portRespond}, Bounded: true,
		Reads: []string{"query", "held", "done", "evaluation", "own_contracts"}, Writes: []string{"calls", "plan", "query"},
	}, k.planCalls, nil)
	bind := t.Make
	t.Make = func(p workflow.Place) (workflow.Bound, error) {
		b, err := bind(p)
		b.Spread = k.spread
		return b, err
	}
	return t
}

// planned is the body of a plan event.
type planned struct {
	Round int    `json:"round"` // from 1
	By    string `json:"by"`    // "rule" or "model"
	Calls []Call `json:"calls"`
}

func (k kit) planCalls(ctx context.Context, s graph.State, x *workflow.Exec, _ none) ([]graph.Write, error) {
	round := k.st.iterations.Get(s) + 1
	x.Doing("contract.planning")
	articles, err := k.articles(ctx, s, x)
	if err != nil {
		return nil, err
	}
	if round == 1 {
		calls, err := k.compared(ctx, s, x, articles)
		if err != nil {
			return nil, err
		}
		if len(calls) == 0 {
			calls = k.suggest(s, articles)
		}
		if len(calls) == 0 && strings.TrimSpace(x.Request.Text) == "" { // a file without a question
			calls = k.fresh(s, []llm.ToolCall{k.searchFor(s)})
		}
		if len(calls) > 0 {
			host.Custom(x, "planning", planned{round, "rule", calls})
			return append(k.goOn(x, calls, portRespond), k.madeWhole(s, articles)...), nil
		}
	}
	if call, left := k.lastResort(s, x); left && round > 1 {
		host.Custom(x, "planning", planned{round, "rule", []Call{call}})
		return k.goOn(x, []Call{call}, portEvaluate), nil
	}
	reply, err := k.wish(ctx, s, x, articles)
	if err != nil {
		return nil, err
	}
	wanted, port := reply.Calls, portRespond
	if reply.Failed != "" { // the model failed: search for the question itself
		wanted = []llm.ToolCall{k.searchFor(s)}
	}
	if len(wanted) == 0 && round == 1 && !asksNothing(k.st.question.Get(s)) && !k.st.held.Get(s) {
		// An answer without a look-up would be the model's general knowledge of contracts.
		if call, left := k.lastResort(s, x); left {
			host.Custom(x, "planning", planned{round, "rule", []Call{call}})
			return k.goOn(x, []Call{call}, portRespond), nil
		}
	}
	calls := k.fresh(s, wanted)
	if len(wanted) > 0 && len(calls) == 0 {
		port = portEvaluate
	}
	host.Custom(x, "planning", planned{round, "model", calls})
	return k.goOn(x, calls, port), nil
}

// asksNothing reports whether a message needs no look-up: thanks, a greeting, or a statement about
// the person.
func asksNothing(message string) bool {
	if polite(message) != "contract.out_of_scope" || intent.Courtesy(message) {
		return true
	}
	before := intent.BeforeThanks(message)
	return before != message && !slices.ContainsFunc([]string{message, before}, func(text string) bool {
		return intent.Question(text) || intent.Request(text)
	})
}

// searchFor returns a search for the question itself.
func (k kit) searchFor(s graph.State) llm.ToolCall {
	return llm.ToolCall{Name: toolSearch, Arguments: arguments("query", fit.Cut(k.st.query.Get(s), 500))}
}

// madeWhole writes the question with the number of the neighbouring article it refers to, for the
// nodes that answer it.
func (k kit) madeWhole(s graph.State, articles []rag.Article) []graph.Write {
	question, last := k.st.question.Get(s), k.st.last.Get(s)
	if !k.st.leans.Get(s) || len(references(question)) > 0 || len(last) == 0 {
		return nil
	}
	if next, ok := neighbour(question, last[0], articles); ok {
		return []graph.Write{k.st.query.Set(naming(question, next))}
	}
	if sameOne.MatchString(question) && len(references(made(k.st.query.Get(s), question))) == 0 { // the model did not resolve it
		return []graph.Write{k.st.query.Set(sameOne.ReplaceAllString(question, last[0]))}
	}
	return nil
}

// lastResort returns a search for the person's own words. left is true if nothing was found so far
// and this search has not been made: calls that a model chose badly must not lead to "the contract
// says nothing".
func (k kit) lastResort(s graph.State, x *workflow.Exec) (c Call, left bool) {
	query := k.st.query.Get(s)
	if k.st.leans.Get(s) && query == k.st.question.Get(s) { // the model did not rewrite it
		query = strings.TrimSpace(previous(host.Earlier(x.Request, k.st.messages.Get(s))) + "\n" + query)
	}
	calls := k.fresh(s, []llm.ToolCall{{Name: toolSearch, Arguments: arguments("query", fit.Cut(query, 500))}})
	if len(calls) == 0 || len(k.st.found.Get(s)) > 0 {
		return Call{}, false
	}
	return calls[0], true
}

// goOn emits the planned calls and returns the writes; without calls it takes the given port.
func (k kit) goOn(x *workflow.Exec, calls []Call, port string) []graph.Write {
	for _, c := range calls {
		host.Custom(x, "tool_selected", c)
	}
	return []graph.Write{k.st.calls.Set(calls), k.st.plan.Set(port)}
}

// wish asks the model for tool calls.
func (k kit) wish(ctx context.Context, s graph.State, x *workflow.Exec, articles []rag.Article) (host.Reply, error) {
	e := k.st.evaluation.Get(s)
	system, err := prompt("planner", map[string]any{
		"Contracts": k.titles(s), "Articles": contents(articles), "Done": k.st.done.Get(s),
		"Missing": e.Missing, "Unexplored": strings.Join(e.Unexplored, ", "),
	})
	if err != nil {
		return host.Reply{}, err
	}
	messages := k.talk(system, s)
	if query := k.st.query.Get(s); query != k.st.question.Get(s) {
		messages[len(messages)-1] = llm.Message{Role: llm.User, Content: query}
	}
	return host.Choose(ctx, x, "plan", llm.Request{Purpose: llm.ForPlan, Messages: messages, Tools: k.tools.Offer()})
}

// articles returns the outline of the turn's first contract, or of the standard contract without
// one.
func (k kit) articles(ctx context.Context, s graph.State, x *workflow.Exec) ([]rag.Article, error) {
	own := k.st.own.Get(s)
	if len(own) > 0 {
		return k.shelf.look.Outline(ctx, x.Request.Scopes, own[0].Document)
	}
	c, ok, err := k.shelf.standard(ctx, x.Request.Language)
	if err != nil || !ok {
		return nil, err
	}
	return k.shelf.look.Outline(ctx, []string{StandardScope}, c.Document)
}

// fresh keeps calls to existing tools that were not made before, without duplicates.
func (k kit) fresh(s graph.State, wanted []llm.ToolCall) []Call {
	seen := map[string]bool{}
	for _, d := range k.st.done.Get(s) {
		seen[d.key()] = true
	}
	var out []Call
	for _, w := range wanted {
		c := Call{Tool: w.Name, Arguments: host.OneForm(w.Arguments)}
		c.Asked = k.asked(s, c)
		if seen[c.key()] || len(out) == maxCalls {
			continue
		}
		seen[c.key()] = true
		out = append(out, c)
	}
	return out
}

// asked reports whether the person named the part that a call looks up, in the question or in the
// message it refers to.
func (k kit) asked(s graph.State, c Call) bool {
	var given struct{ Index, Topic string }
	if json.Unmarshal([]byte(c.Arguments), &given) != nil {
		return false
	}
	said := references(k.st.question.Get(s) + "\n" + k.st.query.Get(s))
	for _, r := range refsOf(given.Index + given.Topic) {
		ref, ok := article.Parse(r)
		if ok && slices.ContainsFunc(said, func(r article.Ref) bool { return r.Key() == ref.Key() }) {
			return true
		}
	}
	return false
}

// arguments encodes a JSON object with one text member.
func arguments(name, text string) json.RawMessage {
	return json.RawMessage(host.OneForm(json.RawMessage(fmt.Sprintf("{%q:%s}", name, quoted(text)))))
}

func quoted(s string) string {
	b, err := json.Marshal(s)
	if err != nil { // a string always encodes
		return `""`
	}
	return string(b)
}
