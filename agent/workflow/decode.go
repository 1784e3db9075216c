package workflow

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"maru/agent/workflow/foreign"
	"maru/agent/workflow/syntax"
	"maru/phrase"
)

// maxFaults bounds the problems that are reported of one text, and those that name their node.
const maxFaults = 100

// value is a JSON value with its place in a text.
type value struct {
	start, end int // bytes
	kind       jsontext.Kind
	members    []member
	items      []value
}

// member is one member of an object.
type member struct {
	name  string
	as    string // the name that was meant, where it is known
	at    int    // offset of the name
	twice bool   // a member of that name came before
	value value
}

// source is a definition's text with what could be read of it.
type source struct {
	text   []byte
	root   *value // nil where the text is no JSON
	d      Definition
	found  Problems
	unread []string // pointers of values that could not be read
}

// readSource reads a text strictly and continues after faults: an unknown member is read as the one that was probably
// meant, or left out, and a value of the wrong type is left out.
func readSource(text []byte) *source {
	s := readText(text)
	if len(s.found) == 0 {
		return s
	}
	if program := foreign.Format(text); program != "" { // every part of it would be told as unknown
		s = &source{text: text}
		s.add("", 0, phrase.Of("definition.foreign.do"), "definition.foreign", program)
	}
	return s
}

func readText(text []byte) *source {
	s := &source{text: text}
	if !s.fits() {
		return s
	}
	dec := jsontext.NewDecoder(bytes.NewReader(text), jsontext.AllowDuplicateNames(true))
	root, err := s.value(dec)
	if err == nil {
		if _, err = dec.ReadToken(); err == nil {
			err = &jsontext.SyntacticError{ByteOffset: int64(root.end), Err: errors.New(syntax.Follows)}
		}
		if errors.Is(err, io.EOF) {
			err = nil
		}
	}
	if err != nil {
		s.syntax(err)
		return s
	}
	s.root = &root
	s.fill(reflect.ValueOf(&s.d).Elem(), s.root, "")
	if len(s.d.Nodes) > maxNodes {
		s.add("/nodes", s.root.start, phrase.Of("definition.move_parts"), "definition.many_nodes", len(s.d.Nodes), maxNodes)
		s.unread = append(s.unread, "/nodes")
	}
	return s
}

// fits reports whether the text can be a definition at all.
func (s *source) fits() bool {
	switch {
	case len(s.text) > MaxSize:
		s.found.add(StageValidate, "", phrase.Of("definition.move_parts"), "definition.long", MaxSize)
	case len(bytes.TrimSpace(s.text)) == 0:
		s.found.add(StageValidate, "", phrase.Of("definition.no_text.do"), "definition.no_text")
	default:
		return true
	}
	return false
}

// errDeep says that values are nested too deep.
var errDeep = errors.New("nested too deep")

// value reads the next value with all that it holds.
func (s *source) value(dec *jsontext.Decoder) (value, error) {
	v := value{kind: dec.PeekKind()}
	v.start = s.skip(int(dec.InputOffset()))
	if dec.StackDepth() >= maxDepth && (v.kind == '{' || v.kind == '[') {
		return v, &jsontext.SyntacticError{ByteOffset: int64(v.start), JSONPointer: dec.StackPointer(), Err: errDeep}
	}
	_, err := dec.ReadToken()
	if err != nil || (v.kind != '{' && v.kind != '[') {
		v.end = int(dec.InputOffset())
		return v, err
	}
	seen := map[string]bool{}
	for {
		next := dec.PeekKind()
		if next == v.kind+2 { // the bracket that closes it, in ASCII
			_, err := dec.ReadToken()
			v.end = int(dec.InputOffset())
			return v, err
		}
		if v.kind == '[' {
			item, err := s.value(dec)
			if err != nil {
				return v, err
			}
			v.items = append(v.items, item)
			continue
		}
		m := member{at: s.skip(int(dec.InputOffset()))}
		name, err := dec.ReadToken()
		if err != nil {
			return v, err
		}
		m.name = name.String()
		m.as, m.twice = m.name, seen[m.name]
		seen[m.name] = true
		if m.value, err = s.value(dec); err != nil {
			return v, err
		}
		v.members = append(v.members, m)
	}
}

// skip returns where the next token begins.
func (s *source) skip(at int) int {
	for at < len(s.text) && strings.IndexByte(" \t\r\n,:", s.text[at]) >= 0 {
		at++
	}
	return at
}

// syntax records where a text stops being JSON. The rest cannot be read.
func (s *source) syntax(err error) {
	var e *jsontext.SyntacticError
	if !errors.As(err, &e) {
		s.found.say(StageValidate, "", phrase.Sentence{}, phrase.Raw(err.Error()))
		return
	}
	says, does := syntax.Said(e.Err, s.text[min(int(e.ByteOffset), len(s.text)):])
	if errors.Is(e.Err, errDeep) {
		says, does = phrase.Of("definition.deep", maxDepth), phrase.Of("definition.deep.do")
	}
	s.say(string(e.JSONPointer), int(e.ByteOffset), does, says)
}

// add notes a fault at a byte of the text.
func (s *source) add(pointer string, at int, hint phrase.Sentence, key string, args ...any) {
	s.say(pointer, at, hint, phrase.Of(key, args...))
}

func (s *source) say(pointer string, at int, hint, says phrase.Sentence) {
	switch {
	case len(s.found) > maxFaults:
		return
	case len(s.found) == maxFaults:
		s.found.add(StageValidate, "", phrase.Of("definition.many_faults.do"), "definition.many_faults", maxFaults)
		return
	}
	s.found.say(StageValidate, pointer, hint, says)
	p := &s.found[len(s.found)-1]
	p.Line, p.Column = position(s.text, at)
}

// fill writes a value into a variable of a definition.
func (s *source) fill(to reflect.Value, v *value, at string) {
	switch {
	case v.kind == 'n': // null is as good as nothing
	case to.Type() == reflect.TypeFor[json.RawMessage]():
		s.members(v, at, nil)
		to.SetBytes(bytes.Clone(s.text[v.start:v.end]))
	case to.Kind() == reflect.Pointer:
		to.Set(reflect.New(to.Type().Elem()))
		s.fill(to.Elem(), v, at)
	case to.Kind() == reflect.Struct && v.kind == '{':
		s.members(v, at, fields(to))
	case to.Kind() == reflect.Slice && v.kind == '[':
		to.Grow(len(v.items))
		for i := range v.items {
			to.Set(reflect.Append(to, reflect.Zero(to.Type().Elem())))
			s.fill(to.Index(i), &v.items[i], at+"/"+strconv.Itoa(i))
		}
	default:
		if to.Kind() != reflect.Struct && to.Kind() != reflect.Slice && jsonv2.Unmarshal(s.text[v.start:v.end], to.Addr().Interface()) == nil {
			return
		}
		s.unread = append(s.unread, at)
		s.add(at, v.start, phrase.Of("definition.wrong_type.do"), "definition.wrong_type", wanted(to.Kind()), had(v.kind))
	}
}

// fields returns the variables of a struct by their names in JSON.
func fields(of reflect.Value) map[string]reflect.Value {
	out := map[string]reflect.Value{}
	for i := range of.NumField() {
		name, _, _ := strings.Cut(of.Type().Field(i).Tag.Get("json"), ",")
		out[name] = of.Field(i)
	}
	return out
}

// members writes the members of an object into variables by their names; nil is
// an object that may have any.
func (s *source) members(v *value, at string, into map[string]reflect.Value) {
	for i := range v.members {
		if len(s.found) > maxFaults {
			return
		}
		m := &v.members[i]
		place := at + "/" + escapePointer(m.name)
		if m.twice {
			s.add(place, m.at, phrase.Of("definition.twice.do"), "definition.twice")
			continue
		}
		if into == nil {
			s.members(&m.value, place, nil)
			continue
		}
		if _, known := into[m.name]; !known {
			hint := phrase.Of("definition.no_member.do")
			if _, ok := into["config"]; ok {
				hint = phrase.Of("definition.no_member.do_config")
			}
			missing := absent(v, into)
			near := Nearest(m.name, missing)
			if ours := elsewhere[m.name]; slices.Contains(missing, ours) {
				near = []string{ours}
			}
			if len(near) > 0 {
				hint = meant(near)
				if len(near) == 1 {
					m.as = near[0]
				}
			}
			s.add(place, m.at, hint, "definition.no_member")
		}
		if to, ok := into[m.as]; ok {
			s.fill(to, &m.value, at+"/"+m.as)
		}
	}
	for i := range v.items {
		s.members(&v.items[i], at+"/"+strconv.Itoa(i), nil)
	}
}

// elsewhere are the names that other formats of graphs have for what is called so here.
var elsewhere = map[string]string{"from": "source", "to": "target", "type": "node_type", "kind": "node_type"}

// absent lists the names that an object may have and has not, in the order of the
// alphabet.
func absent(v *value, into map[string]reflect.Value) []string {
	has := map[string]bool{}
	for _, m := range v.members {
		if _, known := into[m.as]; known { // a hostile object has many others
			has[m.as] = true
		}
	}
	var out []string
	for _, name := range slices.Sorted(maps.Keys(into)) {
		if !has[name] {
			out = append(out, name)
		}
	}
	return out
}

// locate returns the line and the column of a value, or if the text lacks it, those of the value that should hold it.
// They are 0 in a text that is not JSON.
func (s *source) locate(pointer string) (line, column int) {
	if s.root == nil {
		return 0, 0
	}
	v := s.root
	for _, step := range strings.Split(pointer, "/")[1:] {
		next := v.step(unescapePointer(step))
		if next == nil {
			break
		}
		v = next
	}
	return position(s.text, v.start)
}

// nodeAt returns the id of the node to which a place belongs, "" for none.
func (s *source) nodeAt(pointer string) string {
	rest, in := strings.CutPrefix(pointer, "/nodes/")
	n, _, _ := strings.Cut(rest, "/")
	v := s.root
	for _, name := range []string{"nodes", n, "id"} {
		if v != nil && in {
			v = v.step(name)
		}
	}
	if v == nil || !in || v.kind != '"' {
		return ""
	}
	return string(s.text[v.start+1 : v.end-1])
}

// step returns the member of that name or the item of that number, nil if there
// is none.
func (v *value) step(name string) *value {
	for i := range v.members {
		if v.members[i].as == name || v.members[i].name == name {
			return &v.members[i].value
		}
	}
	if i, err := strconv.Atoi(name); err == nil && i >= 0 && i < len(v.items) {
		return &v.items[i]
	}
	return nil
}

// position returns the line and the column of a byte, from 1 and in letters.
func position(text []byte, at int) (line, column int) {
	before := text[:min(max(at, 0), len(text))]
	return bytes.Count(before, []byte("\n")) + 1, utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1
}

// wanted names a kind of variable in words of JSON.
func wanted(k reflect.Kind) phrase.Sentence {
	switch k {
	case reflect.String:
		return phrase.Of("definition.a.string")
	case reflect.Slice:
		return phrase.Of("definition.a.array")
	case reflect.Struct:
		return phrase.Of("definition.a.object")
	case reflect.Int:
		return phrase.Of("definition.a.whole")
	default:
		return phrase.Of("definition.a.number")
	}
}

// had names a kind of value.
func had(k jsontext.Kind) phrase.Sentence {
	switch k {
	case '{':
		return phrase.Of("definition.a.object")
	case '[':
		return phrase.Of("definition.a.array")
	case '"':
		return phrase.Of("definition.a.string")
	case '0':
		return phrase.Of("definition.a.number")
	default:
		return phrase.Of("definition.a.bool")
	}
}
