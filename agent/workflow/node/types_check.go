package node

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/types"

	"maru/agent/graph"
)

// The types of the state are known before a run, except those of what steps and tools give: last_output, item and the
// members of metadata. An operation that mixes up the known ones is never what its author meant: most fail in every run, a comparison
// with == is false in every run, and a condition that fails counts as false.

// kind is a type as people name it, "" for one that is known only in a run.
type kind string

// The kinds.
const (
	kindText   kind = "text"
	kindNumber kind = "number"
	kindBool   kind = "true or false"
	kindList   kind = "list"
	kindObject kind = "object"
)

// a names a kind in a sentence.
func (k kind) a() string {
	switch k {
	case kindBool:
		return "true or false"
	case kindObject:
		return "an object"
	case kindText:
		return "text"
	}
	return "a " + string(k)
}

// channelKind returns the kind of a channel.
func channelKind(c graph.ChannelInfo) kind {
	codec, _, _ := strings.Cut(c.Type, "@")
	switch {
	case c.Kind == "list", c.Kind == "keyed", c.Name == "summaries", c.Name == "passages":
		return kindList
	case c.Name == "metadata", c.Name == "context_budget":
		return kindObject
	case codec == graph.String().Name:
		return kindText
	case codec == graph.Int().Name:
		return kindNumber
	case codec == graph.Bool().Name:
		return kindBool
	}
	return ""
}

// typesOf returns the types of the names that expressions may read.
func typesOf(channels []graph.ChannelInfo) types.Map {
	of := map[kind]types.Type{
		"": types.Any, kindText: types.String, kindNumber: types.Int, kindBool: types.Bool,
		kindList: types.Array(types.Any), kindObject: types.Map{types.Extra: types.Any},
	}
	out := types.Map{}
	for _, n := range extra() {
		out[n] = types.Any
	}
	for _, c := range channels {
		out[c.Name] = of[channelKind(c)]
	}
	for _, n := range []string{"language", "user", "today"} {
		out[n] = types.String
	}
	for _, n := range []string{"index", "count"} {
		out[n] = types.Int
	}
	return out
}

// typed checks the types of an expression that compiles, and returns the kind of its value. A want says what it has to be;
// "" takes any.
func typed(channels []graph.ChannelInfo, text string, want kind) (kind, error) {
	program, err := expr.Compile(text, expr.Env(typesOf(channels)), expr.MaxNodes(maxNodes), expr.Optimize(false))
	if err != nil {
		return "", mistyped(text, err)
	}
	got := kindOfType(program.Node().Type())
	if want != "" && got != "" && got != want {
		return got, &wrongType{short(text), fmt.Sprintf("it gives %s, where %s belongs", got.a(), want.a()), wants[want]}
	}
	return got, nil
}

// wants say how to get a value of a kind.
var wants = map[kind]string{
	kindBool:   "compare it with something, such as iteration > 3 or len(todos) == 0",
	kindList:   "name a list, such as todos, or split a text: split(input, \"\\n\")",
	kindNumber: "int(x) reads a number from a text, len(x) counts",
}

func kindOfType(t reflect.Type) kind {
	if t == nil {
		return ""
	}
	switch t.Kind() {
	case reflect.String:
		return kindText
	case reflect.Bool:
		return kindBool
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64,
		reflect.Float32, reflect.Float64:
		return kindNumber
	case reflect.Slice, reflect.Array:
		return kindList
	case reflect.Map:
		return kindObject
	}
	return ""
}

// wrongType says that an expression mixes up the types of what it reads.
type wrongType struct{ text, why, hint string }

func (e *wrongType) Error() string { return fmt.Sprintf("expression %q: %s", e.text, e.why) }

var (
	between = regexp.MustCompile(`^invalid operation: (\S+) \(mismatched types (.+) and (.+)\)`)
	alone   = regexp.MustCompile(`^invalid operation: (\S+) \(mismatched type (.+)\)`)
	onList  = regexp.MustCompile(`^builtin (\S+) takes only array \(got (.+)\)`)
	choice  = regexp.MustCompile(`^non-bool expression \(type (.+)\) used as condition`)
	ofName  = regexp.MustCompile(`\b(interface \{\}|any|string|bool|u?int\d*|float\d*|\[\]\S+|map\[\S+)`)
	at      = regexp.MustCompile(` \((\d+):(\d+)\)$`)
)

// mistyped names the types of a fault as people do.
func mistyped(text string, err error) error {
	line, place := firstLine(err), ""
	if m := at.FindStringSubmatch(line); m != nil {
		line = strings.TrimSuffix(line, m[0])
		place = " (letter " + m[2] + ")"
	}
	e := &wrongType{text: short(text)}
	if m := between.FindStringSubmatch(line); m != nil {
		a, b := kindNamed(m[2]), kindNamed(m[3])
		e.why = fmt.Sprintf("%s stands between %s and %s%s", m[1], a, b, place)
		e.hint = bothSides(m[1], m[2], m[3])
	} else if m := alone.FindStringSubmatch(line); m != nil {
		e.why, e.hint = fmt.Sprintf("%s stands before %s%s", m[1], kindNamed(m[2]), place), wants[kindBool]
	} else if m := onList.FindStringSubmatch(line); m != nil {
		e.why, e.hint = fmt.Sprintf("%s takes a list and gets %s%s", m[1], kindNamed(m[2]), place), wants[kindList]
	} else if m := choice.FindStringSubmatch(line); m != nil {
		e.why, e.hint = fmt.Sprintf("a condition is %s, and must be true or false%s", kindNamed(m[1]), place), wants[kindBool]
	} else {
		e.why = ofName.ReplaceAllStringFunc(line, kindNamed) + place
	}
	return e
}

// kindNamed names a type of the expression library.
func kindNamed(t string) string {
	switch {
	case t == "string":
		return kindText.a()
	case t == "bool":
		return kindBool.a()
	case strings.HasPrefix(t, "int"), strings.HasPrefix(t, "uint"), strings.HasPrefix(t, "float"):
		if !strings.HasPrefix(t, "interface") {
			return kindNumber.a()
		}
	case strings.HasPrefix(t, "[]"), t == "array":
		return kindList.a()
	case strings.HasPrefix(t, "map"):
		return kindObject.a()
	}
	return "any value"
}

// bothSides says how two sides of an operator become of one type.
func bothSides(operator, a, b string) string {
	list := strings.HasPrefix(a, "[]") || strings.HasPrefix(b, "[]")
	switch {
	case operator == "+" && !list:
		return "string(x) makes text of a number; in a text, write {{a}}{{b}} instead"
	case list && operator != "in":
		return "len(x) counts a list; x in list looks for a member"
	case operator == "in", operator == "contains", operator == "startsWith", operator == "endsWith", operator == "matches":
		return "contains, startsWith, endsWith and matches compare texts; in looks for a member of a list or object"
	}
	return "int(x) reads a number from a text, string(x) makes text of a number"
}

// fits checks that a value of a config may be written to a channel: what a run would refuse.
func (f *form) fits(at string, o output, v any) {
	if o.schema == nil || o.member != "" {
		return
	}
	var want kind
	for _, c := range o.schema.Channels() {
		if c.Name == o.channel {
			want = channelKind(c)
		}
	}
	if want != kindNumber && want != kindBool { // everything can be written as text, and lists take members
		return
	}
	if got := f.kindOfValue(v); got != "" && got != want {
		f.fault(at, &wrongType{short(fmt.Sprint(v)), fmt.Sprintf("%s takes %s, and this is %s", o.channel, want.a(), got.a()), wants[want]})
	}
}

// kindOfValue returns the kind of a value of a config, whose texts are templates.
func (f *form) kindOfValue(v any) kind {
	switch v := v.(type) {
	case string:
		if inner, rest, ok := strings.Cut(v, "{{"); ok && inner == "" {
			if text, after, closed := closing(rest); closed && after == "" {
				got, err := typed(f.p.Schema.Channels(), strings.TrimSpace(text), "")
				if err != nil {
					return "" // told already
				}
				return got
			}
		}
		return kindText
	case bool:
		return kindBool
	case []any:
		return kindList
	case map[string]any:
		return kindObject
	case nil:
		return ""
	}
	return kindNumber
}
