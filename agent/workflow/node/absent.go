package node

import (
	"slices"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/parser"

	"maru/agent/graph"
	"maru/agent/workflow"
	"maru/phrase"
)

// needs returns the operations of an expression that fail while state values are absent. A value is a channel
// that begins empty, a member of metadata, which begins without any, or one of [workflow.ItemValues].
func needs(channels []graph.ChannelInfo, text string) []workflow.Need {
	tree, err := parser.Parse(text)
	if err != nil {
		return nil // the compiler names the fault
	}
	a := absence{text: text, lists: map[string]bool{"passages": true, "summaries": true}, vars: map[string]nilable{}}
	for _, c := range channels {
		if c.Kind == "list" || c.Kind == "keyed" {
			a.lists[c.Name] = true
		}
	}
	a.visit(tree.Node)
	return a.found
}

// absence walks the syntax tree of an expression.
type absence struct {
	text    string
	lists   map[string]bool // channels that begin as an empty list
	vars    map[string]nilable
	seen    []string // values read so far
	guarded []string // values that a condition around the place has tested
	found   []workflow.Need
}

// nilable is under which absences a part of an expression is nil: in each case all of its values are absent.
type nilable struct {
	always [][]string
	chain  [][]string // as always, and the rest of an optional chain is skipped
}

func (n nilable) all() [][]string { return append(slices.Clone(n.always), n.chain...) }

// maxCases bounds the cases of one part.
const maxCases = 16

func (a *absence) visit(n ast.Node) nilable {
	switch n := n.(type) {
	case *ast.IdentifierNode:
		if v, local := a.vars[n.Value]; local {
			return v
		}
		if n.Value == "last_output" || slices.Contains(workflow.ItemValues, n.Value) {
			return a.value(n.Value)
		}
	case *ast.ChainNode:
		return nilable{always: a.visit(n.Node).all()}
	case *ast.MemberNode:
		return a.member(n)
	case *ast.SliceNode:
		a.fails(a.visit(n.Node), n.Node)
		a.visitAll(n.From, n.To)
	case *ast.UnaryNode:
		a.fails(a.visit(n.Node), n.Node)
	case *ast.BinaryNode:
		return a.binary(n)
	case *ast.ConditionalNode:
		from := len(a.seen)
		a.fails(a.visit(n.Cond), n.Cond)
		var out nilable
		a.guard(from, func() { out.always = append(a.visit(n.Exp1).all(), a.visit(n.Exp2).all()...) })
		return out
	case *ast.BuiltinNode:
		return a.call(n.Name, n.Arguments)
	case *ast.CallNode:
		if id, ok := n.Callee.(*ast.IdentifierNode); ok {
			return a.call(id.Value, n.Arguments)
		}
		a.visitAll(append([]ast.Node{n.Callee}, n.Arguments...)...)
	case *ast.VariableDeclaratorNode:
		a.vars[n.Name] = a.visit(n.Value)
		return a.visit(n.Expr)
	case *ast.SequenceNode:
		var last nilable
		for _, one := range n.Nodes {
			last = a.visit(one)
		}
		return last
	case *ast.PredicateNode:
		return a.visit(n.Node)
	case *ast.ArrayNode:
		a.visitAll(n.Nodes...)
	case *ast.MapNode:
		a.visitAll(n.Pairs...)
	case *ast.PairNode:
		a.visitAll(n.Key, n.Value)
	}
	return nilable{}
}

func (a *absence) visitAll(list ...ast.Node) {
	for _, n := range list {
		if n != nil {
			a.visit(n)
		}
	}
}

// value reads a value of the state.
func (a *absence) value(name string) nilable {
	a.seen = append(a.seen, name)
	if slices.Contains(a.guarded, name) {
		return nilable{}
	}
	return nilable{always: [][]string{{name}}}
}

// guard runs do for what is evaluated after a test of the values seen since from.
func (a *absence) guard(from int, do func()) {
	before := a.guarded
	a.guarded = append(slices.Clone(before), a.seen[from:]...)
	do()
	a.guarded = before
}

func (a *absence) member(n *ast.MemberNode) nilable {
	name, named := n.Property.(*ast.StringNode)
	if of, ok := n.Node.(*ast.IdentifierNode); ok {
		_, local := a.vars[of.Value]
		_, positioned := n.Property.(*ast.IntegerNode)
		switch {
		case of.Value == "metadata" && named && !local:
			return a.value("metadata." + name.Value)
		case a.lists[of.Value] && positioned && !local:
			if a.value(of.Value).always != nil {
				a.note([]string{of.Value}, phrase.Of("definition.test_list", of.Value))
			}
			return nilable{}
		}
	}
	base := a.visit(n.Node)
	a.visitAll(n.Property)
	if n.Optional {
		return nilable{chain: base.all()}
	}
	step := "[" + n.Property.String() + "]"
	if named && !strings.ContainsFunc(name.Value, func(r rune) bool { return r != '_' && (r < '0' || r > 'z') }) {
		step = name.Value
	}
	for _, c := range base.always {
		a.note(c, phrase.Of("definition.optional_chain", n.Node.String()+"?."+step))
	}
	return nilable{chain: base.chain}
}

func (a *absence) binary(n *ast.BinaryNode) nilable {
	from := len(a.seen)
	left := a.visit(n.Left)
	switch n.Operator {
	case "??":
		var out nilable
		right := a.visit(n.Right).all()
		for _, l := range left.all() {
			for _, r := range right {
				out.always = append(out.always, append(slices.Clone(l), r...))
			}
		}
		out.always = out.always[:min(len(out.always), maxCases)]
		return out
	case "and", "or", "&&", "||":
		a.guard(from, func() { a.visit(n.Right) })
	case "==", "!=", "in", "contains", "startsWith", "endsWith", "matches": // nil compares with everything
		a.visit(n.Right)
	default:
		a.fails(left, n.Left)
		a.fails(a.visit(n.Right), n.Right)
	}
	return nilable{}
}

// call visits the arguments of a function. Whether it takes nil in one's place is tried.
func (a *absence) call(name string, arguments []ast.Node) nilable {
	var out nilable
	for i, arg := range arguments {
		got := a.visit(arg)
		if list, ok := arg.(*ast.IdentifierNode); ok && i == 0 && a.lists[list.Value] {
			if of := a.value(list.Value); takesNil(name, arguments, 0) {
				got = of // first(todos) is nil of an empty list
			}
		}
		if len(got.all()) == 0 {
			continue
		}
		if !takesNil(name, arguments, i) {
			a.fails(got, arg)
		} else if i == 0 {
			out.always = append(out.always, got.all()...)
		}
	}
	if name == "string" || name == "toJSON" || name == "type" { // never nil
		return nilable{}
	}
	return out
}

// takesNil reports whether a function returns with nil as the argument at i and plain values as the others.
func takesNil(name string, arguments []ast.Node, i int) bool {
	parts := make([]string, len(arguments))
	for k, arg := range arguments {
		switch arg.(type) {
		case *ast.PredicateNode:
			parts[k] = "true"
		case *ast.StringNode, *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
			parts[k] = arg.String()
		default:
			parts[k] = `""`
		}
	}
	parts[i] = "absent"
	program, err := expr.Compile(name+"("+strings.Join(parts, ", ")+")", append(bounds(), expr.AllowUndefinedVariables())...)
	if err != nil {
		return false
	}
	_, err = expr.Run(program, map[string]any{"absent": nil})
	return err == nil
}

// fails notes that an operation fails where its operand is nil.
func (a *absence) fails(n nilable, operand ast.Node) {
	for _, c := range n.all() {
		a.note(c, phrase.Of("definition.give_default", operand.String()))
	}
}

func (a *absence) note(values []string, hint phrase.Sentence) {
	for _, f := range a.found {
		if slices.Equal(f.Values, values) {
			return // the first of several is enough
		}
	}
	a.found = append(a.found, workflow.Need{Values: values, Text: short(a.text), Hint: hint})
}
