package confluence

import (
	"context"
	"encoding/json"
	"errors"
	"html"
	"net/http"
	"net/url"
	"strings"
	"time"

	"maru/rag/source"
	"maru/rag/source/rest"
)

const maxPeople = 100 // of a page whose names are asked for

// Fetch implements [source.Source].
func (w *Wiki) Fetch(ctx context.Context, it source.Item, _ string) (source.Content, error) {
	id := number(it.ID)
	if id == "" {
		return source.Content{}, source.ErrGone
	}
	p, err := w.kind.page(ctx, id)
	if err != nil {
		return source.Content{}, w.itemFault(ctx, it, err)
	}
	if !w.cfg.Include {
		if err := w.forAll(ctx, p); err != nil {
			return source.Content{}, w.itemFault(ctx, it, err)
		}
	}
	body, err := parse(p.storage)
	if err != nil {
		return source.Content{}, &source.Fault{Key: "source.bad_page", Args: []any{it.ID}, Err: err, Permanent: true}
	}
	if err := w.learnNames(ctx, append(body.people(), p.editor)); err != nil {
		return source.Content{}, w.itemFault(ctx, it, err)
	}
	text, says := render(body, w.names)
	if !says { // the root of a tree, or a list that Confluence makes
		return source.Content{Skip: true}, nil
	}
	return source.Content{Name: "page.html", Data: []byte(w.head(p) + text + "</main></body></html>"), Modified: p.modified}, nil
}

// head returns the beginning of a page: its title, its place as the first heading, and who wrote it when.
func (w *Wiki) head(p page) string {
	names := []string{p.space.name}
	for _, a := range p.above {
		if a.title != p.space.name { // a space's first page often has its name
			names = append(names, a.title)
		}
	}
	editor := p.edited
	if editor == "" {
		editor = w.names[p.editor]
	}
	line := "Last edited on " + p.modified.UTC().Format(time.DateOnly)
	if editor != "" {
		line = "Last edited by " + editor + " on " + p.modified.UTC().Format(time.DateOnly)
	}
	return "<!DOCTYPE html><html><head><meta charset=\"utf-8\"><title>" + html.EscapeString(p.title) + "</title></head><body><main><h1>" +
		html.EscapeString(strings.Join(names, " › ")) + "</h1><p>" + html.EscapeString(line) + "</p>\n"
}

// forAll returns source.ErrRestricted unless all readers of a page's space may read it. Restrictions are inherited from the
// pages above.
func (w *Wiki) forAll(ctx context.Context, p page) error {
	if p.unsure {
		return source.ErrRestricted
	}
	ids := []string{p.id}
	for _, a := range p.above {
		ids = append(ids, a.id)
	}
	for _, id := range ids {
		open, err := w.unrestricted(ctx, id)
		if err != nil {
			return err
		}
		if !open {
			return source.ErrRestricted
		}
	}
	return nil
}

// subjects are people or groups.
type subjects struct {
	Size    int               `json:"size"`
	Results []json.RawMessage `json:"results"`
}

func (s *subjects) none() bool { return s.Size == 0 && len(s.Results) == 0 }

// unrestricted reports whether nobody is named who alone may read a page. What cannot be asked for counts as restricted.
func (w *Wiki) unrestricted(ctx context.Context, id string) (bool, error) {
	if open, ok := w.open[id]; ok {
		return open, nil
	}
	var a struct {
		Restrictions *struct {
			User  *subjects `json:"user"`
			Group *subjects `json:"group"`
		} `json:"restrictions"`
	}
	err := w.get(ctx, maxList, "rest/api/content/"+url.PathEscape(id)+"/restriction/byOperation/read", url.Values{"expand": {"restrictions.user,restrictions.group"}}, &a)
	switch {
	case absent(err):
		return false, nil
	case err != nil:
		return false, err
	case a.Restrictions == nil || a.Restrictions.User == nil || a.Restrictions.Group == nil:
		return false, w.odd(errors.New("restrictions without people or groups"))
	}
	open := a.Restrictions.User.none() && a.Restrictions.Group.none()
	w.open[id] = open
	return open, nil
}

// learnNames asks for the names of users, as far as they are not known.
func (w *Wiki) learnNames(ctx context.Context, people []person) error {
	asked := 0
	for _, p := range people {
		if _, known := w.names[p]; known || p == (person{}) || asked == maxPeople {
			continue
		}
		asked++
		name, err := w.kind.who(ctx, p)
		if err != nil {
			return err
		}
		w.names[p] = name
	}
	return nil
}

// user asks for a user's name. One who was deleted, or may not be seen, has none.
func (w *Wiki) user(ctx context.Context, q url.Values) (string, error) {
	var a struct {
		Name   string `json:"displayName"`
		Public string `json:"publicName"`
	}
	err := w.get(ctx, maxList, "rest/api/user", q, &a)
	if status := rest.StatusOf(err); status != 0 && status != http.StatusUnauthorized {
		return "", nil
	}
	if a.Name == "" {
		a.Name = a.Public
	}
	return a.Name, err
}
