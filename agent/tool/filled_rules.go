package tool

import (
	"errors"
	"maps"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// rules are the schemas of one value.
type rules struct {
	sure  []*jsonschema.Schema // it has to fit all of these
	maybe []*jsonschema.Schema // alternatives: which of them it is cannot be known
}

func (r rules) none() bool { return len(r.sure)+len(r.maybe) == 0 }

// apply adds what the schemas refer to and combine, for a value, nil for an absent one: definitions, allOf, the matching
// branch of a condition, the only alternative that fits. Of several that fit, none is sure.
func (f *filler) apply(r rules, v any, depth int) (out rules) {
	for _, s := range r.sure {
		f.expand(s, v, &out, depth)
	}
	for _, s := range r.maybe {
		f.uncertain(s, v, &out, depth)
	}
	return out
}

// uncertain expands a schema that may not apply.
func (f *filler) uncertain(s *jsonschema.Schema, v any, out *rules, depth int) {
	var of rules
	f.expand(s, v, &of, depth)
	out.maybe = append(append(out.maybe, of.sure...), of.maybe...)
}

func (f *filler) expand(s *jsonschema.Schema, v any, out *rules, depth int) {
	if s == nil || depth > maxDepth || !f.spend(64) {
		return
	}
	depth++
	out.sure = append(out.sure, s)
	also := append([]*jsonschema.Schema{s.Ref, s.RecursiveRef}, s.AllOf...)
	if s.DynamicRef != nil {
		also = append(also, s.DynamicRef.Ref)
	}
	members, _ := v.(map[string]any)
	for name, dependent := range s.DependentSchemas {
		if has(members, name) {
			also = append(also, dependent)
		}
	}
	for name, dependent := range s.Dependencies {
		if of, ok := dependent.(*jsonschema.Schema); ok && has(members, name) {
			also = append(also, of)
		}
	}
	var either []*jsonschema.Schema
	switch {
	case s.If == nil:
	case v == nil:
		either = append(either, s.Then, s.Else)
	case s.If.Validate(v) == nil:
		also = append(also, s.Then)
	default:
		also = append(also, s.Else)
	}
	for _, of := range [][]*jsonschema.Schema{s.AnyOf, s.OneOf} {
		if of = fitting(of, v); len(of) == 1 {
			also = append(also, of[0])
		} else {
			either = append(either, of...)
		}
	}
	for _, of := range also {
		f.expand(of, v, out, depth)
	}
	for _, of := range either {
		f.uncertain(of, v, out, depth)
	}
}

// fitting returns the alternatives that a value fits, all for an absent one.
func fitting(of []*jsonschema.Schema, v any) (out []*jsonschema.Schema) {
	for _, s := range of {
		if v == nil || fits(s, v) {
			out = append(out, s)
		}
	}
	return out
}

// fits reports whether a value fits a schema once its defaults are filled in: it may lack what has one.
func fits(s *jsonschema.Schema, v any) bool {
	err := s.Validate(v)
	if err == nil {
		return true
	}
	var invalid *jsonschema.ValidationError
	return errors.As(err, &invalid) && lacksOnly(s, invalid)
}

// lacksOnly reports whether a value only lacks members that have a default.
func lacksOnly(s *jsonschema.Schema, e *jsonschema.ValidationError) bool {
	if len(e.Causes) > 0 {
		return !slices.ContainsFunc(e.Causes, func(c *jsonschema.ValidationError) bool { return !lacksOnly(s, c) })
	}
	missing, ok := e.ErrorKind.(*kind.Required)
	return ok && len(e.InstanceLocation) == 0 && !slices.ContainsFunc(missing.Missing, func(name string) bool {
		of := s.Properties[name]
		return of == nil || of.Default == nil
	})
}

// names returns the members that the schemas name, in order.
func (r rules) names() []string {
	all := map[string]bool{}
	for _, s := range slices.Concat(r.sure, r.maybe) {
		for name := range s.Properties {
			all[name] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// member returns the rules of a member of an object.
func (r rules) member(name string) rules {
	return r.each(func(s *jsonschema.Schema) []*jsonschema.Schema {
		var out []*jsonschema.Schema
		if of := s.Properties[name]; of != nil {
			out = append(out, of)
		}
		for pattern, of := range s.PatternProperties {
			if pattern.MatchString(name) {
				out = append(out, of)
			}
		}
		if of, ok := s.AdditionalProperties.(*jsonschema.Schema); ok && len(out) == 0 {
			out = append(out, of)
		}
		return out
	})
}

// element returns the rules of an element of a list.
func (r rules) element(i int) rules {
	return r.each(func(s *jsonschema.Schema) []*jsonschema.Schema {
		first, rest := s.PrefixItems, s.Items2020
		switch items := s.Items.(type) {
		case *jsonschema.Schema:
			rest = items
		case []*jsonschema.Schema:
			first = items
			rest, _ = s.AdditionalItems.(*jsonschema.Schema)
		}
		switch {
		case i < len(first):
			return first[i : i+1]
		case rest != nil:
			return []*jsonschema.Schema{rest}
		}
		return nil
	})
}

func (r rules) each(part func(*jsonschema.Schema) []*jsonschema.Schema) (out rules) {
	for _, s := range r.sure {
		out.sure = append(out.sure, part(s)...)
	}
	for _, s := range r.maybe {
		out.maybe = append(out.maybe, part(s)...)
	}
	return out
}

func has(members map[string]any, name string) bool { _, ok := members[name]; return ok }
