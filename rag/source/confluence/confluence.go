// Package confluence reads the pages of a Confluence space, or of all spaces of a site, as a [source.Source]. It speaks with
// Confluence Cloud (REST v2, and v1 for restrictions and people) and with Data Center (REST v1).
//
// A page that only some readers of its space may read is no document unless the configuration includes such pages: it is
// restricted if it, or a page above it, has people or groups that alone may read it, or if that cannot be found out.
//
// It trusts the client that it is given to refuse addresses inside, and knows nothing of who reads the documents here.
package confluence

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"maru/rag/source"
	"maru/rag/source/rest"
)

// Config is what a Wiki is made of.
type Config struct {
	URL      string       // of a space or the site, as people open it: https://team.atlassian.net/wiki/spaces/KEY
	User     string       // e-mail of the account whose API token Token is; "" for a personal access token of a Data Center
	Token    string       // "" if everybody may read the pages of a Data Center
	Include  bool         // restricted pages become documents too
	Client   *http.Client // checks the addresses that it dials
	Agent    string       // of requests, such as "Maru/1.2"
	MaxBytes int64        // of one page
	Now      func() time.Time
}

// Wiki is a space or a site.
type Wiki struct {
	cfg    Config
	base   *url.URL // of the site, with its context path
	key    string   // of the space; "" for all
	client *rest.Client
	kind   dialect

	spaces map[string]space  // of Cloud by their IDs, read once
	places map[string]place  // pages above others, by their IDs
	open   map[string]bool   // whether everybody may read a page by itself, by their IDs
	names  map[person]string // of users
}

var _ source.Source = (*Wiki)(nil)

const (
	maxList = 64 << 20 // bytes that are read of one page of a listing
	deepest = 50       // pages above a page
	small   = 8        // requests of a listing of all pages that is made at every look
)

// dialect is how Cloud or a Data Center is asked.
type dialect interface {
	// list returns a part of a listing. An item's ID is that of its page.
	list(ctx context.Context, at *rest.Position) (items []source.Item, more bool, err error)
	// page returns a page with those above it, outermost first.
	page(ctx context.Context, id string) (page, error)
	// who returns the name of a user, "" if it is not known.
	who(ctx context.Context, p person) (string, error)
}

// space is a space.
type space struct{ key, name string }

// place is a page or folder above others.
type place struct {
	id, title    string
	parent, kind string // of the one above it
}

// page is a page as it is read.
type page struct {
	id, title string
	url       string
	space     space
	above     []place
	unsure    bool // not all pages above it could be read
	storage   string
	editor    person
	edited    string // name of the editor, if the answer has it
	modified  time.Time
}

// New returns the space or site of an address.
func New(c Config) (*Wiki, error) {
	u, err := rest.ParseURL(c.URL, true)
	if err != nil {
		return nil, err
	}
	base, key, ok := parts(u)
	if !ok {
		return nil, &source.Fault{Key: "source.no_space", Args: []any{c.URL}, Permanent: true}
	}
	w := &Wiki{cfg: c, base: base, key: key, client: rest.New(c.Client, c.Agent), places: map[string]place{}, open: map[string]bool{}, names: map[person]string{}}
	w.kind = center{w}
	if c.User != "" {
		w.kind = cloud{w}
	}
	return w, nil
}

// parts returns the site and the key of the space of an address.
func parts(u *url.URL) (base *url.URL, key string, ok bool) {
	base = &url.URL{Scheme: u.Scheme, Host: u.Host}
	names := strings.FieldsFunc(u.Path, func(r rune) bool { return r == '/' })
	for i, name := range names {
		if name != "spaces" && name != "display" {
			continue
		}
		rest := names[i+1:]
		if len(rest) == 2 && rest[1] == "overview" {
			rest = rest[:1]
		}
		if len(rest) != 1 {
			return nil, "", false
		}
		if key = rest[0]; key == "viewspace.action" {
			key = u.Query().Get("key")
		}
		if key == "" {
			return nil, "", false
		}
		names = names[:i]
		break
	}
	if strings.HasSuffix(strings.ToLower(u.Hostname()), ".atlassian.net") && (len(names) == 0 || names[0] != "wiki") {
		names = append([]string{"wiki"}, names...)
	}
	base = base.JoinPath(names...)
	return base, key, key != "" || len(names) <= 2
}

// List implements [source.Source]. It lists all pages of a small space, and those of a large one once an hour; otherwise
// those that changed.
func (w *Wiki) List(ctx context.Context, cursor string) (source.Page, error) {
	at := rest.ReadCursor[rest.Position](cursor)
	if !at.Going {
		at.Begin(w.cfg.Now(), small)
	}
	items, more, err := w.kind.list(ctx, &at)
	if err != nil {
		return source.Page{}, w.listFault(err)
	}
	for i := range items {
		items[i].ID = w.address(items[i].ID)
	}
	out := source.Page{Items: items, More: more, Complete: !more && at.Whole, Confirm: true}
	out.Cursor, err = at.Step(more)
	return out, err
}

// address returns where a page is under any title and in any space; it is the ID of its item.
func (w *Wiki) address(id string) string {
	u := w.base.JoinPath("pages", "viewpage.action")
	u.RawQuery = url.Values{"pageId": {id}}.Encode()
	return u.String()
}

// number returns the ID of a page in an item's address, "" if it has none.
func number(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	id := u.Query().Get("pageId")
	for _, r := range id {
		if r < '0' || r > '9' {
			return ""
		}
	}
	return id
}

// shown returns where people open a page, by a link below the site.
func (w *Wiki) shown(link, id string) string {
	u, err := url.Parse(link)
	if link == "" || err != nil || u.IsAbs() || u.Host != "" {
		return w.address(id)
	}
	out := w.base.JoinPath(u.Path)
	out.RawQuery = u.RawQuery
	return out.String()
}
