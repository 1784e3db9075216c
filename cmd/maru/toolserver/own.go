package toolserver

import (
	"context"
	"errors"
	"slices"

	"maru/agent/tool/attached"
	"maru/agent/tool/mcp"
)

// fromFile is the author of rows of the configuration file.
const fromFile = "configuration file"

// own returns the server of the configuration file that a row stands for, -1 if an admin added it. A row of the file belongs to no
// workspace: everybody may use it.
func (f *Follower) own(r attached.Row) int {
	if r.Team != "" {
		return -1
	}
	return slices.IndexFunc(f.Own, func(s mcp.Server) bool { return s.Name == r.Name })
}

// settle keeps a row for each server of the configuration file that people use with accounts of their own, so that accounts and
// accepted tools are as for servers that admins add, and removes the rows of others. One that moved is another server: nothing of it
// is accepted, and nobody is signed in.
func (f *Follower) settle(ctx context.Context, rows []attached.Row) error {
	var errs []error
	for _, r := range rows {
		if r.Team == "" && f.own(r) < 0 {
			errs = append(errs, changed(f.Store.DropToolServer(ctx, r.Name, r.Version)))
		}
	}
	for _, s := range f.Own {
		row := attached.Row{Name: s.Name}
		if i := slices.IndexFunc(rows, func(r attached.Row) bool { return r.Name == s.Name }); i >= 0 {
			row = rows[i]
		}
		switch {
		case row.Team != "":
			f.Log.WarnContext(ctx, "an mcp server of the configuration file is left out: an admin added one of this name; give it another name", "server", s.Name, "team", row.Team)
			continue
		case row.Version > 0 && row.URL == s.URL:
			continue
		}
		row = attached.Row{Name: s.Name, Version: row.Version, URL: s.URL, By: fromFile, Created: f.Now(), Personal: true}
		_, err := f.Store.PutToolServer(ctx, row)
		errs = append(errs, changed(err))
	}
	return errors.Join(errs...)
}

// changed drops the error of a row that another replica changed first.
func changed(err error) error {
	if errors.Is(err, attached.ErrChanged) {
		return nil
	}
	return err
}
