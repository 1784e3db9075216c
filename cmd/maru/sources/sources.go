// Package sources makes the engine that keeps documents of sources in sync from the settings, and says how the sources are.
package sources

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"path"
	"path/filepath"
	"strings"
	"time"

	"maru/bot"
	"maru/config"
	"maru/phrase"
	"maru/rag/library"
	"maru/rag/source"
	"maru/rag/source/confluence"
	"maru/rag/source/drive"
	"maru/rag/source/git"
	"maru/rag/source/github"
	"maru/rag/source/notion"
	"maru/rag/source/sync"
	"maru/rag/source/website"
)

// Config is what sources are made of.
type Config struct {
	Settings config.Documents
	DataDir  string // where copies of repositories are kept
	Store    source.Store
	Notes    sync.Notes // of the same record
	Library  *library.Library
	Client   *http.Client // checks the addresses that it dials
	MCP      func(server string) (source.Source, error)
	Version  string
	Owner    string        // names this process among the replicas
	Lease    time.Duration // a dead process's sources are taken over after it
	Log      *slog.Logger
}

// Sources are the sources of the program.
type Sources struct {
	*sync.Engine

	cfg Config
}

// New returns the sources of the settings, and of those that admins added.
func New(c Config) *Sources {
	s := &Sources{cfg: c}
	s.Engine = sync.New(sync.Config{
		Store: c.Store, Notes: c.Notes, Library: c.Library, Open: s.open, Rows: rows(c.Settings.Sources), Owner: c.Owner, Lease: c.Lease, Log: c.Log, Now: time.Now,
	})
	return s
}

// rows returns the sources of the settings as the record has them.
func rows(list []config.DocumentSource) []source.Row {
	var out []source.Row
	for _, d := range list {
		r := source.Row{Name: d.Name, Spec: source.Spec{
			Kind: source.Website, URL: d.Website, Server: d.MCP, Branch: d.Branch, Folder: d.Folder, Own: d.Team, Every: d.Every, Pages: d.Pages, Depth: d.Depth,
		}}
		switch {
		case d.Git != "":
			r.Spec.Kind, r.Spec.URL = source.Git, d.Git
		case d.GitHub != "":
			r.Spec.Kind, r.Spec.URL = source.GitHub, d.GitHub
		case d.MCP != "":
			r.Spec.Kind = source.MCP
		case d.Confluence != "":
			r.Spec.Kind, r.Spec.URL, r.Spec.Restricted = source.Confluence, d.Confluence, d.Restricted
		case d.Notion != "":
			r.Spec.Kind, r.Spec.URL = source.Notion, d.Notion
		case d.Drive != "":
			r.Spec.Kind, r.Spec.URL, r.Spec.Rights = source.Drive, d.Drive, d.Rights
		}
		parts := strings.Split(d.Readers, "/")
		switch len(parts) {
		case 3:
			r.Team, r.Spec.Scope = parts[0]+"/"+parts[1], bot.PlaceScope(d.Readers)
		case 2:
			r.Team, r.Spec.Scope = d.Readers, "team:"+d.Readers
		default:
			r.Spec.Scope = bot.ScopePublic
		}
		out = append(out, r)
	}
	return out
}

// open makes a source of its row.
func (s *Sources) open(r source.Row) (source.Source, error) {
	switch r.Spec.Kind {
	case source.Website:
		return website.New(website.Config{
			URL: r.Spec.URL, Client: s.cfg.Client, Agent: "Maru/" + s.cfg.Version, MaxBytes: s.cfg.Settings.MaxFile, MaxItems: r.Spec.Pages,
		})
	case source.MCP:
		return s.cfg.MCP(r.Spec.Server)
	case source.Git:
		return git.New(git.Config{
			URL: r.Spec.URL, Branch: r.Spec.Branch, Folder: r.Spec.Folder, Dir: filepath.Join(s.cfg.DataDir, "sources", r.Name), Token: s.declared(r.Name).Token.Reveal(),
			MaxBytes: s.cfg.Settings.MaxFile, Reads: func(name string) bool { return source.Readable(path.Ext(name)) },
		})
	case source.GitHub:
		return github.New(github.Config{
			URL: r.Spec.URL, Token: s.declared(r.Name).Token.Reveal(), Client: s.cfg.Client, Agent: "Maru/" + s.cfg.Version, MaxBytes: s.cfg.Settings.MaxFile, Now: time.Now,
		})
	case source.Confluence:
		d := s.declared(r.Name)
		return confluence.New(confluence.Config{
			URL: r.Spec.URL, User: d.User, Token: d.Token.Reveal(), Include: r.Spec.Restricted, Client: s.cfg.Client, Agent: "Maru/" + s.cfg.Version, MaxBytes: s.cfg.Settings.MaxFile, Now: time.Now,
		})
	case source.Notion:
		return notion.New(notion.Config{
			URL: r.Spec.URL, Token: s.declared(r.Name).Token.Reveal(), Client: s.cfg.Client, Agent: "Maru/" + s.cfg.Version, MaxBytes: s.cfg.Settings.MaxFile, Now: time.Now,
		})
	}
	if r.Spec.Kind == source.Drive {
		return drive.New(drive.Config{
			URL: r.Spec.URL, Key: s.declared(r.Name).Token.Reveal(), Client: s.cfg.Client, Agent: "Maru/" + s.cfg.Version, MaxBytes: s.cfg.Settings.MaxFile, Now: time.Now,
		})
	}
	return nil, &source.Fault{Key: "source.unknown_kind", Args: []any{string(r.Spec.Kind)}}
}

// declared returns a source as the settings have it.
func (s *Sources) declared(name string) config.DocumentSource {
	for _, d := range s.cfg.Settings.Sources {
		if d.Name == name {
			return d
		}
	}
	return config.DocumentSource{}
}

// Status is how a source is, for operators.
type Status struct {
	Name, What string
	Err        error // why it cannot be read; nil if it can
}

// Statuses says how every source is.
func Statuses(ctx context.Context, store source.Store) ([]Status, error) {
	list, err := store.Sources(ctx)
	if err != nil {
		return nil, err
	}
	var out []Status
	for _, r := range list {
		n, err := store.CountItems(ctx, r.Name)
		if err != nil {
			return nil, err
		}
		one := Status{Name: r.Name, What: fmt.Sprintf("documents: %d, pending: %d, not read: %d", n[source.Synced], n[source.Pending], n[source.Refused]+n[source.Failed])}
		if n[source.Restricted] > 0 {
			one.What += fmt.Sprintf(", restricted: %d", n[source.Restricted])
		}
		switch {
		case r.Removed:
			one.What += "; being removed"
		case r.Left:
			one.What += "; no longer in the configuration file, nobody looks at it: /maru sources remove " + r.Name + " deletes its documents"
		case r.Paused:
			one.What += "; paused"
		case r.Progress.Why != nil:
			one.Err = fmt.Errorf("%w: %s", bot.ErrLimited, r.Progress.Why.In(phrase.Fallback))
		case !r.Progress.Done.IsZero():
			one.What += "; in sync since " + r.Progress.Done.UTC().Format(time.RFC3339)
		}
		out = append(out, one)
	}
	return out, nil
}

// Detail adds the sources to what a probe shows when it is asked for everything.
func (s *Sources) Detail(others func(context.Context) map[string]error) func(context.Context) map[string]error {
	return func(ctx context.Context) map[string]error {
		out := map[string]error{}
		maps.Copy(out, others(ctx))
		list, err := Statuses(ctx, s.cfg.Store)
		if err != nil {
			out["sources"] = err
		}
		for _, one := range list {
			out["source "+one.Name] = one.Err
		}
		return out
	}
}
