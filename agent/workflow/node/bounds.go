package node

import (
	"fmt"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/builtin"
	"github.com/expr-lang/expr/vm/runtime"
)

// maxValue bounds the value of an expression, in bytes as JSON. The evaluator counts values and not their length: a
// text that is doubled thirty times is thirty values, and ten gigabytes.
const maxValue = 1 << 20

var errTooLong = fmt.Errorf("its value grows beyond %d bytes", maxValue)

// plus is what + becomes, see bounds.
const plus = "plus_"

// bounds replaces the functions whose result may be much larger than their arguments, or that take time in proportion
// to it: each checks its arguments first.
func bounds() []expr.Option {
	out := []expr.Option{
		expr.Patch(adder{}),
		expr.Function(plus, func(args ...any) (any, error) {
			a, one := args[0].(string)
			b, two := args[1].(string)
			if one && two && len(a)+len(b) > maxValue {
				return nil, errTooLong
			}
			return runtime.Add(args[0], args[1]), nil
		}),
		guarded("repeat", func(args []any) bool {
			s, ok := args[0].(string)
			return !ok || len(s)*max(0, min(runtime.ToInt(args[1]), maxValue+1)) <= maxValue
		}, 2),
		guarded("replace", func(args []any) bool {
			s, ok1 := args[0].(string)
			old, ok2 := args[1].(string)
			with, ok3 := args[2].(string)
			return !ok1 || !ok2 || !ok3 || len(s)+strings.Count(s, old)*len(with) <= maxValue
		}, 3),
		guarded("join", func(args []any) bool {
			list, _ := args[0].([]any)
			glue := 0
			if len(args) > 1 {
				s, _ := args[1].(string)
				glue = len(s)
			}
			return weigh(args[0], maxValue) <= maxValue-len(list)*glue
		}, 1),
	}
	for _, name := range []string{"flatten", "min", "max", "mean", "median", "string", "toJSON"} { // they look within lists of lists
		out = append(out, guarded(name, func(args []any) bool { return weigh(args, maxValue) <= maxValue }, 0))
	}
	return out
}

// guarded returns a function of the language that is only called where fits says so
// and with at least so many arguments.
func guarded(name string, fits func(args []any) bool, least int) expr.Option {
	f := builtin.Builtins[builtin.Index[name]]
	return expr.Function(name, func(args ...any) (any, error) {
		if len(args) < max(least, 1) {
			return nil, fmt.Errorf("%s wants more than %d arguments", name, len(args))
		}
		if !fits(args) {
			return nil, errTooLong
		}
		switch {
		case f.Safe != nil:
			v, _, err := f.Safe(args...)
			return v, err
		case f.Func != nil:
			return f.Func(args...)
		}
		return f.Fast(args[0]), nil
	})
}

// adder makes + a function that can be bounded.
type adder struct{}

// Visit implements ast.Visitor.
func (adder) Visit(n *ast.Node) {
	if b, ok := (*n).(*ast.BinaryNode); ok && b.Operator == "+" {
		ast.Patch(n, &ast.CallNode{Callee: &ast.IdentifierNode{Value: plus}, Arguments: []ast.Node{b.Left, b.Right}})
	}
}

// weigh returns about how many bytes a value is as JSON, and stops counting
// beyond limit: one list may hold another many times.
func weigh(v any, limit int) int {
	switch v := v.(type) {
	case string:
		return len(v) + 2
	case []any:
		sum := 2
		for _, e := range v {
			if sum += weigh(e, limit-sum) + 1; sum > limit {
				break
			}
		}
		return sum
	case map[string]any:
		sum := 2
		for k, e := range v {
			if sum += len(k) + 3 + weigh(e, limit-sum); sum > limit {
				break
			}
		}
		return sum
	case []string:
		sum := 2
		for _, e := range v {
			sum += len(e) + 3
		}
		return sum
	case []int:
		return 8 * len(v)
	}
	return 8
}
