// Package task runs the tasks of a file through one of the agents, with real tools and with tools that record what they
// are called with, and counts by rule what went right. It grades no text with a model, and knows no platform: questions
// to people are answered as the file says. docs/evaluation.md describes the file.
package task

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// File is a file of tasks.
type File struct {
	Name  string
	Setup Setup
	Tasks []Task
}

// Setup is what the tasks of a file work on, its first line. Paths are relative to the file.
type Setup struct {
	Documents []string  `json:"documents"` // files and folders; none: the configured documents
	Tools     string    `json:"tools"`     // a file of tools, see [Fake]; "": only the program's own
	Now       time.Time `json:"now"`       // the moment of every task; zero: the real one
}

// Task is a request of a person and its expected outcome. What is left out is not judged.
type Task struct {
	Line         int      `json:"-"`
	ID           string   `json:"id"` // default "line N"
	Text         string   `json:"text"`
	Conversation []Turn   `json:"conversation"` // what was said before, oldest first
	Clarify      string   `json:"clarify"`      // what the person answers when asked; "": "go on without it"
	Route        string   `json:"route"`        // the port by which the agent's router should leave
	Asks         *bool    `json:"asks"`         // should it ask what is unclear?
	Plan         []Words  `json:"plan"`         // what the steps of the plan name, in this order
	Calls        []Call   `json:"calls"`        // of tools; [] for none
	Says         []Words  `json:"says"`         // what the answer says
	Never        []string `json:"never"`        // what the answer must not say
	Cites        Words    `json:"cites"`        // titles or headings of which it cites one
	Declines     bool     `json:"declines"`     // it should say that it does not know
	called       bool     // "calls" is given
}

// Turn is a turn before a task.
type Turn struct {
	Role string `json:"role"` // "user" or "assistant"
	Text string `json:"text"`
}

// Call is a call that should be made.
type Call struct {
	Tool      string           `json:"tool"`
	Arguments map[string]Words `json:"arguments"` // of each that counts, texts that are right; others are not looked at
}

// Words are texts of which one is enough: a text, a number or a list of them.
type Words []string

// UnmarshalJSON implements [json.Unmarshaler].
func (w *Words) UnmarshalJSON(b []byte) error {
	var many []any
	if err := json.Unmarshal(b, &many); err != nil {
		many = []any{nil}
		if err := json.Unmarshal(b, &many[0]); err != nil {
			return err
		}
	}
	*w = Words{}
	for _, one := range many {
		switch one.(type) {
		case string, float64, bool:
			*w = append(*w, fmt.Sprint(one))
		default:
			return errors.New("want a text or a list of texts")
		}
	}
	if len(*w) == 0 || slices.Contains(*w, "") {
		return errors.New("an empty text or list is said by every answer")
	}
	return nil
}

// Bounds of a file.
const (
	maxLine   = 1 << 20
	maxFaults = 10
)

// Read reads a file of tasks for an agent with these routes. The error names every faulty line, ten at most.
func Read(path string, routes []string) (File, error) {
	f := File{Name: filepath.Base(path)}
	in, err := os.Open(path)
	if err != nil {
		return f, fmt.Errorf("tasks: %w", err)
	}
	defer func() { _ = in.Close() }() // it was only read
	if info, err := in.Stat(); err == nil && info.IsDir() {
		return f, fmt.Errorf("%s is a folder; tasks are a file with one JSON object a line", path)
	}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxLine)
	var faults []error
	at := map[string]int{}
	for n := 1; lines.Scan() && len(faults) < maxFaults; n++ {
		line := bytes.TrimSpace(bytes.TrimPrefix(lines.Bytes(), []byte("\ufeff")))
		if len(line) == 0 {
			continue
		}
		if err := f.add(line, n, routes, at); err != nil {
			faults = append(faults, fmt.Errorf("%s:%d: %w", f.Name, n, err))
		}
	}
	if err := lines.Err(); err != nil {
		faults = append(faults, fmt.Errorf("%s: read it: %w", f.Name, err))
	}
	if len(faults) == 0 && len(f.Tasks) == 0 {
		faults = append(faults, fmt.Errorf("%s has no task; each is a line such as {\"text\": \"How long is parental leave?\", \"says\": [\"18 months\"]}", f.Name))
	}
	if dir := filepath.Dir(path); len(faults) == 0 {
		for i, d := range f.Setup.Documents {
			f.Setup.Documents[i] = beside(dir, d)
		}
		if f.Setup.Tools != "" {
			f.Setup.Tools = beside(dir, f.Setup.Tools)
		}
	}
	return f, errors.Join(faults...)
}

// Holds reports whether a file begins as one of tasks does, or a folder has such a file with a name like chat.jsonl.
func Holds(path string) bool {
	if files, _ := filepath.Glob(filepath.Join(path, "*.jsonl")); len(files) > 0 { // the pattern is right
		return slices.ContainsFunc(files, Holds)
	}
	in, err := os.Open(path)
	if err != nil {
		return false
	}
	defer func() { _ = in.Close() }() // it was only read
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		line := bytes.TrimSpace(bytes.TrimPrefix(lines.Bytes(), []byte("\ufeff")))
		if len(line) == 0 {
			continue
		}
		var names map[string]json.RawMessage
		_ = json.Unmarshal(line, &names) // what is no JSON holds no task
		_, setup := names["setup"]
		_, text := names["text"]
		_, id := names["_id"] // of a passage or a query of a set
		return (setup || text) && !id
	}
	return false
}

// beside returns a path of a file in dir.
func beside(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// add reads one line.
func (f *File) add(line []byte, n int, routes []string, at map[string]int) error {
	var kind struct {
		Setup *json.RawMessage `json:"setup"`
	}
	if err := json.Unmarshal(line, &kind); err != nil {
		return explain(err)
	}
	if kind.Setup != nil {
		if len(f.Tasks) > 0 {
			return errors.New(`"setup" belongs on the first line, before the tasks`)
		}
		return explain(strict(*kind.Setup, &f.Setup))
	}
	t := Task{Line: n}
	if err := strict(line, &t); err != nil {
		return explain(err)
	}
	var given map[string]json.RawMessage
	if err := json.Unmarshal(line, &given); err != nil {
		return explain(err)
	}
	_, t.called = given["calls"]
	if t.ID == "" {
		t.ID = fmt.Sprint("line ", n)
	}
	if first, twice := at[t.ID]; twice {
		return fmt.Errorf("the id %q stands on line %d already", t.ID, first)
	}
	at[t.ID] = n
	if err := t.check(routes); err != nil {
		return err
	}
	f.Tasks = append(f.Tasks, t)
	return nil
}

// check finds what no answer could be judged by.
func (t Task) check(routes []string) error {
	switch {
	case strings.TrimSpace(t.Text) == "":
		return errors.New(`"text" is missing: what the person asks for`)
	case t.Route != "" && !slices.Contains(routes, t.Route):
		return fmt.Errorf("this agent has no route %q; there are %s", t.Route, strings.Join(routes, ", "))
	case t.Declines && (len(t.Says) > 0 || len(t.Cites) > 0):
		return errors.New(`a task that should be declined has nothing to say or to cite; leave "says" and "cites" out`)
	case t.Route == "" && t.Asks == nil && t.Plan == nil && !t.called && t.Says == nil && t.Never == nil && t.Cites == nil && !t.Declines:
		return errors.New("nothing is expected of it; give route, asks, plan, calls, says, never, cites or declines")
	}
	for _, c := range t.Calls {
		if c.Tool == "" {
			return errors.New(`a call has no "tool"`)
		}
	}
	for _, turn := range t.Conversation {
		if turn.Role != "user" && turn.Role != "assistant" {
			return fmt.Errorf("the role of a turn is %q; it is user or assistant", turn.Role)
		}
	}
	return nil
}

// strict reads JSON without unknown names.
func strict(b []byte, to any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(to); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("more follows the object")
	}
	return nil
}

// explain says what to do about a line that is not a task.
func explain(err error) error {
	var kind *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &kind):
		return fmt.Errorf("%q wants a %s, got a %s", kind.Field, kind.Type, kind.Value)
	case errors.As(err, &syntax):
		return fmt.Errorf("no JSON at byte %d: %w", syntax.Offset, err)
	case strings.Contains(err.Error(), "unknown field"):
		return fmt.Errorf("%s; a task has id, text, conversation, clarify, route, asks, plan, calls, says, never, cites and declines, a setup has documents, tools and now",
			strings.TrimPrefix(err.Error(), "json: "))
	}
	return err
}
