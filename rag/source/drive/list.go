package drive

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"maru/rag/source"
	"maru/rag/source/rest"
)

// file is a file or a folder.
type file struct {
	ID       string    `json:"id"`
	Name     string    `json:"name"`
	Mime     string    `json:"mimeType"`
	Modified time.Time `json:"modifiedTime"`
	Sum      string    `json:"md5Checksum"`
	Link     string    `json:"webViewLink"`
	Trashed  bool      `json:"trashed"`
	Drive    string    `json:"driveId"`
	Parents  []string  `json:"parents"`
}

const fileFields = "id,name,mimeType,modifiedTime,md5Checksum,webViewLink,trashed,driveId,parents"

// position is where a listing stands: among the folders of the tree, or among the changes since it was listed.
type position struct {
	Folders []string  `json:"folders,omitempty"` // still to be listed; the first one is under way
	Page    string    `json:"page,omitempty"`    // of the first one
	Changes string    `json:"changes,omitempty"` // token of the next page of changes
	Begun   time.Time `json:"begun,omitzero"`    // of the last listing of all folders
}

// List implements [source.Source]. Once a day, and when folders changed, it lists all folders, otherwise what changed.
func (f *Folder) List(ctx context.Context, cursor string) (source.Page, error) {
	at := rest.ReadCursor[position](cursor)
	if err := f.locate(ctx); err != nil {
		return source.Page{}, err
	}
	var page source.Page
	var err error
	if len(at.Folders) == 0 && at.Changes != "" && f.cfg.Now().Sub(at.Begun) < whole {
		page, at, err = f.changed(ctx, at)
	} else {
		page, at, err = f.listed(ctx, at)
	}
	if err != nil {
		return source.Page{}, f.listFault(err)
	}
	page.Cursor, err = rest.WriteCursor(at)
	return page, err
}

// locate asks whether the folder is there, and in which drive.
func (f *Folder) locate(ctx context.Context) error {
	f.mu.Lock()
	known := f.drive != nil
	f.mu.Unlock()
	if known {
		return nil
	}
	root, err := f.file(ctx, f.id)
	if err != nil {
		return f.listFault(err)
	}
	if root.Mime != typeFolder || root.Trashed {
		return f.listFault(rest.Status(http.StatusNotFound))
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.drive = &root.Drive
	return nil
}

// file asks for one file.
func (f *Folder) file(ctx context.Context, id string) (file, error) {
	var out file
	err := f.ask(ctx, scopeFiles, f.api.JoinPath("files", id), url.Values{"fields": {fileFields}, "supportsAllDrives": {"true"}}, &out)
	return out, err
}

// everywhere returns the arguments that make a listing see shared drives.
func (f *Folder) everywhere(listing bool) url.Values {
	q := url.Values{"supportsAllDrives": {"true"}}
	if listing {
		q.Set("includeItemsFromAllDrives", "true")
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.drive != nil && *f.drive != "" {
		q.Set("driveId", *f.drive)
	}
	return q
}

// listed lists a page of a folder of the tree.
func (f *Folder) listed(ctx context.Context, at position) (source.Page, position, error) {
	if len(at.Folders) == 0 {
		var start struct {
			Token string `json:"startPageToken"`
		}
		if err := f.ask(ctx, scopeFiles, f.api.JoinPath("changes/startPageToken"), f.everywhere(false), &start); err != nil {
			return source.Page{}, at, err
		}
		at = position{Folders: []string{f.id}, Changes: start.Token, Begun: f.cfg.Now()}
	}
	q := f.everywhere(true)
	if q.Get("driveId") != "" {
		q.Set("corpora", "drive")
	}
	q.Set("q", "'"+at.Folders[0]+"' in parents and trashed = false")
	q.Set("pageSize", perPage)
	q.Set("fields", "nextPageToken,files("+fileFields+")")
	if at.Page != "" {
		q.Set("pageToken", at.Page)
	}
	var list struct {
		Next  string `json:"nextPageToken"`
		Files []file `json:"files"`
	}
	if err := f.ask(ctx, scopeFiles, f.api.JoinPath("files"), q, &list); err != nil {
		return source.Page{}, at, err
	}
	var page source.Page
	for _, one := range list.Files {
		if one.Mime == typeFolder && folderID.MatchString(one.ID) {
			at.Folders = append(at.Folders, one.ID)
		} else if readable(one) {
			page.Items = append(page.Items, f.item(one))
		}
	}
	if at.Page = list.Next; at.Page == "" {
		at.Folders = at.Folders[1:]
	}
	page.More = len(at.Folders) > 0
	page.Complete = !page.More
	return page, at, nil
}

func (f *Folder) item(one file) source.Item {
	return source.Item{
		ID: f.itemID(one.ID), URL: one.Link, Title: one.Name, Mime: one.Mime, Modified: one.Modified, Trusted: true,
		Version: one.Modified.UTC().Format(time.RFC3339Nano) + " " + one.Sum + " " + one.Name,
	}
}

// changed lists a page of changes. A folder that changed may have brought or taken all below it: then all is listed.
func (f *Folder) changed(ctx context.Context, at position) (source.Page, position, error) {
	q := f.everywhere(true)
	q.Set("pageToken", at.Changes)
	q.Set("pageSize", perPage)
	q.Set("fields", "nextPageToken,newStartPageToken,changes(fileId,removed,file("+fileFields+"))")
	var list struct {
		Next    string `json:"nextPageToken"`
		Start   string `json:"newStartPageToken"`
		Changes []struct {
			ID      string `json:"fileId"`
			Removed bool   `json:"removed"`
			File    *file  `json:"file"`
		} `json:"changes"`
	}
	if err := f.ask(ctx, scopeFiles, f.api.JoinPath("changes"), q, &list); err != nil {
		return source.Page{}, at, err
	}
	var page source.Page
	for _, c := range list.Changes {
		switch {
		case c.ID == "": // a drive changed, not a file
		case c.File != nil && c.File.Mime == typeFolder:
			return f.listed(ctx, position{})
		case c.Removed || c.File == nil || c.File.Trashed || !readable(*c.File):
			page.Gone = append(page.Gone, f.itemID(c.ID))
		default:
			in, err := f.below(ctx, *c.File, deepest)
			if err != nil {
				return source.Page{}, at, err
			}
			if in {
				page.Items = append(page.Items, f.item(*c.File))
			} else {
				page.Gone = append(page.Gone, f.itemID(c.ID))
			}
		}
	}
	page.More = list.Next != ""
	if at.Changes = list.Next; !page.More {
		at.Changes = list.Start
	}
	return page, at, nil
}

// below reports whether a file is in the tree.
func (f *Folder) below(ctx context.Context, one file, depth int) (bool, error) {
	for _, parent := range one.Parents {
		if parent == f.id {
			return true, nil
		}
		f.mu.Lock()
		in, known := f.inside[parent]
		f.mu.Unlock()
		if !known && depth > 0 {
			above, err := f.file(ctx, parent)
			switch status := rest.StatusOf(err); {
			case status == http.StatusNotFound || status == http.StatusForbidden: // above what the account sees
			case err != nil:
				return false, err
			default:
				if in, err = f.below(ctx, above, depth-1); err != nil {
					return false, err
				}
			}
			f.mu.Lock()
			if len(f.inside) > maxAbove {
				clear(f.inside)
			}
			f.inside[parent] = in
			f.mu.Unlock()
		}
		if in {
			return true, nil
		}
	}
	return false, nil
}
