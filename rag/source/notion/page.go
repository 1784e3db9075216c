package notion

import (
	"context"
	"html"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"maru/rag/source/rest"
)

// list is a part of a listing.
type list[T any] struct {
	Object  string `json:"object"`
	Results []T    `json:"results"`
	More    bool   `json:"has_more"`
	Cursor  string `json:"next_cursor"`
}

// next returns the cursor of the next part, "" after the last one.
func (l list[T]) next() string {
	if !l.More {
		return ""
	}
	return l.Cursor
}

// page is what the API tells of a page, or of a database.
type page struct {
	ID         string              `json:"id"`
	URL        string              `json:"url"`
	Edited     time.Time           `json:"last_edited_time"`
	Editor     user                `json:"last_edited_by"`
	Archived   bool                `json:"archived"`
	Trashed    bool                `json:"in_trash"`
	Parent     parent              `json:"parent"`
	Properties map[string]property `json:"properties"`
	Title      texts               `json:"title"` // of a database
}

func (p page) gone() bool { return p.Archived || p.Trashed }

// title returns the title of a page or database.
func (p page) title() string {
	for _, v := range p.Properties {
		if v.Type == "title" {
			return v.Title.plain()
		}
	}
	return p.Title.plain()
}

// user is a person or a bot.
type user struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// parent is what a page is in.
type parent struct {
	Type     string `json:"type"`
	Page     string `json:"page_id"`
	Database string `json:"database_id"`
	Block    string `json:"block_id"`
}

// above returns the ID of what is above, "" for the workspace. A data source stands for its database.
func (p parent) above() string {
	switch p.Type {
	case "page_id":
		return plainID(p.Page)
	case "database_id", "data_source_id":
		return plainID(p.Database)
	case "block_id":
		return plainID(p.Block)
	}
	return ""
}

// place is a page, a database or a block above a page.
type place struct {
	title  string // "" for a block
	parent parent
	away   bool // it is not shared
}

// placeOf reads what is above a page.
func (w *Workspace) placeOf(ctx context.Context, of parent) (place, error) {
	id := of.above()
	if p, ok := w.places[id]; ok {
		return p, nil
	}
	path := "pages/"
	switch of.Type {
	case "database_id", "data_source_id":
		path = "databases/"
	case "block_id":
		path = "blocks/"
	}
	var a page
	err := w.get(ctx, path+id, nil, &a)
	switch {
	case absent(err):
		w.places[id] = place{away: true}
	case err != nil:
		return place{}, err
	default:
		w.places[id] = place{title: a.title(), parent: a.Parent}
	}
	return w.places[id], nil
}

// above returns the titles above a page, outermost first, and whether the root is among them or the page is it.
func (w *Workspace) above(ctx context.Context, p page) (titles []string, below bool, err error) {
	below = w.root == "" || plainID(p.ID) == w.root
	at := p.Parent
	for range deepest {
		id := at.above()
		if id == "" {
			break
		}
		below = below || id == w.root
		in, err := w.placeOf(ctx, at)
		if err != nil {
			return nil, false, err
		}
		if in.away {
			break
		}
		if in.title != "" {
			titles = append([]string{in.title}, titles...)
		}
		at = in.parent
	}
	return titles, below, nil
}

// below reports whether a page is the root or below it.
func (w *Workspace) below(ctx context.Context, p page) (bool, error) {
	if w.root == "" {
		return true, nil
	}
	_, below, err := w.above(ctx, p)
	return below, err
}

// checkRoot reports whether the page or database of the source is there.
func (w *Workspace) checkRoot(ctx context.Context) error {
	if w.root == "" {
		return nil
	}
	var p page
	err := w.get(ctx, "pages/"+w.root, nil, &p)
	if absent(err) {
		err = w.get(ctx, "databases/"+w.root, nil, &p)
	}
	switch {
	case absent(err), err == nil && p.gone():
		return rest.Status(http.StatusNotFound)
	}
	return err
}

// head returns the beginning of a page: its title, its place as the first heading, and who wrote it when.
func (w *Workspace) head(ctx context.Context, p page) (string, error) {
	titles, _, err := w.above(ctx, p)
	if err != nil {
		return "", err
	}
	name, err := w.who(ctx, p.Editor)
	if err != nil {
		return "", err
	}
	line := "Last edited on " + p.Edited.UTC().Format(time.DateOnly)
	if name != "" {
		line = "Last edited by " + name + " on " + p.Edited.UTC().Format(time.DateOnly)
	}
	out := "<!DOCTYPE html><html><head><meta charset=\"utf-8\"><title>" + html.EscapeString(p.title()) + "</title></head><body><main>"
	if len(titles) > 0 {
		out += "<h1>" + html.EscapeString(strings.Join(titles, " › ")) + "</h1>"
	}
	return out + "<p>" + html.EscapeString(line) + "</p>\n", nil
}

// who returns the name of a user. A token without the right to see people gets none.
func (w *Workspace) who(ctx context.Context, u user) (string, error) {
	if name, known := w.names[u.ID]; known || u.Name != "" || u.ID == "" {
		return u.Name + name, nil
	}
	var a user
	if err := w.get(ctx, "users/"+url.PathEscape(u.ID), nil, &a); err != nil && !absent(err) {
		return "", err
	}
	w.names[u.ID] = a.Name
	return a.Name, nil
}

const (
	maxBlocks = 20_000 // of a page
	maxNested = 30     // blocks within each other
)

// reader reads the blocks of a page, within bounds.
type reader struct {
	*Workspace

	count int
	bytes int64
}

// below returns the blocks in a block or page, with those in them. Pages and databases in it are pages of their own.
func (r *reader) below(ctx context.Context, id string, depth int) ([]block, error) {
	var out []block
	for cursor := ""; ; {
		q := url.Values{"page_size": {strconv.Itoa(perPage)}}
		if cursor != "" {
			q.Set("start_cursor", cursor)
		}
		var a list[block]
		if err := r.get(ctx, "blocks/"+url.PathEscape(id)+"/children", q, &a); err != nil {
			return nil, err
		}
		for i, b := range a.Results {
			r.count++
			r.bytes += int64(b.size())
			if r.count > maxBlocks || r.bytes > r.cfg.MaxBytes || depth > maxNested {
				return nil, rest.ErrTooLarge
			}
			if b.Children && b.Type != "child_page" && b.Type != "child_database" {
				inner, err := r.below(ctx, b.ID, depth+1)
				if err != nil {
					return nil, err
				}
				a.Results[i].inner = inner
			}
		}
		out = append(out, a.Results...)
		if cursor = a.next(); cursor == "" {
			return out, nil
		}
	}
}
