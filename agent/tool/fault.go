package tool

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// Fault is one thing that is wrong with the arguments of a call.
type Fault struct {
	Field   string            // the argument, by its name at the top level; "" for all of them together
	Where   string            // the same with the path inside it, "a.b.0"
	Missing bool              // it has no value; otherwise its value does not fit
	Model   string            // what the model reads
	People  map[string]string // the same for people, by language, without the name
}

// maxComplaints bounds what is told at once.
const maxComplaints = 8

// complaint is what the model reads of faults, "" of none.
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

// told is what people read of faults in a language.
func told(faults []Fault, language string) string {
	var out []string
	for _, f := range faults[:min(len(faults), maxComplaints)] {
		out = append(out, strings.TrimPrefix(clip(f.Where, 64)+": ", ": ")+f.People[language])
	}
	return strings.Join(out, ", ")
}

// Misfit is the error of a call whose arguments do not fit the tool.
func Misfit(name string, faults ...Fault) *Error {
	return &Error{
		Code:   "bad_argument",
		Model:  fmt.Sprintf("%s was not called: %s. Correct the arguments and call it again.", name, complaint(faults)),
		People: words("도구에 넘긴 값이 맞지 않아요 ("+told(faults, "ko")+").", "The values for the tool do not fit ("+told(faults, "en")+")."),
		Faults: faults,
	}
}

// Unfit is the fault of a value that is not what its field wants, a type of JSON
// Schema.
func Unfit(field, want string) Fault {
	return Fault{Field: field, Where: field, Model: field + ": not a JSON " + want, People: typeWords(want)}
}

func words(ko, en string) map[string]string { return map[string]string{"ko": ko, "en": en} }

// inWords says in people's words what a value would have to be.
func inWords(k jsonschema.ErrorKind) map[string]string {
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
		list := strings.Join(all, ", ")
		return words("다음 중 하나여야 해요: "+list, "must be one of: "+list)
	case *kind.Const:
		return words("이 값만 쓸 수 있어요: "+shown(k.Want), "can only be: "+shown(k.Want))
	case *kind.Pattern, *kind.Format, *kind.ContentEncoding, *kind.ContentMediaType:
		return words("형식이 맞지 않아요", "is not written in the form that the tool expects")
	case *kind.UniqueItems:
		return words("같은 값이 두 번 있어요", "holds the same value twice")
	case *kind.OneOf, *kind.AnyOf, *kind.Not:
		return words("이 값들을 함께 쓸 수 없어요", "these values do not go together")
	}
	if w := bounds(k); w != nil {
		return w
	}
	return words("쓸 수 없는 값이에요", "cannot be used as it is")
}

// bounds says how large or long a value may be, nil where that is not the fault.
func bounds(k jsonschema.ErrorKind) map[string]string {
	number := func(n *big.Rat, ko, en string) map[string]string {
		text := strings.TrimSuffix(strings.TrimRight(n.FloatString(6), "0"), ".")
		return words(fmt.Sprintf(ko, text), fmt.Sprintf(en, text))
	}
	count := func(n int, ko, en string) map[string]string { return words(fmt.Sprintf(ko, n), fmt.Sprintf(en, n)) }
	switch k := k.(type) {
	case *kind.Minimum:
		return number(k.Want, "%s 이상이어야 해요", "must be at least %s")
	case *kind.Maximum:
		return number(k.Want, "%s 이하여야 해요", "must be at most %s")
	case *kind.ExclusiveMinimum:
		return number(k.Want, "%s보다 커야 해요", "must be more than %s")
	case *kind.ExclusiveMaximum:
		return number(k.Want, "%s보다 작아야 해요", "must be less than %s")
	case *kind.MultipleOf:
		return number(k.Want, "%s의 배수여야 해요", "must be a multiple of %s")
	case *kind.MinLength:
		return count(k.Want, "%d글자 이상이어야 해요", "must have at least %d characters")
	case *kind.MaxLength:
		return count(k.Want, "%d글자까지 쓸 수 있어요", "may have %d characters at most")
	case *kind.MinItems:
		return count(k.Want, "%d개 이상이어야 해요", "must have at least %d entries")
	case *kind.MaxItems:
		return count(k.Want, "%d개까지 쓸 수 있어요", "may have %d entries at most")
	}
	return nil
}

// typeWords names a type of JSON Schema in people's words.
func typeWords(want string) map[string]string {
	switch want {
	case "integer":
		return words("정수여야 해요", "must be a whole number")
	case "number":
		return words("숫자여야 해요", "must be a number")
	case "boolean":
		return words("예 또는 아니요여야 해요", "must be yes or no")
	case "array":
		return words("목록이어야 해요", "must be a list")
	case "object":
		return words("JSON 객체여야 해요", "must be a JSON object")
	case "string":
		return words("글자여야 해요", "must be text")
	}
	return words("쓸 수 없는 값이에요", "cannot be used as it is")
}

// shown is a value as people read it.
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
