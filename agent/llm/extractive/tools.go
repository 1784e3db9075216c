package extractive

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"maru/agent/llm"
	"maru/phrase/fit"
)

// Words in the names of tools: those that do more than tell, and where the next word begins.
var (
	changing = set(`write set update delete remove create add insert append edit move rename copy put send post upload save cancel run execute`)
	humps    = expression(`([a-z\d])([A-Z])`)
)

// nameWords gives the words of a tool's name between underscores: _fs_read_file_ of fs.readFile.
func nameWords(name string) string {
	name = humps().ReplaceAllString(name, "${1}_$2")
	return "_" + strings.Join(strings.FieldsFunc(strings.ToLower(name), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}), "_") + "_"
}

// tool returns the first tool offered whose name has one of the parts as words of its own. None is taken
// that by its name changes something: the time is not told by update_runtime.
func (a *ask) tool(parts ...string) *llm.Tool {
	for _, p := range parts {
		for i, t := range a.req.Tools {
			name := nameWords(t.Name)
			if strings.Contains(name, "_"+p+"_") && !slices.ContainsFunc(strings.Split(name, "_"), func(w string) bool { return changing[w] }) {
				return &a.req.Tools[i]
			}
		}
	}
	return nil
}

// toolFor returns the call that grants a wish, if a tool for it is offered: the calculator, the
// clock, or a search of the documents.
func (a *ask) toolFor(w wish) (llm.ToolCall, bool) {
	if w.kind == wantsDocuments && len(a.req.Passages) == 0 {
		w.arg = fit.Clip(fit.OneLine(a.question), 300) // a question is its own best query
	}
	if a.req.ToolChoice == "none" || w.arg == "" && w.kind != wantsClock {
		return llm.ToolCall{}, false
	}
	var t *llm.Tool
	var names []string
	switch w.kind {
	case wantsArithmetic:
		t, names = a.tool("calculator", "calculate", "calc"), []string{"expression", "expr", "input", "query"}
	case wantsClock:
		t, names = a.tool("current_time", "time", "clock", "date"), []string{"timezone", "time_zone", "tz", "zone", "place", "location", "city"}
	case wantsDocuments:
		t, names = a.tool("hybrid_search", "retrieve_docs", "search_documents"), []string{"query", "q", "question"}
	default:
		return llm.ToolCall{}, false
	}
	if t == nil || a.req.ToolChoice != "" && a.req.ToolChoice != "auto" && a.req.ToolChoice != "required" && a.req.ToolChoice != t.Name {
		return llm.ToolCall{}, false
	}
	args, ok := arguments(t.Parameters, names, w)
	return llm.ToolCall{ID: a.callID(t.Name, args), Name: t.Name, Arguments: args}, ok
}

// arguments puts the wish's argument into the parameter that is called one of
// names, else into the only one that is required, and another day than today
// into a parameter for days. It fails when a required parameter would stay empty
// or something that was asked has no place: a guess would be dishonest.
func arguments(schema json.RawMessage, names []string, w wish) (json.RawMessage, bool) {
	var s object
	if len(schema) > 0 && json.Unmarshal(schema, &s) != nil {
		return nil, false
	}
	key := ""
	if i := slices.IndexFunc(names, func(n string) bool { return s.Properties[n] != nil }); i >= 0 {
		key = names[i]
	} else if len(s.Required) == 1 {
		key = s.Required[0]
	}
	args := map[string]any{}
	switch {
	case w.arg != "" && key == "", w.days != 0 && s.Properties["add_days"] == nil:
		return nil, false
	case w.arg != "":
		args[key] = w.arg
	}
	if w.days != 0 {
		args["add_days"] = w.days
	}
	for _, r := range s.Required {
		if _, ok := args[r]; !ok {
			return nil, false
		}
	}
	b, err := json.Marshal(args)
	return b, err == nil
}

// callID is the same for the same call in the same place of a conversation, and
// no other call's.
func (a *ask) callID(name string, args json.RawMessage) string {
	h := sha256.New()
	h.Write([]byte(strconv.Itoa(len(a.req.Messages)) + "\x00" + name + "\x00"))
	for _, m := range a.req.Messages {
		h.Write([]byte(m.Content))
		h.Write([]byte{0})
	}
	h.Write(args)
	return "call_" + hex.EncodeToString(h.Sum(nil)[:9])
}
