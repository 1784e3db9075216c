package confluence

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"maru/rag/source"
	"maru/rag/source/rest"
)

// cloud asks Confluence Cloud (https://developer.atlassian.com/cloud/confluence/rest/v2).
type cloud struct{ *Wiki }

const cloudLimit = 250 // the most that the API gives at once

// cloudPage is what Cloud tells of a page, or of a folder above one.
type cloudPage struct {
	ID         string `json:"id"`
	Status     string `json:"status"`
	Title      string `json:"title"`
	Space      string `json:"spaceId"`
	Parent     string `json:"parentId"`
	ParentKind string `json:"parentType"`
	Version    struct {
		Number  int       `json:"number"`
		Created time.Time `json:"createdAt"`
		Author  string    `json:"authorId"`
	} `json:"version"`
	Body struct {
		Storage struct {
			Value string `json:"value"`
		} `json:"storage"`
	} `json:"body"`
	Links struct {
		Shown string `json:"webui"`
	} `json:"_links"`
}

// cloudLinks lead from a page of a listing to the next one.
type cloudLinks struct {
	Next string `json:"next"`
}

// cursor returns the cursor of the next page, "" after the last one. Nothing else of the link is used: it may lead to a host
// that must not get the token.
func (l cloudLinks) cursor() string {
	u, err := url.Parse(l.Next)
	if err != nil {
		return ""
	}
	return u.Query().Get("cursor")
}

// list implements dialect. All pages are listed in the order of their IDs, in which a change moves none; changed ones from
// the newest back.
func (c cloud) list(ctx context.Context, at *rest.Position) ([]source.Item, bool, error) {
	if err := c.readSpaces(ctx); err != nil {
		return nil, false, err
	}
	if at.Next == "" {
		newest, _, err := c.pages(ctx, url.Values{"sort": {"-modified-date"}, "limit": {"1"}})
		if err != nil {
			return nil, false, err
		}
		if len(newest) > 0 {
			at.Mark = newest[0].Version.Created
		}
	}
	q := url.Values{"sort": {"-modified-date"}, "limit": {strconv.Itoa(cloudLimit)}}
	if at.Whole {
		q.Set("sort", "id")
	}
	if at.Next != "" {
		q.Set("cursor", at.Next)
	}
	list, next, err := c.pages(ctx, q)
	if err != nil {
		return nil, false, err
	}
	var items []source.Item
	for _, p := range list {
		if !at.Whole && p.Version.Created.Before(at.Since.Add(-rest.Overlap)) {
			next = ""
			break
		}
		if _, ours := c.spaces[p.Space]; !ours || p.Status != "current" {
			continue
		}
		items = append(items, source.Item{
			ID: p.ID, URL: c.shown(p.Links.Shown, p.ID), Title: p.Title, Modified: p.Version.Created, Version: fmt.Sprintf("%d %s %s", p.Version.Number, p.Space, p.Parent),
		})
	}
	at.Next = next
	return items, next != "", nil
}

// pages asks for a page of a listing of pages.
func (c cloud) pages(ctx context.Context, q url.Values) (list []cloudPage, next string, err error) {
	q.Set("status", "current")
	if c.key != "" {
		for id := range c.spaces {
			q.Set("space-id", id)
		}
	}
	var a struct {
		Results []cloudPage `json:"results"`
		Links   *cloudLinks `json:"_links"`
	}
	if err := c.get(ctx, maxList, "api/v2/pages", q, &a); err != nil {
		return nil, "", err
	}
	if a.Links == nil {
		return nil, "", c.odd(errors.New("a listing without its links"))
	}
	for _, p := range a.Results {
		if p.ID == "" || p.Version.Number <= 0 || p.Version.Created.IsZero() {
			return nil, "", c.odd(errors.New("a page without its ID or version"))
		}
	}
	return a.Results, a.Links.cursor(), nil
}

// readSpaces reads which spaces there are: one, or all but people's own.
func (c cloud) readSpaces(ctx context.Context) error {
	if c.spaces != nil {
		return nil
	}
	found := map[string]space{}
	q := url.Values{"limit": {strconv.Itoa(cloudLimit)}}
	if c.key != "" {
		q.Set("keys", c.key)
	} else {
		q.Set("status", "current")
	}
	for {
		var a struct {
			Results []struct {
				ID   string `json:"id"`
				Key  string `json:"key"`
				Name string `json:"name"`
				Type string `json:"type"`
			} `json:"results"`
			Links cloudLinks `json:"_links"`
		}
		if err := c.get(ctx, maxList, "api/v2/spaces", q, &a); err != nil {
			return err
		}
		for _, s := range a.Results {
			if c.key == s.Key || c.key == "" && s.Type != "personal" {
				found[s.ID] = space{s.Key, s.Name}
			}
		}
		next := a.Links.cursor()
		if next == "" || next == q.Get("cursor") {
			break
		}
		q.Set("cursor", next)
	}
	if len(found) == 0 {
		return rest.Status(http.StatusNotFound)
	}
	c.Wiki.spaces = found
	return nil
}

// page implements dialect.
func (c cloud) page(ctx context.Context, id string) (page, error) {
	if err := c.readSpaces(ctx); err != nil {
		return page{}, err
	}
	var a cloudPage
	if err := c.get(ctx, c.cfg.MaxBytes, "api/v2/pages/"+id, url.Values{"body-format": {"storage"}}, &a); err != nil {
		return page{}, err
	}
	in, ours := c.spaces[a.Space]
	if !ours || a.Status != "current" {
		return page{}, source.ErrGone
	}
	out := page{
		id: id, title: a.Title, url: c.shown(a.Links.Shown, id), space: in, storage: a.Body.Storage.Value, editor: person{account: a.Version.Author}, modified: a.Version.Created,
	}
	next, kind := a.Parent, a.ParentKind
	for next != "" && len(out.above) < deepest {
		p, err := c.placeOf(ctx, next, kind)
		if absent(err) {
			out.unsure = true
			break
		}
		if err != nil {
			return page{}, err
		}
		out.above = append([]place{p}, out.above...)
		next, kind = p.parent, p.kind
	}
	out.unsure = out.unsure || next != ""
	return out, nil
}

// placeOf reads what is above a page.
func (c cloud) placeOf(ctx context.Context, id, kind string) (place, error) {
	if p, ok := c.places[id]; ok {
		return p, nil
	}
	path := ""
	switch kind {
	case "page", "folder", "database", "whiteboard", "embed":
		path = "api/v2/" + kind + "s/" + url.PathEscape(id)
	default:
		return place{}, rest.Status(http.StatusNotFound)
	}
	var a cloudPage
	if err := c.get(ctx, maxList, path, nil, &a); err != nil {
		return place{}, err
	}
	p := place{id: id, title: a.Title, parent: a.Parent, kind: a.ParentKind}
	c.places[id] = p
	return p, nil
}

// who implements dialect.
func (c cloud) who(ctx context.Context, p person) (string, error) {
	if p.account == "" {
		return "", nil
	}
	return c.user(ctx, url.Values{"accountId": {p.account}})
}
