package contract

import (
	"context"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/workflow"
	"maru/agent/workflow/host"
	"maru/rag"
)

type scoped struct {
	InScope bool   `json:"in_scope"`
	Reason  string `json:"reason"`
}

var scopeShape = llm.MustShape("contract_scope", `{
  "type": "object",
  "properties": {
    "in_scope": {"type": "boolean"},
    "reason": {"type": "string", "description": "a few words"}
  },
  "required": ["in_scope", "reason"],
  "additionalProperties": false
}`)

// contractWords speak of contracts whatever else the question says.
var contractWords = regexp.MustCompile(`(?i)계약|약관|협약|조항|조문|특약|위약|해지|지체상금|손해\s*배상|하자\s*(?:보수|담보|책임)|비밀\s*유지|갑과 을|발주자|용역|별표|부칙|독소\s*조항|` +
	`\bcontract|\bagreement|\bclause|\bannex|\bliabilit|\bterminat|\bindemni|\bconfidential|\bwarrant|\bgoverning law|\bjurisdiction|\bsubcontract|\bbreach|\bforce majeure`)

func (k kit) scopeValidator() workflow.Type {
	return workflow.Define(workflow.Type{
		Name: "contract_scope_validator", Summary: "Judges whether the message is about a contract; one that is not ends politely.",
		Doc:   "Shared files, article numbers and words of contracts are in scope without asking the model. A file of this message becomes a contract of the thread.",
		Ports: []string{portIn, portOut}, Reads: []string{"question", "messages", "contracts"},
		Writes: []string{"scope", "contracts", "own_contracts", "answer", "messages"}, Config: noConfig,
	}, k.validate, func(s graph.State, _ none) string { return k.scopeRoute(s) })
}

func (k kit) validate(ctx context.Context, s graph.State, x *workflow.Exec, _ none) ([]graph.Write, error) {
	shared, own, err := k.contractsOf(ctx, s, x)
	if err != nil {
		return nil, err
	}
	writes := []graph.Write{k.st.own.Set(own)}
	if len(shared) > 0 {
		writes = append(writes, k.st.contracts.Add(shared...))
	}
	in, err := k.inScope(ctx, s, x, own)
	if err != nil {
		return nil, err
	}
	if in {
		return append(writes, k.st.scope.Set(portIn)), nil
	}
	text := x.Phrase("contract.out_of_scope")
	x.Emit(agent.Event{Kind: agent.EventToken, Text: text})
	return append(writes, k.st.scope.Set(portOut), k.st.answer.Set(text), k.st.messages.Add(host.Said(x.Request, text))), nil
}

// contractsOf returns the contracts shared with this message, and all that the
// turn is about, the newest first: those of the thread, else those of the place.
func (k kit) contractsOf(ctx context.Context, s graph.State, x *workflow.Exec) (shared, own []Contract, err error) {
	for _, f := range x.Request.Files {
		shared = append(shared, Contract{Document: f.Document, Title: f.Name})
	}
	question := k.st.question.Get(s)
	all := k.st.contracts.Get(s)
	for _, c := range shared { // shared again: it is the newest
		all = append(slices.DeleteFunc(slices.Clone(all), func(o Contract) bool { return o.Document == c.Document }), c)
	}
	for _, c := range slices.Backward(all) {
		if len(own) == maxContracts {
			break
		}
		_, doc, err := k.shelf.docs.Chunk(ctx, x.Request.Scopes, c.Document+"#0")
		if errors.Is(err, rag.ErrNotFound) {
			continue // removed since, or not to be read here
		}
		if err != nil {
			return nil, nil, fmt.Errorf("read contract %s: %w", c.Title, err)
		}
		own = append(own, Contract{Document: c.Document, Title: nameOf(doc)})
	}
	if len(own) > 0 {
		return shared, firstNamed(own, question), nil
	}
	if own, err = k.shelf.place(ctx, x.Request); err == nil && len(own) > 0 {
		own = firstNamed(own, question)[:1] // nobody shared them here: one contract at a time
	}
	return shared, own, err
}

// firstNamed puts the contracts that a question names before the others.
func firstNamed(list []Contract, question string) []Contract {
	asked := squash(question)
	named := func(c Contract) bool {
		title := squash(strings.TrimSuffix(c.Title, path.Ext(c.Title)))
		return len([]rune(title)) >= 3 && strings.Contains(asked, title)
	}
	out := slices.Clone(list)
	slices.SortStableFunc(out, func(a, b Contract) int { return boolOrder(named(a), named(b)) })
	return out
}

// inScope decides by what is plain, then by the model, then by what is found.
func (k kit) inScope(ctx context.Context, s graph.State, x *workflow.Exec, own []Contract) (bool, error) {
	question := k.st.question.Get(s)
	earlier := host.Earlier(x.Request, k.st.messages.Get(s))
	if len(x.Request.Files) > 0 || len(references(question)) > 0 || contractWords.MatchString(question) || (len(earlier) > 0 && pointsAway(question)) {
		return true, nil
	}
	var titles string
	for _, c := range own {
		titles += "「" + c.Title + "」"
	}
	system, err := prompt("scope", map[string]any{"Contracts": titles})
	if err != nil {
		return false, err
	}
	got, err := workflow.Fill[scoped](ctx, x, "scope", llm.Request{Purpose: llm.ForRoute, Messages: k.talk(system, s)}, scopeShape)
	if err != nil || got.Failed == "" {
		return got.Value.InScope, err
	}
	// No model that decides: what the contract says about it does.
	q := rag.Query{Text: question, Scopes: x.Request.Scopes, Limit: 1}
	for _, c := range own {
		q.Documents = append(q.Documents, c.Document)
	}
	if len(own) == 0 {
		q.Scopes = []string{StandardScope}
	}
	hits, err := k.shelf.docs.Search(ctx, q)
	if err != nil {
		return false, fmt.Errorf("search: %w", err)
	}
	return len(hits) > 0, nil
}
