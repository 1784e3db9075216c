package tool

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"maru/phrase/fit"
)

// Verdict is the success of a call according to its result.
type Verdict string

// The verdicts.
const (
	Succeeded Verdict = ""
	Empty     Verdict = "empty"  // no content
	Failed    Verdict = "failed" // it says that the call failed
)

// Judge reads the text of a result and returns the verdict on its call, with the words that decide
// it. It serves results reported as successes: servers write "Error: …" or {"isError": true} into
// a text as often as they set the protocol's flag.
//
// JSON is judged by its envelope (flags, status, messages without a payload), text by its
// sentences. Of a long text only the beginning counts, since it is more likely a report about
// failures than a failure.
func Judge(text string) (Verdict, string) { return judge(text, nil) }

func judge(text string, w *wish) (Verdict, string) {
	text = strings.TrimSpace(text)
	if v, ok := decoded(text); ok {
		return w.judgeValue(v, maxEnvelopes)
	}
	if i := strings.IndexAny(text, "{["); i > 0 && i <= maxLead {
		if v, ok := decoded(text[i:]); ok { // "Result: {…}"
			if verdict, words := w.judgeValue(v, maxEnvelopes); verdict == Failed {
				return verdict, words
			}
		}
	}
	return w.judgeText(text)
}

const (
	maxEnvelopes = 5  // nesting of envelopes that is looked into
	maxLead      = 80 // bytes in front of an object that belong to it
	maxWords     = 300
)

// decoded reads a text that is one JSON object, list or string, fenced or not.
func decoded(text string) (any, bool) {
	if rest, ok := strings.CutPrefix(text, "```"); ok {
		_, rest, _ = strings.Cut(rest, "\n")
		text = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "```"))
	}
	if text == "" || !strings.ContainsRune(`{["`, rune(text[0])) {
		return nil, false
	}
	var v any
	return v, json.Unmarshal([]byte(text), &v) == nil
}

// judgeValue judges a value of JSON.
func (w *wish) judgeValue(v any, depth int) (Verdict, string) {
	if void(v) {
		return Empty, ""
	}
	switch v := v.(type) {
	case string:
		if inner, ok := decoded(strings.TrimSpace(v)); ok && depth > 0 {
			return w.judgeValue(inner, depth-1)
		}
		return w.judgeText(v)
	case []any:
		return w.judgeList(v, depth)
	case map[string]any:
		return w.judgeObject(v, depth)
	}
	return Succeeded, ""
}

// judgeList fails a list whose members all failed.
func (w *wish) judgeList(list []any, depth int) (Verdict, string) {
	said := ""
	for _, m := range list {
		if _, ok := m.(map[string]any); !ok && len(list) > 1 || depth <= 0 {
			return Succeeded, "" // texts of a list are data
		}
		verdict, words := w.judgeValue(m, depth-1)
		if verdict != Failed {
			return Succeeded, ""
		}
		said = cmp.Or(said, words)
	}
	return Failed, said
}

// judgeObject judges an envelope: by a flag of success or failure, else, where it has no payload, by its status and its
// message, else by the one member that it wraps.
func (w *wish) judgeObject(o map[string]any, depth int) (Verdict, string) {
	e := envelopeOf(o)
	switch {
	case e.failed:
		return Failed, e.words(o)
	case e.vouched:
		return Succeeded, ""
	case len(e.payload) == 0 && e.fault:
		return Failed, e.words(o)
	case len(e.payload) == 0 && e.message != "":
		return w.judgeText(e.message)
	case len(e.payload) == 1 && wrappers[plainKey(e.payload[0])] && depth > 0:
		return w.judgeValue(o[e.payload[0]], depth-1)
	}
	return Succeeded, ""
}

// envelope holds an object's members other than its payload.
type envelope struct {
	failed  bool // a flag says that it failed
	vouched bool // a flag says that it did not
	fault   bool // a status or error list says so; with a payload it may be data
	undone  bool // it was not sent, saved, …; of a thing with a title that is its state
	titled  bool
	message string   // its text for people
	payload []string // all other members
}

func envelopeOf(o map[string]any) envelope {
	var e envelope
	for key, v := range o {
		switch k := plainKey(key); {
		case errorKeys[k]:
			e.failed = e.failed || saysError(v)
			e.vouched = e.vouched || v == false
			if n, ok := v.(float64); ok && n != 0 {
				e.fault = true
			}
		case errorLists[k]:
			if list, ok := v.([]any); !ok || len(list) == 0 {
				continue
			}
			e.fault = true
		case successKeys[k]:
			e.failed = e.failed || v == false || v == "false"
			e.vouched = e.vouched || v == true
		case statusKeys[k]:
			e.fault = e.fault || saysFault(v)
		case undone[k] && v == false:
			e.undone = true
		case undone[k] && v == float64(0): // nothing was sent: no result
		case messageKeys[k]:
			e.titled = e.titled || k == "title" || k == "name"
		case !void(v):
			e.payload = append(e.payload, key)
		}
	}
	e.fault = e.fault || e.undone && !e.titled
	e.message = messageOf(o)
	return e
}

// words are what an envelope says of a failure.
func (e envelope) words(o map[string]any) string {
	if e.message != "" {
		return fit.Clip(fit.OneLine(e.message), maxWords)
	}
	raw, err := json.Marshal(o)
	if err != nil {
		return ""
	}
	return fit.Clip(string(raw), maxWords)
}

// messageOf finds the text for people in an envelope, also inside its error.
func messageOf(o map[string]any) string {
	for _, want := range []string{"message", "msg", "resultmsg", "resultmessage", "errormessage", "errormsg", "errordescription", "error", "err", "exception", "reason", "detail", "details", "description", "text", "title", "errors", "content", "result", "data", "response", "output", "body"} {
		for key, v := range o {
			if plainKey(key) != want {
				continue
			}
			if list, ok := v.([]any); ok && len(list) > 0 {
				v = list[0]
			}
			switch v := v.(type) {
			case string:
				if strings.TrimSpace(v) != "" {
					return v
				}
			case map[string]any:
				if m := messageOf(v); m != "" {
					return m
				}
			}
		}
	}
	return ""
}

// saysError reports whether a member named after an error contains one. A number may be a count.
func saysError(v any) bool {
	switch v := v.(type) {
	case bool:
		return v
	case string:
		return !nothings[strings.ToLower(strings.TrimSpace(v))]
	case float64, nil:
		return false
	}
	return !void(v)
}

// saysFault reports whether a status is one of failure: a code of HTTP or JSON-RPC, or a word.
func saysFault(v any) bool {
	switch v := v.(type) {
	case float64:
		return v >= 400 && v < 600 || v < 0
	case string:
		if httpCode.MatchString(v) {
			return true
		}
		for _, w := range strings.FieldsFunc(strings.ToLower(v), func(r rune) bool { return strings.ContainsRune(" _-.:/", r) }) {
			if faultWords[w] {
				return true
			}
		}
	}
	return false
}

// void reports whether a value contains no text, number or true value at any depth.
func void(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return strings.TrimSpace(v) == ""
	case []any:
		return !slices.ContainsFunc(v, func(m any) bool { return !void(m) })
	case map[string]any:
		for _, m := range v {
			if !void(m) {
				return false
			}
		}
		return true
	}
	return false
}

// plainKey is a member's name without case and separators: is_error, isError and IsError are one.
func plainKey(k string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "", " ", "").Replace(k))
}

func set(words string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(words) {
		out[w] = true
	}
	return out
}

// The vocabulary of envelopes.
var (
	errorKeys   = set("error err iserror haserror haserrors errormessage errormsg errorcode errordescription exception fault failure failed")
	errorLists  = set("errors failures exceptions faults")
	successKeys = set("ok success successful succeeded issuccess")
	statusKeys  = set("status resultcode statuscode httpstatus httpcode code state outcome type level severity kind")
	messageKeys = set("message msg resultmsg resultmessage reason detail details description title instance requestid traceid correlationid timestamp time path hint help documentationurl stack stacktrace traceback name cause retryafter jsonrpc")
	undone      = set("sent delivered saved created booked posted accepted") // where they are false or 0
	wrappers    = set("result results data response content contents output body text value payload")
	faultWords  = set("error err failed failure fail fault exception fatal denied unauthorized unauthenticated forbidden timeout unavailable rejected refused invalid aborted exhausted 오류 실패 에러")
	nothings    = map[string]bool{"": true, "none": true, "null": true, "nil": true, "no": true, "false": true, "ok": true, "0": true, "n/a": true, "success": true, "없음": true}
)

// Quoted formats a stranger's words for people: one short line, as code, without links and
// mentions.
func Quoted(words string) string {
	words = fit.Clip(fit.OneLine(strings.ReplaceAll(words, "`", "'")), maxQuoted)
	if words == "" {
		return ""
	}
	return "`" + words + "`"
}

// maxQuoted bounds quoted words in characters.
const maxQuoted = 200
