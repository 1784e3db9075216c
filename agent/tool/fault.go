package tool

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"maru/phrase"
)

// Fault is one thing that is wrong with the arguments of a call.
type Fault struct {
	Field   string          // the argument, by its name at the top level; "" for all of them together
	Where   string          // the same with the path inside it, "a.b.0"
	Missing bool            // it has no value; otherwise its value does not fit
	Model   string          // for the model
	People  phrase.Sentence // the same for people, without the name
}

// maxComplaints limits the faults reported at once.
const maxComplaints = 8

// complaint returns faults for the model, "" for none.
func complaint(faults []Fault) string {
	var out []string
	for _, f := range faults {
		out = append(out, f.Model)
	}
	if len(out) > maxComplaints {
		out = append(out[:maxComplaints], "and more")
	}
	return strings.Join(out, "; ")
}

// told returns faults for people.
func told(faults []Fault) phrase.Sentence {
	var out []phrase.Sentence
	for _, f := range faults[:min(len(faults), maxComplaints)] {
		out = append(out, phrase.Join(": ", phrase.Raw(clip(f.Where, 64)), f.People))
	}
	return phrase.Join(", ", out...)
}

// Misfit returns the error of a call whose arguments do not fit the tool.
func Misfit(name string, faults ...Fault) *Error {
	return &Error{
		Code:   "bad_argument",
		Model:  fmt.Sprintf("%s was not called: %s. Correct the arguments and call it again.", name, complaint(faults)),
		People: phrase.Of("tool.misfit", told(faults)),
		Faults: faults,
	}
}

// Unfit returns the fault of a value that is not what its field wants, a type of JSON
// Schema.
func Unfit(field, want string) Fault {
	return Fault{Field: field, Where: field, Model: field + ": not a JSON " + want, People: typeWords(want)}
}

// Wants tells people which values a JSON Schema accepts where it refused one.
func Wants(k jsonschema.ErrorKind) phrase.Sentence {
	switch k := k.(type) {
	case *kind.Type:
		if len(k.Want) > 0 {
			return typeWords(k.Want[0])
		}
	case *kind.Enum:
		var all []string
		for _, w := range k.Want[:min(len(k.Want), 12)] {
			all = append(all, shown(w))
		}
		return phrase.Of("tool.one_of", strings.Join(all, ", "))
	case *kind.Const:
		return phrase.Of("tool.only", shown(k.Want))
	case *kind.Pattern, *kind.Format, *kind.ContentEncoding, *kind.ContentMediaType:
		return phrase.Of("tool.form")
	case *kind.UniqueItems:
		return phrase.Of("tool.twice")
	case *kind.OneOf, *kind.AnyOf, *kind.Not:
		return phrase.Of("tool.together")
	}
	if w := bounds(k); !w.Empty() {
		return w
	}
	return phrase.Of("tool.unfit")
}

// bounds says how large or long a value may be, nothing where that is not the
// fault.
func bounds(k jsonschema.ErrorKind) phrase.Sentence {
	number := func(n *big.Rat) string {
		return strings.TrimSuffix(strings.TrimRight(n.FloatString(6), "0"), ".")
	}
	switch k := k.(type) {
	case *kind.Minimum:
		return phrase.Of("tool.min", number(k.Want))
	case *kind.Maximum:
		return phrase.Of("tool.max", number(k.Want))
	case *kind.ExclusiveMinimum:
		return phrase.Of("tool.above", number(k.Want))
	case *kind.ExclusiveMaximum:
		return phrase.Of("tool.below", number(k.Want))
	case *kind.MultipleOf:
		return phrase.Of("tool.multiple", number(k.Want))
	case *kind.MinLength:
		return phrase.Of("tool.min_length", k.Want)
	case *kind.MaxLength:
		return phrase.Of("tool.max_length", k.Want)
	case *kind.MinItems:
		return phrase.Of("tool.min_items", k.Want)
	case *kind.MaxItems:
		return phrase.Of("tool.max_items", k.Want)
	case *kind.MinProperties:
		return phrase.Of("tool.min_items", k.Want)
	case *kind.MaxProperties:
		return phrase.Of("tool.max_items", k.Want)
	}
	return phrase.Sentence{}
}

// typeWords names a type of JSON Schema in people's words.
func typeWords(want string) phrase.Sentence {
	switch want {
	case "integer":
		return phrase.Of("tool.type.integer")
	case "number":
		return phrase.Of("tool.type.number")
	case "boolean":
		return phrase.Of("tool.type.boolean")
	case "array":
		return phrase.Of("tool.type.array")
	case "object":
		return phrase.Of("tool.type.object")
	case "string":
		return phrase.Of("tool.type.string")
	}
	return phrase.Of("tool.unfit")
}

// shown formats a value for people.
func shown(v any) string {
	if s, ok := v.(string); ok {
		return clip(s, 40)
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return clip(string(raw), 40)
}
