package extractive

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"

	"maru/agent/llm"
	"maru/phrase/fit"
)

// The tools that this model knows, with the argument of each that it fills.
var tools = map[kind][]struct{ tool, argument string }{
	wantsArithmetic: {{"calculator", "expression"}},
	wantsClock:      {{"current_time", "place"}, {"get_time", "place"}},
	wantsSaid:       {{"search_messages", "query"}},
	wantsDocuments:  {{"hybrid_search", "query"}, {"retrieve_docs", "query"}, {"search_documents", "query"}},
}

// toolFor returns the call that grants a wish, if a tool for it is offered: the calculator, the
// clock, or a search of the documents.
func (a *ask) toolFor(w wish) (llm.ToolCall, bool) {
	if w.kind == wantsDocuments && len(a.req.Passages) == 0 {
		w.arg = fit.Clip(fit.OneLine(a.question), 300) // a question is its own best query
	}
	if w.arg == "" && w.kind != wantsClock || w.kind == wantsSaid && len(a.req.Passages) > 0 {
		return llm.ToolCall{}, false
	}
	for _, k := range tools[w.kind] {
		if choice := a.req.ToolChoice; !a.offers(k.tool) || choice != "" && choice != "auto" && choice != "required" && choice != k.tool {
			continue
		}
		args := map[string]any{}
		if w.arg != "" {
			args[k.argument] = w.arg
		}
		if w.from != "" {
			args["date"] = w.from
		}
		if w.to != "" {
			args["until"] = w.to
		}
		if w.days != 0 {
			args["add_days"] = w.days
		}
		b, err := json.Marshal(args)
		return llm.ToolCall{ID: a.callID(k.tool, b), Name: k.tool, Arguments: b}, err == nil
	}
	return llm.ToolCall{}, false
}

// callID returns the same ID for the same call in the same place of a conversation, and
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
