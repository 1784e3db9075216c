package builtin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"maru/agent/tool"
	"maru/phrase"
)

// calculator computes expressions with exact decimals.
type calculator struct{}

// NewCalculator returns the calculator.
func NewCalculator() tool.Tool { return calculator{} }

const calculatorWords = `Computes an arithmetic expression with exact decimal numbers and returns the value. Use it for every calculation, however simple.
Operators: + - * / ^ (power), // (floor division), mod, ! (factorial), % ("15% of 240"; after + or - a percentage is of the left side: 200 + 10% = 220), ° (degrees), parentheses.
Functions: abs sqrt cbrt round(x, digits) floor ceil trunc min max sum avg ln log10 log(x, base) exp sin cos tan pow mod factorial. Constants: pi, e.
Numbers may have thousands separators (1,234.5) outside functions and Korean units (1억 2천만). No units, no currencies, no variables.`

// Spec implements tool.Tool. The schema has no example: small models call the tool with its numbers.
func (calculator) Spec() tool.Spec {
	return tool.Spec{
		Name:        "calculator",
		Title:       phrase.Of("builtin.doing.calculator"),
		Description: calculatorWords,
		Parameters: json.RawMessage(`{"type":"object","properties":{
			"expression":{"type":"string","minLength":1,"maxLength":1000,"description":"what to compute, with the numbers of the request or of earlier results"}},
			"required":["expression"],"additionalProperties":false}`),
		Policy:  tool.Policy{ReadOnly: true, Idempotent: true, Own: true},
		Timeout: 5 * time.Second,
	}
}

// Call implements tool.Tool.
func (calculator) Call(ctx context.Context, call tool.Call) (tool.Result, error) {
	var args struct {
		Expression string `json:"expression"`
	}
	if err := json.Unmarshal(call.Arguments, &args); err != nil {
		return tool.Result{}, fmt.Errorf("decode arguments: %w", err)
	}
	n, v, err := calculate(ctx, args.Expression)
	var wrong *syntaxError
	if errors.As(err, &wrong) {
		return tool.Result{}, miscalculated(args.Expression, wrong)
	}
	if err != nil {
		return tool.Result{}, err
	}
	value, sign, note := show(v), "=", ""
	if v.rounded {
		sign = "≈"
	}
	if cut(v) {
		note = fmt.Sprintf(" (%d digits, the first %d are shown)", v.d.NumDigits()+int64(v.d.Exponent), shownDigits)
	}
	data, err := json.Marshal(map[string]any{"value": value, "exact": !v.rounded && note == ""})
	if err != nil {
		return tool.Result{}, fmt.Errorf("encode result: %w", err)
	}
	return tool.Result{Text: n.String() + " " + sign + " " + value + note, Data: data}, nil
}

// calculate parses and computes an expression.
func calculate(ctx context.Context, expression string) (*node, number, error) {
	n, err := parse(expression)
	if err != nil {
		return nil, number{}, err
	}
	e := &evaluator{ctx}
	v, err := e.eval(n)
	return n, v, err
}

// miscalculated shows where an expression is wrong.
func miscalculated(expression string, wrong *syntaxError) *tool.Error {
	src := normal(expression)
	at := min(wrong.at, len(src))
	around := string(src[max(0, at-20):at]) + "⟪here⟫" + string(src[at:min(len(src), at+20)])
	return bad(fmt.Sprintf("The expression is wrong %s. Near: %s. Correct it and try again.", wrong.Error(), around),
		phrase.Of("calc.wrong", at+1, wrong.people))
}
