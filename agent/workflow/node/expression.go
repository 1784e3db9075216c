package node

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/builtin"
	"github.com/expr-lang/expr/types"
	"github.com/expr-lang/expr/vm"

	"maru/agent/graph"
	"maru/agent/workflow"
	"maru/phrase"
)

// Bounds of expressions.
const (
	maxExpression = 4 << 10 // bytes
	maxNodes      = 500     // of the syntax tree
	maxNesting    = 2       // loops within loops
	maxMemory     = 200_000 // values that one evaluation may make
)

// expression is a formula over the state: bounded, deterministic and without
// effects.
type expression struct {
	text    string
	program *vm.Program // nil where the formula is a name and nothing else
	names   []string    // what it reads
}

// extra returns the names beside the channels.
func extra() []string {
	return []string{"item", "index", "count", "language", "user", "today"}
}

// compileExpression checks a formula: every name must be a channel of the
// state or one of extra.
func compileExpression(schema *graph.Schema, text string) (*expression, error) {
	if len(text) > maxExpression {
		return nil, fault("definition.expr_long", maxExpression)
	}
	channels := schema.Channels()
	if slices.ContainsFunc(channels, func(c graph.ChannelInfo) bool { return c.Name == text }) || slices.Contains(extra(), text) {
		return &expression{text: text, names: []string{text}}, nil // what most templates hold
	}
	known := make(types.Map, len(channels)+len(extra()))
	for _, c := range channels {
		known[c.Name] = types.Any
	}
	for _, n := range extra() {
		known[n] = types.Any
	}
	v := &names{known: known, seen: map[string]bool{}}
	opts := append([]expr.Option{expr.Env(known), expr.MaxNodes(maxNodes), expr.DisableBuiltin("now"), expr.Patch(v)}, bounds()...)
	program, err := expr.Compile(text, opts...)
	if err != nil {
		line := firstLine(err)
		if rest, ok := strings.CutPrefix(line, "unknown name "); ok {
			name, _, _ := strings.Cut(rest, " ")
			meant := slices.Sorted(maps.Keys(known))
			if strings.Contains(text, name+"(") {
				meant = slices.DeleteFunc(slices.Clone(builtin.Names), func(n string) bool { return n == name }) // one that is switched off
			}
			return nil, &unknownName{short(text), name, meant}
		}
		if strings.Contains(line, `Operator("=")`) {
			line += "; == compares"
		}
		return nil, fault("definition.expr_bad", short(text), line)
	}
	if depth := nesting(program.Node(), 0); depth > maxNesting {
		return nil, fault("definition.expr_loops", short(text), maxNesting)
	}
	return &expression{text: text, program: program, names: v.list}, nil
}

// unknownName says that an expression reads what does not exist.
type unknownName struct {
	text, name string
	known      []string
}

// Said returns the fault for people.
func (e *unknownName) Said() phrase.Sentence {
	return phrase.Of("definition.expr_unknown", e.text, e.name)
}

func (e *unknownName) Error() string { return e.Said().String() }

// hint says what was probably meant.
func (e *unknownName) hint() phrase.Sentence {
	if near := workflow.Nearest(e.name, e.known); len(near) > 0 {
		return phrase.Of("definition.did_you_mean", strings.Join(near, ", "))
	}
	return phrase.Of("definition.names", strings.Join(e.known, ", "))
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

func short(s string) string {
	if r := []rune(s); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return s
}

// names collects what an expression reads.
type names struct {
	known types.Map
	seen  map[string]bool
	list  []string
}

// Visit implements ast.Visitor.
func (v *names) Visit(n *ast.Node) {
	id, ok := (*n).(*ast.IdentifierNode)
	if _, known := v.known[idName(id)]; ok && known && !v.seen[id.Value] {
		v.seen[id.Value] = true
		v.list = append(v.list, id.Value)
	}
}

func idName(id *ast.IdentifierNode) string {
	if id == nil {
		return ""
	}
	return id.Value
}

// nesting returns how deep loops are nested.
func nesting(n ast.Node, depth int) int {
	deepest := depth
	down := func(c ast.Node, d int) {
		if c != nil {
			deepest = max(deepest, nesting(c, d))
		}
	}
	switch n := n.(type) {
	case *ast.BuiltinNode:
		for _, a := range n.Arguments {
			down(a, depth)
		}
		down(n.Map, depth+1) // the optimizer has put a map into a filter
	case *ast.PredicateNode:
		deepest = max(deepest, depth+1)
		down(n.Node, depth+1)
	case *ast.UnaryNode:
		down(n.Node, depth)
	case *ast.BinaryNode:
		down(n.Left, depth)
		down(n.Right, depth)
	case *ast.ChainNode:
		down(n.Node, depth)
	case *ast.MemberNode:
		down(n.Node, depth)
		down(n.Property, depth)
	case *ast.SliceNode:
		down(n.Node, depth)
		down(n.From, depth)
		down(n.To, depth)
	case *ast.CallNode:
		down(n.Callee, depth)
		for _, a := range n.Arguments {
			down(a, depth)
		}
	case *ast.VariableDeclaratorNode:
		down(n.Value, depth)
		down(n.Expr, depth)
	case *ast.SequenceNode:
		for _, c := range n.Nodes {
			down(c, depth)
		}
	case *ast.ConditionalNode:
		down(n.Cond, depth)
		down(n.Exp1, depth)
		down(n.Exp2, depth)
	case *ast.ArrayNode:
		for _, c := range n.Nodes {
			down(c, depth)
		}
	case *ast.MapNode:
		for _, c := range n.Pairs {
			down(c, depth)
		}
	case *ast.PairNode:
		down(n.Key, depth)
		down(n.Value, depth)
	}
	return deepest
}

// scope is what the expressions of a task read: the state, its item and the person who asked.
type scope struct {
	s    graph.State
	x    *workflow.Exec
	item *workflow.Item
}

// scopeOf makes the scope of a task.
func scopeOf(s graph.State, x *workflow.Exec) scope {
	sc := scope{s: s, x: x}
	if item, ok := itemOf(s); ok {
		sc.item = &item
	}
	return sc
}

// scopeIn returns the scope of a task, or of the choice of what follows it.
func scopeIn(s graph.State) scope { return scopeOf(s, workflow.ExecOf(s)) }

// itemOf returns the item of a map that a task was started for, or the
// sub-workflow that it belongs to.
func itemOf(s graph.State) (workflow.Item, bool) {
	raw := s.Arg()
	if raw == nil {
		raw, _ = s.JSON("item")
	}
	var item workflow.Item
	if len(raw) == 0 || string(raw) == "null" || json.Unmarshal(raw, &item) != nil || item.Map == "" {
		return item, false
	}
	return item, true
}

func (sc scope) value(name string) (any, error) {
	switch name {
	case "item", "index", "count":
		if sc.item == nil {
			return nil, nil //nolint:nilnil // nil is what an expression sees outside a map
		}
		return map[string]any{"item": sc.item.Value, "index": sc.item.Index, "count": sc.item.Count}[name], nil
	case "language", "user", "today":
		r := sc.x.Request
		return map[string]any{"language": r.Language, "user": r.User.Name, "today": r.User.Clock(r.Now).Format(time.DateOnly)}[name], nil
	}
	raw, err := sc.s.JSON(name)
	if err != nil {
		return nil, err
	}
	v, err := graph.Normalize(json.RawMessage(raw))
	if v == nil && err == nil {
		switch name { // nothing is written yet
		case "metadata":
			return map[string]any{}, nil
		case "passages", "summaries":
			return []any{}, nil
		}
	}
	return v, err
}

// eval returns the expression's value, of the types that graph.Any keeps.
func (e *expression) eval(sc scope) (any, error) {
	env := make(map[string]any, len(e.names))
	for _, n := range e.names {
		v, err := sc.value(n)
		if err != nil {
			return nil, err
		}
		env[n] = v
	}
	if e.program == nil {
		return graph.Normalize(env[e.text])
	}
	machine := vm.VM{MemoryBudget: maxMemory}
	v, err := machine.Run(e.program, env)
	if err != nil {
		return nil, fmt.Errorf("expression %q: %s", short(e.text), firstLine(err))
	}
	if weigh(v, maxValue) > maxValue {
		return nil, fmt.Errorf("expression %q: %w", short(e.text), errTooLong)
	}
	if n, err := graph.Normalize(v); err == nil {
		return n, nil
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("expression %q: its value cannot be kept: %w", short(e.text), err)
	}
	return graph.Normalize(json.RawMessage(raw))
}

// holds evaluates a condition.
func (e *expression) holds(sc scope) (bool, error) {
	v, err := e.eval(sc)
	if err != nil {
		return false, err
	}
	b, ok := v.(bool)
	if !ok {
		return false, fmt.Errorf("expression %q: %w", short(e.text), errNoCondition)
	}
	return b, nil
}

var errNoCondition = errors.New("is neither true nor false")
