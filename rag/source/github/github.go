// Package github reads the issues of a GitHub repository, with their comments, as a [source.Source] over GitHub's REST API
// (https://docs.github.com/rest/issues). A repository that is not at github.com is taken for one of a GitHub Enterprise
// Server, whose API is below /api/v3 of the same host.
//
// It trusts the client that it is given to refuse addresses inside, and knows nothing of who reads the documents: an issue
// has the readers of its repository.
package github

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"maru/rag/source"
	"maru/rag/source/rest"
)

// Config is what a Repository is made of.
type Config struct {
	URL      string       // of the repository, as people open it: https://github.com/OWNER/NAME
	Token    string       // "" if everybody may read it
	Client   *http.Client // checks the addresses that it dials
	Agent    string       // of requests, such as "Maru/1.2"
	MaxBytes int64        // of one issue with its comments
	Now      func() time.Time
}

// Repository is a repository with issues.
type Repository struct {
	cfg    Config
	api    *url.URL // of the repository
	client *rest.Client
}

var _ source.Source = (*Repository)(nil)

const (
	perPage = 100            // the most that the API gives at once
	whole   = 24 * time.Hour // after which all issues are listed, which alone tells what was deleted
	overlap = time.Minute    // issues that changed so shortly before the last look are listed again: GitHub's answers may be a little behind
	second  = time.Second    // times of the API have whole seconds
	maxList = 64 << 20       // bytes that are read of one page of a listing
	version = "2022-11-28"   // of the API
	host    = "github.com"   // whose API has a host of its own
	apiHost = "api." + host
)

// New returns the repository of an address.
func New(c Config) (*Repository, error) {
	u, err := rest.ParseURL(c.URL, c.Token != "")
	if err != nil {
		return nil, err
	}
	parts := strings.Split(strings.Trim(u.Path, "/"), "/")
	if len(parts) != 2 || parts[0] == "" || strings.TrimSuffix(parts[1], ".git") == "" {
		return nil, &source.Fault{Key: "source.no_repository", Args: []any{c.URL}, Permanent: true}
	}
	api := &url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/api/v3"}
	if name := strings.TrimPrefix(strings.ToLower(u.Hostname()), "www."); name == host {
		api.Host, api.Path = apiHost, ""
	}
	return &Repository{cfg: c, api: api.JoinPath("repos", parts[0], strings.TrimSuffix(parts[1], ".git")), client: rest.New(c.Client, c.Agent)}, nil
}

// position is where a listing stands. It goes by the time of the last change, oldest first: an issue that changes during
// the listing moves to the end and displaces no other.
type position struct {
	Since time.Time `json:"since,omitzero"` // changes at and after it are still to be listed
	Page  int       `json:"page,omitempty"` // from Since, 1-based; 0 between two listings
	Whole bool      `json:"whole,omitempty"`
	Begun time.Time `json:"begun,omitzero"` // of the last listing of all issues
}

// listed is an issue in a listing.
type listed struct {
	Number      int       `json:"number"`
	Title       string    `json:"title"`
	URL         string    `json:"html_url"`
	Updated     time.Time `json:"updated_at"`
	Comments    int       `json:"comments"`
	PullRequest *struct{} `json:"pull_request"`
}

// List implements [source.Source]. Once a day it lists all issues, and otherwise those that changed.
func (r *Repository) List(ctx context.Context, cursor string) (source.Page, error) {
	at := rest.ReadCursor[position](cursor)
	if at.Page == 0 {
		at = at.begin(r.cfg.Now())
	}
	list, more, err := r.changed(ctx, at)
	if err != nil {
		return source.Page{}, err
	}
	var page source.Page
	for _, i := range list {
		if i.PullRequest != nil {
			continue
		}
		page.Items = append(page.Items, source.Item{
			ID: i.URL, URL: i.URL, Title: i.Title, Version: fmt.Sprintf("%s %d", i.Updated.UTC().Format(time.RFC3339), i.Comments),
			Modified: i.Updated, Trusted: true,
		})
	}
	at = at.after(list)
	if page.More = more; !more {
		page.Complete = at.Whole
		at.Page, at.Whole = 0, false
	}
	page.Cursor, err = rest.WriteCursor(at)
	return page, err
}

// begin returns where a new listing begins.
func (p position) begin(now time.Time) position {
	if p.Since.IsZero() || now.Sub(p.Begun) >= whole {
		return position{Page: 1, Whole: true, Begun: now}
	}
	p.Since, p.Page = p.Since.Add(-overlap), 1
	return p
}

// after returns where a listing goes on after a page. Pages are counted only among issues of the same second.
func (p position) after(list []listed) position {
	p.Page++
	if len(list) == 0 {
		return p
	}
	if to := list[len(list)-1].Updated.Add(-second); to.After(p.Since) {
		p.Since, p.Page = to, 1
	}
	return p
}

// changed asks for a page of issues and pull requests, and reports whether others follow.
func (r *Repository) changed(ctx context.Context, at position) (list []listed, more bool, err error) {
	u := r.api.JoinPath("issues")
	q := url.Values{"state": {"all"}, "sort": {"updated"}, "direction": {"asc"}, "per_page": {strconv.Itoa(perPage)}, "page": {strconv.Itoa(at.Page)}}
	if !at.Since.IsZero() {
		q.Set("since", at.Since.UTC().Format(time.RFC3339))
	}
	u.RawQuery = q.Encode()
	a, err := r.get(ctx, u, "", maxList)
	if err != nil {
		return nil, false, r.listFault(err)
	}
	if err := rest.Decode(r.api.Host, a.data, &list); err != nil {
		return nil, false, err
	}
	if slices.ContainsFunc(list, func(i listed) bool { return i.Number <= 0 || i.URL == "" || i.Updated.IsZero() }) {
		return nil, false, rest.BadAnswer(r.api.Host, errors.New("an issue without its number, address or time"))
	}
	return list, a.next != nil, nil
}

// Fetch implements [source.Source].
func (r *Repository) Fetch(ctx context.Context, it source.Item, known string) (source.Content, error) {
	number := it.ID[strings.LastIndex(it.ID, "/")+1:]
	if _, err := strconv.Atoi(number); err != nil {
		return source.Content{}, source.ErrGone
	}
	u := r.api.JoinPath("issues", number)
	a, err := r.get(ctx, u, known, r.cfg.MaxBytes)
	if err != nil {
		return source.Content{}, r.itemFault(ctx, it, err)
	}
	var i issue
	if err := rest.Decode(r.api.Host, a.data, &i); err != nil {
		return source.Content{}, err
	}
	text := i.text()
	next := u.JoinPath("comments")
	next.RawQuery = url.Values{"per_page": {strconv.Itoa(perPage)}}.Encode()
	for i.Comments > 0 && next != nil {
		some, err := r.get(ctx, next, "", maxList)
		if err != nil {
			return source.Content{}, r.itemFault(ctx, it, err)
		}
		var list []comment
		if err := rest.Decode(r.api.Host, some.data, &list); err != nil {
			return source.Content{}, err
		}
		for _, c := range list {
			text += c.text()
		}
		if int64(len(text)) > r.cfg.MaxBytes {
			return source.Content{}, tooLarge(it.ID)
		}
		next = some.next
	}
	return source.Content{Name: "issue-" + number + ".md", Data: []byte(text), Validators: a.tag, Modified: i.Updated}, nil
}
