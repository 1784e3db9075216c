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

// given is a value of the arguments, with the size of its text. The zero value is an absent one.
type given struct {
	v    any
	size int
}

// apply adds what the schemas refer to and combine, for a value: definitions, allOf, the matching
// branch of a condition, the only alternative that fits. Of several that fit, none is sure.
func (f *filler) apply(r rules, g given, depth int) (out rules) {
	for _, s := range r.sure {
		f.expand(s, g, &out, depth)
	}
	for _, s := range r.maybe {
		f.uncertain(s, g, &out, depth)
	}
	return out
}

// uncertain expands a schema that may not apply.
func (f *filler) uncertain(s *jsonschema.Schema, g given, out *rules, depth int) {
	var of rules
	f.expand(s, g, &of, depth)
	out.maybe = append(append(out.maybe, of.sure...), of.maybe...)
}

func (f *filler) expand(s *jsonschema.Schema, g given, out *rules, depth int) {
	if s == nil || depth > maxDepth || !f.spend(64) {
		return
	}
	depth++
	out.sure = append(out.sure, s)
	also := append([]*jsonschema.Schema{s.Ref, s.RecursiveRef}, s.AllOf...)
	if s.DynamicRef != nil {
		also = append(also, s.DynamicRef.Ref)
	}
	members, _ := g.v.(map[string]any)
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
	case g.v == nil:
		either = append(either, s.Then, s.Else)
	case f.validate(s.If, g) == nil:
		also = append(also, s.Then)
	default:
		also = append(also, s.Else)
	}
	for _, of := range [][]*jsonschema.Schema{s.AnyOf, s.OneOf} {
		if of = f.fitting(of, g); len(of) == 1 {
			also = append(also, of[0])
		} else {
			either = append(either, of...)
		}
	}
	for _, of := range also {
		f.expand(of, g, out, depth)
	}
	for _, of := range either {
		f.uncertain(of, g, out, depth)
	}
}

// fitting returns the alternatives that a value fits, all for an absent one.
func (f *filler) fitting(of []*jsonschema.Schema, g given) (out []*jsonschema.Schema) {
	for _, s := range of {
		if g.v == nil || f.fits(s, g) {
			out = append(out, s)
		}
	}
	return out
}

// fits reports whether a value is valid once defaults are filled in: members that have a default may be absent.
func (f *filler) fits(s *jsonschema.Schema, g given) bool {
	err := f.validate(s, g)
	if err == nil {
		return true
	}
	var invalid *jsonschema.ValidationError
	return errors.As(err, &invalid) && lacksOnly(s, invalid)
}

var errSpent = errors.New("too much work")

// validate validates a value within the bound.
func (f *filler) validate(s *jsonschema.Schema, g given) error {
	if !f.spend(perValidation + g.size/validated) {
		return errSpent
	}
	return s.Validate(g.v)
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
