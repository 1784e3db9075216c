package workflow

import (
	"encoding/json"
	"strings"
	"sync"

	"maru/agent"
	"maru/agent/llm"
	"maru/phrase/fit"
)

// unkept are words that prompts may show and nothing may keep.
type unkept struct {
	mu    sync.Mutex
	pairs [][2]string // shown and what is kept of it
}

// Unkept notes that prompts show a text of which only kept may be kept: exchanges have that in its place.
func (x *Exec) Unkept(kept, shown string) {
	if x.unkept == nil || kept == shown {
		return
	}
	x.unkept.mu.Lock()
	defer x.unkept.mu.Unlock()
	x.unkept.pairs = append(x.unkept.pairs, [2]string{shown, kept})
}

// leftOut stands for words that are not kept.
const leftOut = "[…]"

// hide replaces the words in a text. Where they were cut or quoted in another way and a part of them is found, nothing
// of the text stays.
func (u *unkept) hide(text string) string {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, p := range u.pairs {
		text = strings.ReplaceAll(text, p[0], p[1])
	}
	for _, p := range u.pairs {
		for line := range strings.Lines(p[0]) {
			line = strings.Trim(line, "> \n")
			if line == "" || strings.Contains(p[1], line) {
				continue
			}
			for _, part := range parts(line) {
				if strings.Contains(text, part) {
					return leftOut
				}
			}
		}
	}
	return text
}

// Letters by which a part of a line is recognised.
const (
	probe      = 24 // at the beginning and the end of the line
	shortProbe = 8  // a line with fewer is not looked for in parts: it may occur anywhere
)

// parts returns a line's beginning and end, also as JSON writes them; nil for a short line.
func parts(line string) []string {
	r := []rune(line)
	if len(r) < shortProbe {
		return nil
	}
	out := []string{string(r[:min(probe, len(r))]), string(r[max(0, len(r)-probe):])}
	for _, p := range out[:2] {
		if raw, err := json.Marshal(p); err == nil { // a text: always
			out = append(out, strings.Trim(string(raw), `"`))
		}
	}
	return out
}

// givenLetters is how much of a passage is kept where it came as data: enough to know it by.
const givenLetters = 200

// exchange returns the prompt and the reply of a model call as they may be kept, nil for a call without any.
func (x *Exec) exchange(c llm.Call) *agent.Exchange {
	if c.Request == nil || x.unkept == nil {
		return nil
	}
	out := &agent.Exchange{}
	for _, m := range c.Request.Messages {
		out.Prompt = append(out.Prompt, x.spoken(m))
	}
	for _, t := range c.Request.Tools {
		out.Tools = append(out.Tools, t.Name)
	}
	for _, p := range c.Request.Passages {
		out.Given = append(out.Given, x.unkept.hide(fit.Cut(p.Text, givenLetters)))
	}
	if c.Request.Schema != nil {
		out.Schema = c.Request.Schema.Name
	}
	if c.Response != nil && c.Err == nil {
		out.Reply, out.Finish = x.spoken(c.Response.Message), c.Response.Finish
	}
	return out
}

// spoken returns a message without pictures and what may not be kept.
func (x *Exec) spoken(m llm.Message) agent.Spoken {
	s := agent.Spoken{Role: string(m.Role), Name: m.Name, Text: x.unkept.hide(m.Content)}
	for _, p := range m.Pictures {
		s.Text += "\n[" + p.Name + "]"
	}
	for _, c := range m.ToolCalls {
		s.Calls = append(s.Calls, agent.SpokenCall{Name: c.Name, Arguments: x.unkept.hide(string(c.Arguments))})
	}
	return s
}
