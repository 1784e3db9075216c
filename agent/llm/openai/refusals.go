package openai

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// learnedFor is how long it is remembered what a model does not take: then it is tried again.
const learnedFor = 24 * time.Hour

// Refusals are what models of endpoints turned out not to take, for a day. They outlive the process
// in a file, and hold nothing that anybody said. They are safe for concurrent use; processes that
// share the file may lose one to each other, which is then learned again.
type Refusals struct {
	path string // "" for memory alone

	mu sync.Mutex
	by map[string]*remembered // by endpoint and model, see [Config.origin]
}

// Learned is something that a model turned out not to take, and is not sent before Until.
type Learned struct {
	Model string
	What  string
	Until time.Time
}

type remembered struct {
	Model  string    `json:"model"`
	What   []string  `json:"what"`
	Until  time.Time `json:"until"`
	Quirks quirks    `json:"quirks"`
}

// RefusalsIn returns what is remembered in a folder's file endpoints.json; without a folder it is in
// memory alone. A file that cannot be read holds nothing.
func RefusalsIn(folder string) *Refusals {
	l := &Refusals{by: map[string]*remembered{}}
	if folder != "" {
		l.path = filepath.Join(folder, "endpoints.json")
		l.read()
	}
	return l
}

// read takes from the file what is not known yet: others write it as well.
func (l *Refusals) read() {
	var kept map[string]*remembered
	if raw, err := os.ReadFile(l.path); err != nil || json.Unmarshal(raw, &kept) != nil {
		return
	}
	for key, r := range kept {
		if l.by[key] == nil && r != nil && r.Quirks.Format >= formatStrict && r.Quirks.Format <= formatPlain {
			l.by[key] = r
		}
	}
}

func (l *Refusals) get(key string, now time.Time) quirks {
	l.mu.Lock()
	defer l.mu.Unlock()
	if r := l.by[key]; r != nil && now.Before(r.Until) {
		return r.Quirks
	}
	return quirks{}
}

// learn remembers one thing more that a model does not take.
func (l *Refusals) learn(key, model, what string, q quirks, now time.Time) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.read()
	for k, r := range l.by {
		if !now.Before(r.Until) || len(l.by) > maxRefusals {
			delete(l.by, k)
		}
	}
	r := &remembered{Model: model, Quirks: q, Until: now.Add(learnedFor)}
	if old := l.by[key]; old != nil {
		r.What = slices.Clone(old.What)
	}
	if !slices.Contains(r.What, what) {
		r.What = append(r.What, what)
	}
	l.by[key] = r
	if l.path == "" {
		return nil
	}
	raw, err := json.Marshal(l.by)
	if err != nil {
		return err
	}
	whole := l.path + ".new"
	if err := os.WriteFile(whole, raw, 0o600); err != nil {
		return fmt.Errorf("keep what was learned of a model: %w", err)
	}
	return os.Rename(whole, l.path)
}

// maxRefusals bounds the models: their names come from settings.
const maxRefusals = 100

// Withheld says what a model is not sent, to be read behind that it answers; "" if it is sent all.
func (l *Refusals) Withheld(model string) string {
	var what []string
	for _, one := range l.Learned(time.Now()) {
		if one.Model == model {
			what = append(what, one.What)
		}
	}
	if len(what) == 0 {
		return ""
	}
	return "; not sent for a day, since it was refused: " + strings.Join(what, ", ")
}

// Learned returns what models do not take, by their names.
func (l *Refusals) Learned(now time.Time) []Learned {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []Learned
	for _, r := range l.by {
		if !now.Before(r.Until) {
			continue
		}
		for _, what := range r.What {
			out = append(out, Learned{Model: r.Model, What: what, Until: r.Until})
		}
	}
	slices.SortFunc(out, func(a, b Learned) int { return cmp.Or(cmp.Compare(a.Model, b.Model), cmp.Compare(a.What, b.What)) })
	return out
}
