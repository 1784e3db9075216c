package node

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/types"

	"maru/agent/graph"
	"maru/phrase"
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
func (k kind) a() phrase.Sentence {
	switch k {
	case kindBool:
		return phrase.Of("definition.a.bool")
	case kindObject:
		return phrase.Of("definition.a.object")
	case kindText:
		return phrase.Of("definition.a.text")
	case kindNumber:
		return phrase.Of("definition.a.number")
	}
	return phrase.Of("definition.a.list")
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
		return got, &wrongType{short(text), phrase.Of("definition.types.gives", got.a(), want.a()), want.how()}
	}
	return got, nil
}

// how says how to get a value of a kind.
func (k kind) how() phrase.Sentence {
	switch k {
	case kindBool:
		return phrase.Of("definition.types.bool.do")
	case kindList:
		return phrase.Of("definition.types.list.do")
	case kindNumber:
		return phrase.Of("definition.types.number.do")
	}
	return phrase.Sentence{}
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

// wrongType reports an expression that mixes up the types of what it reads.
type wrongType struct {
	text      string
	why, hint phrase.Sentence
}

// Said returns the fault for people.
func (e *wrongType) Said() phrase.Sentence {
	return phrase.Of("definition.types.of", e.text, e.why)
}

func (e *wrongType) Error() string { return e.Said().String() }

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
	line, letter := firstLine(err), ""
	if m := at.FindStringSubmatch(line); m != nil {
		line = strings.TrimSuffix(line, m[0])
		letter = m[2]
	}
	e := &wrongType{text: short(text)}
	if m := between.FindStringSubmatch(line); m != nil {
		e.why = phrase.Of("definition.types.between", m[1], kindNamed(m[2]), kindNamed(m[3]))
		e.hint = bothSides(m[1], m[2], m[3])
	} else if m := alone.FindStringSubmatch(line); m != nil {
		e.why, e.hint = phrase.Of("definition.types.before", m[1], kindNamed(m[2])), kindBool.how()
	} else if m := onList.FindStringSubmatch(line); m != nil {
		e.why, e.hint = phrase.Of("definition.types.takes_list", m[1], kindNamed(m[2])), kindList.how()
	} else if m := choice.FindStringSubmatch(line); m != nil {
		e.why, e.hint = phrase.Of("definition.types.condition", kindNamed(m[1])), kindBool.how()
	} else {
		e.why = phrase.Raw(ofName.ReplaceAllStringFunc(line, func(name string) string { return kindNamed(name).String() }))
	}
	if letter != "" {
		e.why = phrase.Of("definition.types.letter", e.why, letter)
	}
	return e
}

// kindNamed names a type of the expression library.
func kindNamed(t string) phrase.Sentence {
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
	return phrase.Of("definition.a.any")
}

// bothSides explains how to give both sides of an operator one type.
func bothSides(operator, a, b string) phrase.Sentence {
	list := strings.HasPrefix(a, "[]") || strings.HasPrefix(b, "[]")
	switch {
	case operator == "+" && !list:
		return phrase.Of("definition.types.join.do")
	case list && operator != "in":
		return phrase.Of("definition.types.lists.do")
	case operator == "in", operator == "contains", operator == "startsWith", operator == "endsWith", operator == "matches":
		return phrase.Of("definition.types.search.do")
	}
	return phrase.Of("definition.types.convert.do")
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
		f.fault(at, &wrongType{short(fmt.Sprint(v)), phrase.Of("definition.types.channel", o.channel, want.a(), got.a()), want.how()})
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
