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
	"maru/phrase"
	"maru/phrase/fit"
	"maru/phrase/prose"
)

// changing are words in the names of tools that do more than tell.
var changing = set(`write set update delete remove create add insert append edit move rename copy put send post upload save cancel run execute`)

// nameWords gives the words of a tool's name between underscores: _fs_read_file_ of fs.readFile.
func nameWords(name string) string {
	name = humps.ReplaceAllString(name, "${1}_$2")
	return "_" + strings.Join(strings.FieldsFunc(strings.ToLower(name), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}), "_") + "_"
}

var humps = expression(`([a-z\d])([A-Z])`)

// tool returns the first tool offered whose name has one of the parts as words of its own. None is taken
// that by its name changes something: the time is not told by update_runtime, and no file read by delete_file.
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

// toolFor returns the call that grants a wish, if a tool for it is offered.
func (a *ask) toolFor(w wish) (llm.ToolCall, bool) {
	if w.kind == wantsDocuments && len(a.req.Passages) == 0 && w.arg == "" {
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
	case wantsWeather:
		t, names = a.tool("weather"), []string{"city", "location", "place", "query", "q"}
	case wantsWiki:
		t, names = a.tool("wikipedia", "wiki"), []string{"query", "q", "title", "topic"}
	case wantsWeb:
		t, names = a.tool("web_search", "websearch", "tavily", "google", "search"), []string{"query", "q"}
	case wantsDocuments:
		t, names = a.tool("hybrid_search", "retrieve_docs", "search_documents"), []string{"query", "q", "question"}
	case wantsFile:
		t, names = a.tool("read_file", "file"), []string{"name", "file", "filename", "path", "document", "id"}
	default:
		return llm.ToolCall{}, false
	}
	if t == nil || a.req.ToolChoice != "" && a.req.ToolChoice != "auto" && a.req.ToolChoice != "required" && a.req.ToolChoice != t.Name {
		return llm.ToolCall{}, false
	}
	args, ok := arguments(t.Parameters, names, w)
	if !ok {
		return llm.ToolCall{}, false
	}
	return llm.ToolCall{ID: a.callID(t.Name, args), Name: t.Name, Arguments: args}, true
}

// arguments puts the wish's argument into the parameter that is called one of
// names, else into the only one that is required, and another day than today
// into a parameter for days. It fails when a required parameter would stay empty
// or something that was asked has no place: a guess would be dishonest.
func arguments(schema json.RawMessage, names []string, w wish) (json.RawMessage, bool) {
	value := w.arg
	var s struct {
		Properties map[string]struct {
			Type any `json:"type"`
		} `json:"properties"`
		Required []string `json:"required"`
	}
	if len(schema) > 0 && json.Unmarshal(schema, &s) != nil {
		return nil, false
	}
	key := ""
	for _, n := range names {
		if _, ok := s.Properties[n]; ok {
			key = n
			break
		}
	}
	if key == "" && len(s.Required) == 1 {
		key = s.Required[0]
	}
	args := map[string]any{}
	if value != "" && key != "" {
		args[key] = value
	}
	if w.days != 0 {
		day := "days"
		if _, ok := s.Properties[day]; !ok {
			day = "add_days"
		}
		if _, ok := s.Properties[day]; !ok || day == "days" && w.days < 0 {
			return nil, false
		}
		if args[day] = w.days; day == "days" {
			args[day] = w.days + 1 // a forecast of so many days begins with today
		}
	}
	for name, v := range w.day {
		if _, ok := s.Properties[name]; !ok {
			return nil, false
		}
		args[name] = v
	}
	for _, r := range s.Required {
		if _, ok := args[r]; !ok {
			return nil, false
		}
	}
	if value != "" && key == "" {
		return nil, false
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

var (
	failed = expression(`(?i)^(?:error|오류)(?:\s*\(([a-z_]+)\))?\s*[:：]\s*(.*)`)
	// toldPerson is the line that the tools' words for people stand in.
	toldPerson = expression(`\n` + llm.ForPerson + `(\S.*)$`)
	clock      = expression(`^Now: (\d{4})-(\d{2})-(\d{2}) (\d{2}):(\d{2})(?::\d{2})?, (\w+) \(([^)]+)\), (\S+)`)
	later      = expression(`(?m)^.*?(?: = |^)(\d{4})-(\d{2})-(\d{2})(?:,| is) an? (\w+) \(`)
	spanning   = expression(`(?m)^From \S+ to (\d{4})-(\d{2})-(\d{2}): (-?)(\d+) days$`)
)

// tellResults puts what the tools found into words.
func tellResults(a *ask) string {
	var parts []string
	for i, m := range a.results {
		if i == 4 {
			break
		}
		name := m.Name
		args := ""
		for _, c := range a.called {
			if c.ID == m.ToolCallID {
				name, args = c.Name, firstString(c.Arguments)
			}
		}
		parts = append(parts, a.tellResult(strings.ToLower(name), args, m.Content))
	}
	return strings.Join(parts, "\n\n")
}

func (a *ask) tellResult(name, arg, text string) string {
	text = strings.TrimSpace(text)
	switch {
	case text == "":
		return a.say("extractive.tool.nothing")
	case failed.MatchString(text):
		return a.tellFailure(text)
	case strings.Contains(name, "calc"):
		return a.tellSum(arg, text)
	case strings.Contains(name, "time") || strings.Contains(name, "date") || strings.Contains(name, "clock"):
		return a.tellTime(text)
	case strings.Contains(name, "weather"):
		return a.say("extractive.tool.weather", fit.Clip(text, 600))
	default:
		return a.tellFound(text)
	}
}

// tellFailure says in words for people what a tool's error says to models. Where the
// observation has none of its own for them it is English, and who reads another
// language is spared it.
func (a *ask) tellFailure(text string) string {
	if m := toldPerson.FindStringSubmatch(text); m != nil {
		return fit.Clip(m[1], 400)
	}
	m := failed.FindStringSubmatch(text)
	ss := prose.Sentences(m[2])
	detail := ""
	if len(ss) > 0 && a.lang == phrase.Fallback {
		detail = " (" + fit.Clip(ss[0], 200) + ")"
	}
	switch m[1] {
	case "bad_argument":
		return a.say("extractive.tool.unfit") + detail
	case "not_found":
		return a.say("extractive.tool.not_found") + detail
	default:
		return a.say("extractive.tool.failed") + detail
	}
}

// tellTime puts the clock tool's line into a sentence; any other clock's words
// stay as they are.
func (a *ask) tellTime(text string) string {
	if m := spanning.FindStringSubmatch(text); m != nil {
		key := "extractive.tool.days"
		if m[4] != "" {
			key = "extractive.tool.days_ago"
		}
		return a.say(key, number(m[1]), number(m[2]), number(m[3]), number(m[5]))
	}
	if m := later.FindStringSubmatch(text); m != nil {
		return a.say("extractive.tool.day", number(m[1]), number(m[2]), number(m[3]), weekday(m[4]))
	}
	if m := clock.FindStringSubmatch(text); m != nil {
		return a.say("extractive.tool.now", number(m[1]), number(m[2]), number(m[3]), weekday(m[6]), m[4]+":"+m[5], m[8])
	}
	return a.say("extractive.tool.clock", fit.Clip(fit.OneLine(strings.TrimPrefix(text, "Now: ")), 300))
}

// number reads digits of the clock.
func number(digits string) int {
	n, err := strconv.Atoi(digits)
	if err != nil {
		return 0 // more digits than a number has
	}
	return n
}

// weekday is the day of the week that the clock names in English.
func weekday(english string) phrase.Sentence {
	if key := "time." + strings.ToLower(english); phrase.Has(key) {
		return phrase.Of(key)
	}
	return phrase.Raw(english)
}

func (a *ask) tellSum(expr, text string) string {
	text = fit.Clip(fit.OneLine(text), 300)
	if expr != "" && !strings.ContainsAny(text, "=≈") {
		text = expr + " = " + text
	}
	return a.say("extractive.tool.sum", strings.ReplaceAll(text, "`", ""))
}

// tellFound shows the part of a long text that answers the question best, or
// its beginning.
func (a *ask) tellFound(text string) string {
	b := &ask{req: llm.Request{Passages: []llm.Passage{{N: 1, Text: text}}}, question: a.question, lang: a.lang}
	var lines []string
	for _, c := range b.best() {
		lines = append(lines, "> "+excerpt(c.text, a.question))
	}
	if len(lines) == 0 {
		for i, s := range prose.Sentences(text) {
			if i == 3 {
				break
			}
			lines = append(lines, "> "+fit.Clip(s, maxQuote))
		}
	}
	if len(lines) == 0 {
		lines = []string{"> " + fit.Clip(fit.OneLine(text), maxQuote)}
	}
	return a.say("extractive.tool.found") + "\n\n" + strings.Join(lines, "\n>\n")
}

// firstString returns the first text among a call's arguments.
func firstString(args json.RawMessage) string {
	var m map[string]any
	if json.Unmarshal(args, &m) != nil {
		return ""
	}
	for _, v := range m {
		if s, ok := v.(string); ok && len(m) == 1 {
			return s
		}
	}
	return ""
}
