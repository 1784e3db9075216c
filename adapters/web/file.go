package web

import (
	"context"
	"fmt"
	"mime"
	"net/http"
	"strconv"

	"maru/bot"
)

// Files serves the files created by runs.
//
// Files lists those of a thread without their content; File returns one, if the person may
// see its run from their place.
type Files interface {
	Files(ctx context.Context, thread bot.Thread) ([]bot.Artifact, error)
	File(ctx context.Context, from bot.Thread, by bot.User, run string, n int) (bot.Artifact, error)
}

// shownAs lists the media types that are served as such; all others are served as binary
// data.
var shownAs = map[string]bool{
	"text/plain": true, "text/markdown": true, "text/csv": true, "application/json": true, "application/pdf": true,
}

// file serves a file created by a run; its content is a model's.
func (d *door) file(w http.ResponseWriter, r *http.Request) {
	t, err := d.placeOf(r)
	if err != nil {
		d.fail(w, r, err)
		return
	}
	if p := visitOf(r).person; p != nil {
		t = p.Place()
	}
	n, err := strconv.Atoi(r.PathValue("n"))
	if err != nil || n < 0 {
		d.fail(w, r, &bot.Error{Code: bot.CodeNotFound})
		return
	}
	f, err := d.desk.File(r.Context(), t, visitOf(r).user(), r.PathValue("run"), n)
	if err != nil {
		d.fail(w, r, fmt.Errorf("read file: %w", err))
		return
	}
	download(w, f)
}

// export serves the current file of a command, limited to data that this person may see.
func (d *door) export(w http.ResponseWriter, r *http.Request) {
	f, err := d.desk.Export(r.Context(), d.at(r, ""), visitOf(r).user(), r.PathValue("name"))
	if err != nil {
		d.fail(w, r, fmt.Errorf("export: %w", err))
		return
	}
	download(w, f)
}

// download serves a file for saving, never for opening as a page of this origin.
func download(w http.ResponseWriter, f bot.Artifact) {
	kind, _, err := mime.ParseMediaType(f.MIME)
	if err != nil || !shownAs[kind] {
		kind = "application/octet-stream"
	}
	h := w.Header()
	h.Set("Content-Type", kind+"; charset=utf-8")
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": f.Name}))
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "private, no-store")
	h.Set("Content-Length", strconv.Itoa(len(f.Data)))
	_, _ = w.Write(f.Data) // the client may be gone
}

// withFiles adds the files created by runs to a thread's lines; they are in no transcript.
func (d *door) withFiles(ctx context.Context, t bot.Thread, lines []line) ([]line, error) {
	files, err := d.desk.Files(ctx, t)
	if err != nil {
		return nil, fmt.Errorf("list files: %w", err)
	}
	byRun := make(map[string][]bot.Artifact, len(files))
	for _, f := range files {
		byRun[f.Run] = append(byRun[f.Run], f)
	}
	for i, l := range lines {
		if l.Card == nil || !l.Card.Final || l.Deleted || len(l.Card.Files) > 0 || len(byRun[l.Card.Run]) == 0 {
			continue
		}
		c := *l.Card // the hub's copy stays unchanged
		c.Files = byRun[c.Run]
		lines[i].Card = &c
	}
	return lines, nil
}
