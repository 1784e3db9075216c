package llmtest

import (
	"strconv"
	"strings"
	"time"
)

// Fault is how an endpoint goes wrong. The zero value is none.
type Fault struct {
	Status      int    // answer with this HTTP status and an error object
	RetryAfter  string // the header of that answer
	Code, Type  string // of the error object; "" for what fits the status
	Message     string
	Body        string // answer with this body instead of any JSON
	ContentType string // of Body; "" for text/html

	Cut        int    // stop the stream after this many bytes of body
	Clean      bool   // end a cut stream as if it were complete, not by breaking the connection
	NoFinish   bool   // leave out the finish reason and [DONE]
	NoDone     bool   // leave out [DONE] only
	MidError   string // an error object with this message after half of the pieces
	Comments   int    // this many comment lines before each piece, as proxies keep connections alive
	Silent     bool   // accept and never answer
	Stall      int    // never go on after this many pieces
	Empty      bool   // a reply without choices
	Garbage    bool   // NUL bytes and broken JSON within the stream
	Huge       int    // this many bytes of text in the reply, whatever it says
	Repeat     bool   // give all tool calls the index 0
	NoIDs      bool   // leave the ids of tool calls out
	Interleave bool   // interleave the pieces of several tool calls
}

// Pace is how fast a stream comes.
type Pace struct {
	First time.Duration // before the first piece
	Each  time.Duration // between pieces
}

// ByName reads behaviour out of a model name such as
// "fake-ttft300-itl15-len150-cut37": parts behind "fake", in any order. Numbers
// are milliseconds (ttft, itl), words (len), bytes (cut, huge), pieces (stall)
// or an HTTP status ("429", with "ra2" for Retry-After: 2). Words are silent,
// empty, html, nul, quota, nofinish, cleancut, miderror. A name that does not
// begin so reports false.
func ByName(model string) (r Reply, p Pace, ok bool) {
	rest, ok := strings.CutPrefix(model, "fake-")
	if !ok {
		return Reply{}, Pace{}, false
	}
	r.Text = "ok"
	for _, part := range strings.Split(rest, "-") {
		word := strings.TrimRight(part, "0123456789")
		n, _ := strconv.Atoi(part[len(word):])
		apply(word, n, &r, &p)
	}
	return r, p, true
}

func apply(word string, n int, r *Reply, p *Pace) {
	f := &r.Fault
	switch word {
	case "ttft":
		p.First = time.Duration(n) * time.Millisecond
	case "itl":
		p.Each = time.Duration(n) * time.Millisecond
	case "len":
		r.Text = strings.TrimSpace(strings.Repeat("word ", n))
	case "cut":
		f.Cut = max(n, 1)
	case "cleancut":
		f.Cut, f.Clean = max(n, 1), true
	case "stall":
		f.Stall = max(n, 1)
	case "huge":
		f.Huge = n
	case "":
		f.Status = n
	case "ra":
		f.RetryAfter = strconv.Itoa(n)
	case "quota":
		f.Status, f.Code = 429, "insufficient_quota"
	case "html":
		f.Body = "<html><body>It works!</body></html>"
	case "silent":
		f.Silent = true
	case "empty":
		f.Empty = true
	case "nul":
		f.Garbage = true
	case "nofinish":
		f.NoFinish = true
	case "miderror":
		f.MidError = "upstream failed"
	}
}
