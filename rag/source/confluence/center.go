package confluence

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"maru/rag/source"
	"maru/rag/source/rest"
)

// center asks a Data Center (https://developer.atlassian.com/server/confluence/confluence-server-rest-api).
type center struct{ *Wiki }

const centerLimit = 100 // pages that are asked for at once; a site may give fewer

// centerPage is what a Data Center tells of a page.
type centerPage struct {
	ID     string `json:"id"`
	Type   string `json:"type"`
	Status string `json:"status"`
	Title  string `json:"title"`
	Space  struct {
		Key  string `json:"key"`
		Name string `json:"name"`
		Type string `json:"type"`
	} `json:"space"`
	Version struct {
		Number int       `json:"number"`
		When   time.Time `json:"when"`
		By     struct {
			Name string `json:"displayName"`
		} `json:"by"`
	} `json:"version"`
	Ancestors []struct {
		ID    string `json:"id"`
		Title string `json:"title"`
	} `json:"ancestors"`
	Body struct {
		Storage struct {
			Value string `json:"value"`
		} `json:"storage"`
	} `json:"body"`
	Links struct {
		Shown string `json:"webui"`
	} `json:"_links"`
}

// ours reports whether a page is one of this source: of its space, or of any but people's own.
func (c center) ours(p centerPage) bool {
	return p.Type == "page" && p.Status == "current" && (c.key == p.Space.Key || c.key == "" && p.Space.Type != "personal")
}

// list implements dialect. What changed is asked for by how long ago that was: other times of CQL are in the time zone of
// the account.
func (c center) list(ctx context.Context, at *rest.Position) ([]source.Item, bool, error) {
	if at.Next == "" {
		at.Mark = c.cfg.Now()
	}
	start, _ := strconv.Atoi(at.Next)
	q := url.Values{"expand": {"version,space,ancestors"}, "start": {strconv.Itoa(start)}, "limit": {strconv.Itoa(centerLimit)}}
	path := "rest/api/content"
	if at.Whole {
		q.Set("type", "page")
		q.Set("status", "current")
		if c.key != "" {
			q.Set("spaceKey", c.key)
		}
	} else {
		path += "/search"
		cql := "type = page"
		if c.key != "" {
			cql += ` and space = "` + strings.NewReplacer(`"`, "", `\`, "").Replace(c.key) + `"`
		}
		ago := int((c.cfg.Now().Sub(at.Since)+rest.Overlap)/time.Minute) + 1
		q.Set("cql", fmt.Sprintf(`%s and lastmodified > now("-%dm") order by lastmodified desc`, cql, ago))
	}
	var a struct {
		Results []centerPage `json:"results"`
		Links   *struct {
			Next string `json:"next"`
		} `json:"_links"`
	}
	if err := c.get(ctx, maxList, path, q, &a); err != nil {
		return nil, false, err
	}
	if a.Links == nil {
		return nil, false, c.odd(errors.New("a listing without its links"))
	}
	var items []source.Item
	for _, p := range a.Results {
		if p.ID == "" || p.Version.Number <= 0 {
			return nil, false, c.odd(errors.New("a page without its ID or version"))
		}
		if !c.ours(p) {
			continue
		}
		parent := ""
		if n := len(p.Ancestors); n > 0 {
			parent = p.Ancestors[n-1].ID
		}
		items = append(items, source.Item{
			ID: p.ID, URL: c.shown(p.Links.Shown, p.ID), Title: p.Title, Modified: p.Version.When, Version: fmt.Sprintf("%d %s %s", p.Version.Number, p.Space.Key, parent),
		})
	}
	at.Next = strconv.Itoa(start + len(a.Results))
	return items, a.Links.Next != "" && len(a.Results) > 0, nil
}

// page implements dialect.
func (c center) page(ctx context.Context, id string) (page, error) {
	var a centerPage
	if err := c.get(ctx, c.cfg.MaxBytes, "rest/api/content/"+id, url.Values{"expand": {"body.storage,version,space,ancestors"}}, &a); err != nil {
		return page{}, err
	}
	if !c.ours(a) {
		return page{}, source.ErrGone
	}
	out := page{
		id: id, title: a.Title, url: c.shown(a.Links.Shown, id), space: space{a.Space.Key, a.Space.Name}, storage: a.Body.Storage.Value, edited: a.Version.By.Name, modified: a.Version.When,
	}
	for _, p := range a.Ancestors {
		out.above = append(out.above, place{id: p.ID, title: p.Title})
	}
	return out, nil
}

// who implements dialect.
func (c center) who(ctx context.Context, p person) (string, error) {
	switch {
	case p.key != "":
		return c.user(ctx, url.Values{"key": {p.key}})
	case p.name != "":
		return c.user(ctx, url.Values{"username": {p.name}})
	}
	return "", nil
}
