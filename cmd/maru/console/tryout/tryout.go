// Package tryout lets admins rehearse a change in the console before it takes effect: settings of a place, a workflow,
// or documents that are added or removed. It stores changes and outcomes in the record, plays them in the background,
// and accepts changes or rolls them back.
//
// Invariants:
//
//   - Nothing takes effect before somebody accepts it, and nothing is accepted that changed in the meantime.
//   - A rehearsal goes on after kill -9 where it was, on whichever replica; at most one replica plays it. A replica that pauses for
//     longer than [stale] may ask one question twice, which costs and changes nothing.
//   - Documents that are tried are in the index in a scope that nobody reads (library.Shadow), and so do copies of those that
//     accepting took away, until the rehearsal is forgotten.
//   - Outcomes are kept for a week, and those of deleted questions until the next look at them, an hour at most.
//
// What is replayed and how answers are compared is decided in [maru/bot/rehearsal].
package tryout

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"maru/adapters/web/site"
	"maru/bot"
	"maru/bot/rehearsal"
	"maru/cmd/maru/console"
	"maru/config"
	"maru/rag/library"
)

// Record is the part of the record that rehearsals use.
type Record interface {
	rehearsal.Record
	NotesOf(ctx context.Context, keys []string) (map[string]string, error)
	SetNote(ctx context.Context, key, value string) error // "" removes it
	FirstNote(ctx context.Context, key, value string) (string, error)
}

// Config is what rehearsals are made of.
type Config struct {
	Record   Record
	Library  Shelf
	MaxFile  int64                                   // bytes of the largest file
	Settings func() config.Config                    // the current ones
	Stage    func() (build Build, free func() error) // for the current settings; free closes what build opened
	Alone    bool                                    // no other process works on the record
	Me       string                                  // this process among those that do
	Now      func() time.Time
	Log      *slog.Logger
}

// Room keeps and plays rehearsals. [Room.Work] must run for one to be played.
type Room struct {
	cfg   Config
	desk  *console.Desk
	notes notes
	wake  chan struct{}

	acts sync.Mutex             // held while somebody decides
	seen map[string]observation // of [Room.Work] alone: what others were last seen doing, by ID
}

// Desk is the console's desk with rehearsals.
type Desk struct {
	*console.Desk
	*Room
}

var _ site.Rehearsals = (*Desk)(nil)

// Over returns a desk with rehearsals.
func Over(d *console.Desk, c Config) *Desk {
	if c.Now == nil {
		c.Now = time.Now
	}
	return &Desk{d, &Room{cfg: c, desk: d, notes: notes{c.Record}, wake: make(chan struct{}, 1), seen: map[string]observation{}}}
}

// allowed refuses everybody but operators, since questions of all channels are replayed.
func allowed(by bot.User) error {
	if by.Operator {
		return nil
	}
	return &bot.Error{Code: bot.CodeNotAllowed}
}

// change is the stored form of a change that is tried.
type change struct {
	Settings []bot.Setting         `json:"settings,omitempty"`
	Held     []bot.Setting         `json:"held,omitempty"`   // what was set in their places
	Values   []site.RehearsedValue `json:"values,omitempty"` // of settings and documents, for people
	Workflow string                `json:"workflow,omitempty"`
	Page     string                `json:"page,omitempty"` // the workflow whose page it was written on, "" for a new one
	Base     int64                 `json:"base,omitempty"` // version that the definition follows, 0 for none
	Before   string                `json:"before,omitempty"`
	Text     string                `json:"text,omitempty"`
	Gone     []site.Chosen         `json:"gone,omitempty"`
	Uploads  []upload              `json:"uploads,omitempty"` // of Gone, in its order; none in changes of older versions
	To       string                `json:"to,omitempty"`      // scope of Added
	Added    []addition            `json:"added,omitempty"`
	Kept     bool                  `json:"kept,omitempty"` // there are copies of the documents that accepting took away
}

// upload tells a document from a later one of the same name.
type upload struct {
	Size  int64     `json:"size"`
	Added time.Time `json:"added"`
}

// setup returns the setup in which a change is played.
func (c change) setup(id string, b site.RehearsalBounds) setup {
	s := setup{placed: c.Settings, gone: c.Gone, baseline: b.Baseline}
	if len(c.Added) > 0 {
		s.shadow, s.as = library.Shadow(id, library.ShadowNew, c.To), c.To
	}
	for _, a := range c.Added {
		s.gone = append(slices.Clip(s.gone), site.Chosen{Scope: c.To, ID: a.ID}) // it takes the place of that one
	}
	if c.Workflow == "" {
		return s
	}
	s.workflows = map[string][]byte{c.Workflow: []byte(c.Text)}
	if b.All {
		s.agent = c.Workflow
	}
	return s
}
