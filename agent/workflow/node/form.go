package node

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"maru/agent/workflow"
	"maru/phrase"
)

// form reads the members of a node's config beyond their schema, and collects all faults with their places.
type form struct {
	p     workflow.Place
	found []error
	types []error // wrong types, with which a node runs nevertheless
	needs []workflow.Need
	gives []string
}

// bound completes a node with what its config reads and writes. It is an error if the config has faults.
func (f *form) bound(b workflow.Bound) (workflow.Bound, error) {
	if len(f.found) > 0 {
		return workflow.Bound{}, errors.Join(slices.Concat(f.found, f.types)...)
	}
	b.Mistyped, b.Needs, b.Gives = f.types, f.needs, append(b.Gives, f.gives...)
	return b, nil
}

// reads notes what the expressions at a place need.
func (f *form) reads(at string, expressions ...*expression) {
	for _, e := range expressions {
		if e == nil || e.program == nil {
			continue
		}
		for _, n := range needs(f.p.Schema.Channels(), e.text) {
			n.Pointer = at
			f.needs = append(f.needs, n)
		}
	}
}

// fault notes what is wrong at a JSON pointer below the config.
func (f *form) fault(at string, err error) {
	if err == nil {
		return
	}
	e := &workflow.ConfigError{Pointer: at, Err: err}
	var unknown *unknownName
	if errors.As(err, &unknown) {
		e.Err, e.Hint = unknown, unknown.hint()
	}
	var mistyped *wrongType
	if errors.As(err, &mistyped) {
		e.Err, e.Hint = mistyped, mistyped.hint
		f.types = append(f.types, e)
		return
	}
	f.found = append(f.found, e)
}

// told is a fault that people read in their language.
type told struct{ said phrase.Sentence }

func fault(key string, args ...any) error { return told{phrase.Of(key, args...)} }

// Said returns the fault for people.
func (e told) Said() phrase.Sentence { return e.said }

func (e told) Error() string { return e.said.String() }

// text reads a template; an empty one stays empty.
func (f *form) text(at, source string) *template {
	t, err := compileTemplate(f.p.Schema, source)
	f.fault(at, err)
	if t != nil {
		for _, p := range t.parts {
			if p.expr != nil {
				f.typed(at, p.expr.text, "")
			}
			f.reads(at, p.expr)
		}
	}
	return t
}

// typed notes an expression that mixes up the types of what it reads, or gives another kind of value than it must; "" takes any.
func (f *form) typed(at, text string, want kind) {
	_, err := typed(f.p.Schema.Channels(), text, want)
	f.fault(at, err)
}

// formula reads an expression that must give a kind of value.
func (f *form) formula(at, source string, want kind) *expression {
	e, err := compileExpression(f.p.Schema, source)
	if f.fault(at, err); err == nil {
		f.typed(at, source, want)
	}
	f.reads(at, e)
	return e
}

// condition reads an expression that counts as false where it fails.
func (f *form) condition(at, source string) *expression {
	from := len(f.needs)
	e := f.formula(at, source, kindBool)
	for i := range f.needs[from:] {
		f.needs[from+i].Handled = true
	}
	return e
}

// target reads where a result goes.
func (f *form) target(at, name string) output {
	o, err := newOutput(f.p.Schema, name)
	f.fault(at, err)
	if o.member != "" {
		f.gives = append(f.gives, "metadata."+o.member)
	}
	return o
}

// pattern reads a JSON value whose strings are templates.
func (f *form) pattern(at string, v any) *pattern {
	switch v := v.(type) {
	case string:
		return &pattern{text: f.text(at, v)}
	case []any:
		p := &pattern{list: make([]*pattern, len(v))}
		for i, e := range v {
			p.list[i] = f.pattern(fmt.Sprintf("%s/%d", at, i), e)
		}
		return p
	case map[string]any:
		p := &pattern{fields: map[string]*pattern{}}
		for _, k := range slices.Sorted(maps.Keys(v)) {
			p.fields[k] = f.pattern(at+"/"+pointerWord(k), v[k])
		}
		return p
	}
	return &pattern{plain: v}
}

var pointerEscape = strings.NewReplacer("~", "~0", "/", "~1") // made once: every field of every node asks

// pointerWord writes a member's name as a JSON pointer does (RFC 6901).
func pointerWord(s string) string { return pointerEscape.Replace(s) }
