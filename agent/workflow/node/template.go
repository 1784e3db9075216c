package node

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"maru/agent/graph"
)

// maxText bounds what a template renders.
const maxText = 256 << 10

// template is a text with expressions in {{ }}.
type template struct{ parts []part }

// part is a piece of text, or an expression.
type part struct {
	text string
	expr *expression
}

// compileTemplate checks a text with expressions.
func compileTemplate(schema *graph.Schema, text string) (*template, error) {
	t := &template{}
	for {
		before, rest, found := strings.Cut(text, "{{")
		if before != "" {
			t.parts = append(t.parts, part{text: before})
		}
		if !found {
			return t, nil
		}
		inner, after, ok := closing(rest)
		if !ok {
			return nil, fault("definition.expr_open", short("{{"+rest))
		}
		e, err := compileExpression(schema, strings.TrimSpace(inner))
		if err != nil {
			return nil, err
		}
		t.parts = append(t.parts, part{expr: e})
		text = after
	}
}

// closing finds the }} that ends an expression, outside its strings and maps.
func closing(s string) (inner, after string, ok bool) {
	depth := 0
	var quote byte
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case quote != 0:
			if c == '\\' && quote != '`' {
				i++
			} else if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'' || c == '`':
			quote = c
		case c == '{':
			depth++
		case c == '}' && depth > 0:
			depth--
		case c == '}' && strings.HasPrefix(s[i:], "}}"):
			return s[:i], s[i+2:], true
		}
	}
	return "", "", false
}

// render writes the text.
func (t *template) render(sc scope) (string, error) {
	return t.renderWith(sc, func(_, text string) string { return text })
}

// renderWith writes the text; quote is given the text so far, and what comes from the state.
func (t *template) renderWith(sc scope, quote func(before, text string) string) (string, error) {
	var b strings.Builder
	for _, p := range t.parts {
		if p.expr == nil {
			b.WriteString(p.text)
			continue
		}
		v, err := p.expr.eval(sc)
		if err != nil {
			return "", err
		}
		if text := textOf(v); p.expr.plain() {
			b.WriteString(text)
		} else {
			b.WriteString(quote(b.String(), text))
		}
		if b.Len() > maxText {
			return "", fmt.Errorf("the text grew beyond %d bytes", maxText)
		}
	}
	return b.String(), nil
}

// value is render, except that a text that is one expression keeps its type.
func (t *template) value(sc scope) (any, error) {
	if len(t.parts) == 1 && t.parts[0].expr != nil {
		return t.parts[0].expr.eval(sc)
	}
	return t.render(sc)
}

// textOf writes a value as prompts and people read it.
func textOf(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Sprint(v)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// pattern is a JSON value whose strings are templates.
type pattern struct {
	text   *template
	list   []*pattern
	fields map[string]*pattern
	plain  any
}

func (p *pattern) value(sc scope) (any, error) {
	switch {
	case p.text != nil:
		return p.text.value(sc)
	case p.list != nil:
		out := make([]any, len(p.list))
		for i, e := range p.list {
			v, err := e.value(sc)
			if err != nil {
				return nil, err
			}
			out[i] = v
		}
		return out, nil
	case p.fields != nil:
		out := map[string]any{}
		for _, k := range slices.Sorted(maps.Keys(p.fields)) {
			v, err := p.fields[k].value(sc)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", k, err)
			}
			out[k] = v
		}
		return out, nil
	}
	return p.plain, nil
}
