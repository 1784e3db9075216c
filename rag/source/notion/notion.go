// Package notion reads the pages of a Notion workspace that are shared with an integration, or those below one page or
// database, as a [source.Source] over Notion's API (https://developers.notion.com/reference).
//
// It trusts the client that it is given to refuse addresses inside, and knows nothing of who reads the documents: a page has
// the readers of its source. Notion's API does not tell who may read a page there.
package notion

import (
	"context"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"maru/rag/source"
	"maru/rag/source/rest"
)

// Config is what a Workspace is made of.
type Config struct {
	URL      string       // of a page or database, or https://www.notion.so/ for all that is shared with the token
	Token    string       // of an integration
	Client   *http.Client // checks the addresses that it dials
	Agent    string       // of requests, such as "Maru/1.2"
	MaxBytes int64        // of the text of one page
	Now      func() time.Time
}

// Workspace is what a token may read of a workspace.
type Workspace struct {
	cfg    Config
	api    *url.URL
	root   string // ID of the page or database, "" for all
	client *rest.Client
	pace   time.Duration // between two requests
	last   time.Time     // of the request before

	places map[string]place  // by IDs
	names  map[string]string // of users by their IDs
}

var _ source.Source = (*Workspace)(nil)

const (
	perPage = 100                    // the most that the API gives at once
	small   = 10                     // requests of a listing of all pages that is made at every look
	settled = 2 * time.Minute        // after which a page is not edited in the same minute again: Notion's times have whole minutes
	rate    = 340 * time.Millisecond // three requests a second
	deepest = 50                     // pages above a page
	version = "2025-09-03"           // of the API
)

// New returns the workspace of an address.
func New(c Config) (*Workspace, error) {
	u, err := rest.ParseURL(c.URL, true)
	if err != nil {
		return nil, err
	}
	w := &Workspace{cfg: c, client: rest.New(c.Client, c.Agent), places: map[string]place{}, names: map[string]string{}}
	switch host := strings.ToLower(u.Hostname()); {
	case rest.Loopback(u): // a proxy on this machine
		w.api = &url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/v1"}
	case within(host, "notion.so"), within(host, "notion.com"), within(host, "notion.site"):
		w.api, w.pace = &url.URL{Scheme: "https", Host: "api.notion.com", Path: "/v1"}, rate
	default:
		return nil, &source.Fault{Key: "source.no_notion", Args: []any{c.URL}, Permanent: true}
	}
	path := strings.Trim(u.Path, "/")
	if w.root = rootOf(path); w.root == "" && path != "" {
		return nil, &source.Fault{Key: "source.no_notion", Args: []any{c.URL}, Permanent: true}
	}
	return w, nil
}

func within(host, domain string) bool { return host == domain || strings.HasSuffix(host, "."+domain) }

// idAtEnd matches the ID at the end of an address, after the title.
var idAtEnd = regexp.MustCompile(`(?i)(?:^|[-/])([0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12})$`)

// rootOf returns the ID at the end of a path, "" if there is none.
func rootOf(path string) string {
	found := idAtEnd.FindStringSubmatch(path)
	if found == nil {
		return ""
	}
	return plainID(found[1])
}

// plainID returns an ID without dashes, as addresses have it.
func plainID(id string) string { return strings.ToLower(strings.ReplaceAll(id, "-", "")) }

// address returns where a page is under any title; it is the ID of its item.
func (w *Workspace) address(id string) string {
	if w.pace == 0 {
		return w.api.Scheme + "://" + w.api.Host + "/" + plainID(id)
	}
	return "https://www.notion.so/" + plainID(id)
}

// List implements [source.Source]. It lists all pages of a small workspace, and those of a large one once an hour;
// otherwise those that changed. Notion does not promise that its search names every page, so one that it has not named is
// not gone for that.
func (w *Workspace) List(ctx context.Context, cursor string) (source.Page, error) {
	at := rest.ReadCursor[rest.Position](cursor)
	if !at.Going {
		if err := w.begin(ctx, &at); err != nil {
			return source.Page{}, w.listFault(err)
		}
	}
	direction := "descending"
	if at.Whole {
		direction = "ascending" // a page that changes meanwhile moves to the end and displaces no other
	}
	a, err := w.search(ctx, direction, at.Next, perPage)
	if err != nil {
		return source.Page{}, w.listFault(err)
	}
	out := source.Page{Confirm: true}
	next := a.next()
	for _, p := range a.Results {
		if !at.Whole && p.Edited.Before(at.Since.Add(-rest.Overlap)) {
			next = ""
			break
		}
		w.places[plainID(p.ID)] = place{title: p.title(), parent: p.Parent}
		ours, err := w.below(ctx, p)
		if err != nil {
			return source.Page{}, w.listFault(err)
		}
		if ours && !p.gone() {
			out.Items = append(out.Items, w.item(p))
		}
	}
	out.More, out.Complete = next != "", next == "" && at.Whole
	at.Next = next
	out.Cursor, err = at.Step(next != "")
	return out, err
}

// begin prepares a listing. A page or database that is not there any more is a fault: all below it would seem to be gone.
func (w *Workspace) begin(ctx context.Context, at *rest.Position) error {
	if err := w.checkRoot(ctx); err != nil {
		return err
	}
	newest, err := w.search(ctx, "descending", "", 1)
	if err != nil {
		return err
	}
	at.Begin(w.cfg.Now(), small)
	if len(newest.Results) > 0 {
		at.Mark = newest.Results[0].Edited
	}
	return nil
}

// item returns a page in a listing.
func (w *Workspace) item(p page) source.Item {
	v := p.Edited.UTC().Format(time.RFC3339) + " " + p.Parent.above()
	if w.cfg.Now().Sub(p.Edited) < settled {
		v += " fresh" // it is read again, as it may be edited in the same minute
	}
	it := source.Item{ID: w.address(p.ID), URL: p.URL, Title: p.title(), Modified: p.Edited, Version: v}
	if it.URL == "" {
		it.URL = it.ID
	}
	return it
}

// Fetch implements [source.Source].
func (w *Workspace) Fetch(ctx context.Context, it source.Item, _ string) (source.Content, error) {
	id := rootOf(strings.Trim(it.ID[strings.LastIndex(it.ID, "/")+1:], "/"))
	if id == "" {
		return source.Content{}, source.ErrGone
	}
	var p page
	if err := w.get(ctx, "pages/"+id, nil, &p); err != nil {
		return source.Content{}, w.itemFault(ctx, it, err)
	}
	w.places[id] = place{title: p.title(), parent: p.Parent}
	ours, err := w.below(ctx, p)
	if err != nil {
		return source.Content{}, w.itemFault(ctx, it, err)
	}
	if !ours || p.gone() {
		return source.Content{}, source.ErrGone
	}
	blocks := &reader{Workspace: w}
	list, err := blocks.below(ctx, id, 0)
	if absent(err) { // a block went while the page was read
		return source.Content{}, source.ErrStale
	}
	if err != nil {
		return source.Content{}, w.itemFault(ctx, it, err)
	}
	r := &renderer{}
	r.properties(p.Properties)
	r.blocks(list)
	if !r.text { // a page of links, or a row without values
		return source.Content{Skip: true}, nil
	}
	head, err := w.head(ctx, p)
	if err != nil {
		return source.Content{}, w.itemFault(ctx, it, err)
	}
	return source.Content{Name: "page.html", Data: []byte(head + r.b.String() + "</main></body></html>"), Modified: p.Edited}, nil
}
