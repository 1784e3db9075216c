package drive

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"

	"maru/rag/source"
	"maru/rag/source/rest"
)

// Fetch implements [source.Source]. Documents of Google's own are read as office files.
func (f *Folder) Fetch(ctx context.Context, it source.Item, _ string) (source.Content, error) {
	u, q, name := f.api.JoinPath("files", fileID(it.ID)), url.Values{"supportsAllDrives": {"true"}, "alt": {"media"}}, it.Title
	if as, extension := export(it.Mime); as != "" {
		u, q, name = u.JoinPath("export"), url.Values{"mimeType": {as}}, it.Title+extension
	}
	data, err := f.get(ctx, scopeFiles, u, q, f.cfg.MaxBytes)
	var e refused
	switch {
	case err == nil:
		return source.Content{Name: name, Data: data, Modified: it.Modified}, nil
	case errors.Is(err, rest.ErrTooLarge), errors.As(err, &e) && e.reason == "exportSizeLimitExceeded":
		return source.Content{}, &source.Fault{Key: "source.too_large", Args: []any{it.Title}, Err: err, Permanent: true}
	}
	return source.Content{}, f.itemFault(it, err, "source.not_downloadable")
}

// itemFault is the error of a file; key says that it may not be read.
func (f *Folder) itemFault(it source.Item, err error, key string) error {
	switch status := rest.StatusOf(err); status {
	case 0:
		return err
	case http.StatusNotFound:
		return source.ErrGone
	case http.StatusForbidden:
		return &source.Fault{Key: key, Args: []any{it.Title, f.signer.mail}, Err: err, Permanent: true}
	default:
		return &source.Fault{Key: "source.status", Args: []any{it.Title, status}, Err: err}
	}
}

// permission lets somebody do something with a file.
type permission struct {
	Type    string    `json:"type"`
	Mail    string    `json:"emailAddress"`
	Domain  string    `json:"domain"`
	View    string    `json:"view"` // of a part of the file
	Found   bool      `json:"allowFileDiscovery"`
	Deleted bool      `json:"deleted"`
	Expires time.Time `json:"expirationTime"`
}

// Permissions implements [source.WithReaders]. Every role may at least read.
func (f *Folder) Permissions(ctx context.Context, it source.Item) (source.Readers, error) {
	q := url.Values{
		"supportsAllDrives": {"true"}, "pageSize": {"100"},
		"fields": {"nextPageToken,permissions(type,emailAddress,domain,view,allowFileDiscovery,deleted,expirationTime)"},
	}
	var out source.Readers
	for {
		var list struct {
			Next        string       `json:"nextPageToken"`
			Permissions []permission `json:"permissions"`
		}
		err := f.ask(ctx, scopeFiles, f.api.JoinPath("files", fileID(it.ID), "permissions"), q, &list)
		if err != nil {
			return source.Readers{}, f.itemFault(it, err, "source.rights_unread")
		}
		for _, p := range list.Permissions {
			if p.Deleted || p.View != "" || !p.Expires.IsZero() && !p.Expires.After(f.cfg.Now()) {
				continue
			}
			switch {
			case p.Type == "user":
				out.Mails = append(out.Mails, p.Mail)
			case p.Type == "group":
				mails, err := f.group(ctx, p.Mail)
				if err != nil {
					return source.Readers{}, err
				}
				out.Mails = append(out.Mails, mails...)
			case p.Type == "domain" && p.Found && p.Domain != "":
				out.Mails = append(out.Mails, "@"+p.Domain)
			case p.Type == "anyone" && p.Found:
				out.Everyone = true
			}
		}
		if list.Next == "" {
			return out, nil
		}
		q.Set("pageToken", list.Next)
	}
}

// group returns the addresses of a group's members and of those of its groups; none if the account may not see them.
func (f *Folder) group(ctx context.Context, mail string) ([]string, error) {
	now := f.cfg.Now()
	f.mu.Lock()
	known, ok := f.members[mail]
	f.mu.Unlock()
	if ok && now.Sub(known.at) < renewed {
		return known.mails, nil
	}
	g := audience{at: now}
	q := url.Values{"includeDerivedMembership": {"true"}, "maxResults": {"200"}}
	for {
		var list struct {
			Next    string `json:"nextPageToken"`
			Members []struct {
				Mail   string `json:"email"`
				Type   string `json:"type"`
				Status string `json:"status"`
			} `json:"members"`
		}
		err := f.ask(ctx, scopeGroups, f.groups.JoinPath("groups", mail, "members"), q, &list)
		switch rest.StatusOf(err) {
		case http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound:
			g.mails, err = nil, nil
		}
		if err != nil {
			return nil, err
		}
		for _, m := range list.Members {
			if m.Type == "USER" && (m.Status == "" || m.Status == "ACTIVE") {
				g.mails = append(g.mails, m.Mail)
			}
		}
		if list.Next == "" {
			break
		}
		q.Set("pageToken", list.Next)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.members[mail] = g
	return g.mails, nil
}
