package mcp

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"maru/rag/source"
)

// Source returns the resources of a server as a source of documents.
func (p *Pool) Source(name string) (source.Source, error) {
	for _, s := range p.all() {
		if s.cfg.Name == name {
			return resources{s}, nil
		}
	}
	return nil, &source.Fault{Key: "source.no_server", Args: []any{name}}
}

// resources is the [source.Source] of a server's resources.
type resources struct{ server *server }

var _ source.Source = resources{}

// ask makes one request of the server, within its timeout. It waits as long for the first connection.
func ask[T any](ctx context.Context, s *server, request func(context.Context, *mcp.ClientSession) (T, error)) (T, error) {
	select { // the program looks at its sources while it connects
	case <-s.tried:
	case <-ctx.Done():
	case <-time.After(s.cfg.Timeout):
	}
	limited, cancel := context.WithTimeout(ctx, s.cfg.Timeout)
	defer cancel()
	s.mu.Lock()
	c := s.live
	s.mu.Unlock()
	var none T
	if c == nil || c.ended() {
		return none, s.away(errGone)
	}
	s.answered.Store(0) // a session may outlive a refused request
	out, err := guard(limited, c, func() (T, error) { return request(limited, c.session) })
	switch said, ok := errors.AsType[*jsonrpc.Error](err); {
	case err == nil:
		return out, nil
	case ctx.Err() != nil:
		return none, ctx.Err()
	case ok && (said.Code == notFound || said.Code == jsonrpc.CodeInvalidParams):
		return none, source.ErrGone
	}
	return none, s.away(err)
}

// notFound is the code of a resource that is not there, in servers before 2026.
const notFound = -32002

// away is the error of a server that did not answer.
func (s *server) away(cause error) error {
	key := "source.server_away"
	if s.wantsToken() {
		key = "source.server_denied"
	}
	return &source.Fault{Key: key, Args: []any{s.cfg.Name}, Err: errors.New(s.mask(cause.Error()))}
}

// id names a resource among those of all servers.
func (r resources) id(uri string) string { return r.server.cfg.Name + ":" + uri }

// List implements [source.Source].
func (r resources) List(ctx context.Context, cursor string) (source.Page, error) {
	list, err := ask(ctx, r.server, func(ctx context.Context, s *mcp.ClientSession) (*mcp.ListResourcesResult, error) {
		return s.ListResources(ctx, &mcp.ListResourcesParams{Cursor: cursor})
	})
	if errors.Is(err, source.ErrGone) {
		err = &source.Fault{Key: "source.server_away", Args: []any{r.server.cfg.Name}, Err: errors.New("it refuses to list its resources")}
	}
	if err != nil {
		return source.Page{}, err
	}
	page := source.Page{Cursor: list.NextCursor, More: list.NextCursor != "", Complete: list.NextCursor == ""}
	for _, one := range list.Resources {
		if one == nil || one.URI == "" || len(one.URI) > maxURI {
			continue
		}
		it := source.Item{ID: r.id(one.URI), Title: clean(one.Title), Mime: one.MIMEType}
		if it.Title == "" {
			it.Title = clean(one.Name)
		}
		if u, err := url.Parse(one.URI); err == nil && u.Host != "" && (u.Scheme == "https" || u.Scheme == "http") {
			it.URL = one.URI
		}
		if one.Annotations != nil {
			it.Version = one.Annotations.LastModified
			if at, err := time.Parse(time.RFC3339, it.Version); err == nil {
				it.Modified = at
			}
		}
		page.Items = append(page.Items, it)
	}
	return page, nil
}

// maxURI bounds the address of a resource.
const maxURI = 2000

// Fetch implements [source.Source].
func (r resources) Fetch(ctx context.Context, it source.Item, _ string) (source.Content, error) {
	uri := strings.TrimPrefix(it.ID, r.id(""))
	got, err := ask(ctx, r.server, func(ctx context.Context, s *mcp.ClientSession) (*mcp.ReadResourceResult, error) {
		return s.ReadResource(ctx, &mcp.ReadResourceParams{URI: uri})
	})
	if err != nil {
		return source.Content{}, err
	}
	c := source.Content{}
	kind, text := it.Mime, []string{}
	for _, part := range got.Contents {
		if part == nil {
			continue
		}
		if part.MIMEType != "" {
			kind = part.MIMEType
		}
		if len(part.Blob) > 0 {
			c.Data = part.Blob
			break
		}
		text = append(text, part.Text)
	}
	binary := c.Data != nil
	if !binary {
		c.Data = []byte(strings.Join(text, "\n\n"))
	}
	name := strings.ReplaceAll(it.Title, "/", " ")
	ext := extensionOf(kind, uri, binary)
	c.Name, c.Skip = strings.TrimSuffix(name, ext)+ext, ext == ""
	return c, nil
}

// extensionOf names the format of a resource, "" for none that is a document.
func extensionOf(kind, uri string, binary bool) string {
	kind, _, _ = strings.Cut(strings.ToLower(kind), ";")
	switch strings.TrimSpace(kind) {
	case "text/markdown":
		return ".md"
	case "text/html":
		return ".html"
	case "application/pdf":
		return ".pdf"
	case "text/csv":
		return ".csv"
	}
	at := uri
	if u, err := url.Parse(uri); err == nil {
		at = fmt.Sprint(u.Opaque, u.Path)
	}
	switch ext := strings.ToLower(path.Ext(at)); {
	case source.Readable(ext):
		return ext
	case !binary:
		return ".txt"
	}
	return ""
}
