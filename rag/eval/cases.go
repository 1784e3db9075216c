package eval

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Case is one line of a question file: a question and the passages that answer it. None means that the documents do
// not answer it.
type Case struct {
	Line         int         `json:"-"`  // in its file, from 1
	ID           string      `json:"id"` // default "line N"
	Question     string      `json:"question"`
	Relevant     []Reference `json:"relevant"`
	Answer       texts       `json:"answer"`       // any one of these texts must be in a right answer
	Conversation []Turn      `json:"conversation"` // preceding turns, oldest first
	Kind         string      `json:"kind"`         // rows of the report beside "all"
	Split        string      `json:"split"`        // the same; "tune" and "held-out" as a rule
}

// Turn is a turn before a question.
type Turn struct {
	Role string `json:"role"` // "user" or "assistant"
	Text string `json:"text"`
}

// Answerable reports whether the case expects an answer from the documents.
func (c Case) Answerable() bool { return len(c.Relevant) > 0 }

// texts is one text or a list of them in JSON.
type texts []string

// UnmarshalJSON implements [json.Unmarshaler].
func (t *texts) UnmarshalJSON(b []byte) error {
	var one string
	if json.Unmarshal(b, &one) == nil {
		*t = texts{one}
		return nil
	}
	var many []string
	if err := json.Unmarshal(b, &many); err != nil {
		return errors.New("want a text or a list of texts")
	}
	*t = many
	return nil
}

// maxFaults bounds the reported faulty lines.
const maxFaults = 10

// errStop aborts a file with too many faulty lines.
var errStop = errors.New("stop")

// ReadCases reads a question file: one JSON object a line; empty lines are skipped. The error names every faulty
// line, ten at most.
func ReadCases(path string) ([]Case, error) {
	var out []Case
	var faults []error
	at := map[string]int{}
	fault := func(n int, err error) error {
		if faults = append(faults, fmt.Errorf("%s:%d: %w", filepath.Base(path), n, err)); len(faults) < maxFaults {
			return nil
		}
		faults = append(faults, errors.New("there may be more: the rest was not read"))
		return errStop
	}
	if info, err := os.Stat(path); err != nil {
		return nil, fmt.Errorf("questions: %w", err)
	} else if info.IsDir() {
		return nil, fmt.Errorf("%s is a folder; questions are a file with one JSON object a line", path)
	}
	err := eachLineNumbered(path, func(n int, b []byte) error {
		c, err := readCase(b, n)
		if err != nil {
			return fault(n, err)
		}
		if before, ok := at[c.ID]; ok {
			return fault(n, fmt.Errorf("the id %q stands in line %d already", c.ID, before))
		}
		at[c.ID] = n
		out = append(out, c)
		return nil
	})
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	if err == nil && len(out) == 0 {
		err = fmt.Errorf("%s holds no question", path)
	}
	return out, err
}

// readCase parses one line strictly: a misspelt name is a fault, not a default.
func readCase(line []byte, n int) (Case, error) {
	var c Case
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&c); err != nil {
		return c, explain(err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return c, errors.New("want one JSON object a line, there is more behind it")
	}
	var names map[string]json.RawMessage
	if err := json.Unmarshal(line, &names); err != nil {
		return c, err
	}
	c.Line = n
	if c.ID == "" {
		c.ID = fmt.Sprintf("line %d", n)
	}
	switch {
	case strings.TrimSpace(c.Question) == "":
		return c, errors.New(`"question" is missing`)
	case names["relevant"] == nil:
		return c, errors.New(`"relevant" is missing; write [] for what the documents do not say`)
	case len(c.Answer) > 0 && !c.Answerable():
		return c, errors.New(`"answer" without "relevant": the documents cannot say and not say it`)
	}
	for _, a := range c.Answer {
		if strings.TrimSpace(a) == "" {
			return c, errors.New(`"answer" is empty`)
		}
	}
	for i, t := range c.Conversation {
		if t.Role != "user" && t.Role != "assistant" || strings.TrimSpace(t.Text) == "" {
			return c, fmt.Errorf(`"conversation", turn %d: want {"role": "user" or "assistant", "text": …}`, i+1)
		}
	}
	return c, nil
}

// explain rewrites a decoder's error in terms of the file.
func explain(err error) error {
	var kind *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	text := err.Error()
	switch {
	case errors.As(err, &kind) && kind.Field != "":
		return fmt.Errorf("%q is of the wrong kind (%s)", kind.Field, kind.Value)
	case errors.As(err, &kind):
		return fmt.Errorf("want a JSON object, got a %s", kind.Value)
	case errors.As(err, &syntax):
		return fmt.Errorf("no JSON at byte %d: %w", syntax.Offset, err)
	case strings.Contains(text, "unknown field"):
		return fmt.Errorf("%s; there are id, question, relevant, answer, conversation, kind and split", strings.TrimPrefix(text, "json: "))
	}
	return err
}
