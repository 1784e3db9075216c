package web

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"maru/phrase/fit"
)

// How many refused files are told of, and for how long: a page that is opened later
// still says what became of an upload.
const (
	maxRefused = 20
	refusedAge = 7 * 24 * time.Hour
)

// refusedFile is a file that a person sent and that was not added, and why.
type refusedFile struct {
	ID   string    `json:"id"`
	Name string    `json:"name"`
	Why  string    `json:"why"` // as the person was told
	Size int64     `json:"size,omitempty"`
	At   time.Time `json:"at"`
}

// refusedNote is where the refused files of the console's place are kept: over a
// restart, and for every replica. Two replicas that refuse a file in the same moment
// may tell of one of them alone.
func (d *door) refusedNote() string { return platform + "/refused/" + d.cfg.Space }

// refusedFiles are the files that were refused lately, the newest first.
func (d *door) refusedFiles(ctx context.Context) []refusedFile {
	text, err := d.in.Notes().Note(ctx, d.refusedNote())
	var list []refusedFile
	if err == nil && text != "" {
		err = json.Unmarshal([]byte(text), &list)
	}
	if err != nil { // the documents themselves are shown all the same
		d.cfg.Log.WarnContext(ctx, "refused files are not told of", "err", err)
	}
	return slices.DeleteFunc(list, func(f refusedFile) bool { return d.cfg.Now().Sub(f.At) > refusedAge })
}

// changeRefused replaces the list of refused files by what change makes of it.
func (d *door) changeRefused(ctx context.Context, change func([]refusedFile) []refusedFile) error {
	d.refusing.Lock()
	defer d.refusing.Unlock()
	was := d.refusedFiles(ctx)
	is := change(slices.Clone(was))
	if slices.Equal(was, is) {
		return nil
	}
	raw, err := json.Marshal(is[:min(len(is), maxRefused)])
	if err != nil {
		return err
	}
	return d.in.Notes().SetNote(ctx, d.refusedNote(), string(raw))
}

// noteUpload keeps that a person's file was refused, or that one of this name no
// longer is; why is "" then. A program is told by its answer alone.
func (d *door) noteUpload(r *http.Request, name, why string) {
	if visitOf(r).named != nil || name == "" {
		return
	}
	// The person may have left the page: then it is told all the more.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), actionTime)
	defer cancel()
	err := d.changeRefused(ctx, func(list []refusedFile) []refusedFile {
		list = slices.DeleteFunc(list, func(f refusedFile) bool { return f.Name == name })
		if why == "" {
			return list
		}
		return slices.Insert(list, 0, refusedFile{ID: d.newID(), Name: name, Why: fit.Clean(why), Size: sizeHint(r), At: d.cfg.Now()})
	})
	if err != nil {
		d.cfg.Log.WarnContext(ctx, "refused file is not told of", "err", err)
	}
}

// apiDismiss takes a refused file off the list; one that is not there is off it.
func (d *door) apiDismiss(w http.ResponseWriter, r *http.Request) {
	err := d.changeRefused(r.Context(), func(list []refusedFile) []refusedFile {
		return slices.DeleteFunc(list, func(f refusedFile) bool { return f.ID == r.PathValue("file") })
	})
	if err != nil {
		d.fail(w, r, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}
