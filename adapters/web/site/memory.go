package site

import (
	"context"
	"html/template"
	"net/http"
	"time"

	"maru/bot"
)

// Memory shows the visitor's memories and the channels' notes.
//
// ListMemory lists the person's memories, in the order of "/maru memory", and reports whether memory is on.
// ListNotes returns a page of notes, newest first, and their total: for operators those of all channels except
// private ones of others, for everybody else those of their channel. ForgetMemory and ForgetNote remove one as the
// command does, and return the message for the person.
type Memory interface {
	ListMemory(ctx context.Context, by bot.User, from bot.Thread) (list []Remembered, state string, err error)
	ListNotes(ctx context.Context, by bot.User, from bot.Thread, skip, limit int) (list []Note, total int, err error)
	ForgetMemory(ctx context.Context, by bot.User, from bot.Thread, id string) (said string, err error)
	ForgetNote(ctx context.Context, by bot.User, from bot.Thread, scope, id string) (said string, err error)
}

// Remembered is one memory of a person.
type Remembered struct {
	ID, Task string // Task is its subject, "" for statements about themselves
	Text     string // Markdown
}

// Note is a note of a channel.
type Note struct {
	ID, Scope string
	Words     string
	By        string // author and day
	At        time.Time
}

// notesPerPage is the number of notes per page.
const notesPerPage = 50

type memoryPage struct {
	base

	Tasks []memoryTask
	State string
	Notes []Note
	Total int
	Pager pager
	Said  template.HTML
}

// memoryTask groups the memories about one task.
type memoryTask struct {
	Task string
	List []memoryLine
}

// memoryLine is one memory.
type memoryLine struct {
	ID   string
	Body template.HTML
}

func (s *Site) memory(w http.ResponseWriter, r *http.Request, d Memory, said string) {
	p := memoryPage{base: s.base(r), Said: s.frame.Markdown(said, s.frame.Visitor(r).Lang)}
	list, state, err := d.ListMemory(r.Context(), p.User, p.Thread)
	if err == nil {
		_, p.Total, err = d.ListNotes(r.Context(), p.User, p.Thread, 0, 0)
	}
	if err == nil {
		var from, to int
		p.Pager, from, to = paged(r, p.Total, notesPerPage)
		p.Notes, _, err = d.ListNotes(r.Context(), p.User, p.Thread, from, to-from)
	}
	if err != nil {
		s.frame.Fail(w, r, err)
		return
	}
	s.name(r, &p.base, keysOf(p.Notes, func(n Note) string { return placeOfScope(n.Scope) })...)
	p.State = plainly(state)
	for i, m := range list {
		if i == 0 || m.Task != list[i-1].Task {
			p.Tasks = append(p.Tasks, memoryTask{Task: m.Task})
		}
		last := &p.Tasks[len(p.Tasks)-1]
		last.List = append(last.List, memoryLine{m.ID, s.frame.Markdown(m.Text, p.Lang)})
	}
	s.show(w, r, "memory", p.T("memory"), p)
}

// forget handles the form of a button.
func (s *Site) forget(w http.ResponseWriter, r *http.Request, d Memory) {
	v := s.frame.Visitor(r)
	var said string
	var err error
	if scope := r.PostFormValue("scope"); scope != "" {
		said, err = d.ForgetNote(r.Context(), v.User, v.Thread, scope, r.PostFormValue("id"))
	} else {
		said, err = d.ForgetMemory(r.Context(), v.User, v.Thread, r.PostFormValue("id"))
	}
	if err != nil {
		s.frame.Fail(w, r, err)
		return
	}
	s.memory(w, r, d, said)
}
