package web

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"maru/bot/shared"
	"maru/phrase/fit"
)

// Number and lifetime of the rejected files shown: a page opened later still reports them.
const (
	maxRefused = 20
	refusedAge = 7 * 24 * time.Hour
)

// refusedFile is a rejected upload with the reason.
type refusedFile struct {
	ID   string    `json:"id"`
	Name string    `json:"name"`
	Why  string    `json:"why"` // as shown to the person
	Size int64     `json:"size,omitempty"`
	At   time.Time `json:"at"`
}

// refusedNote returns the key of the place's rejected files, shared across restarts and replicas.
func (d *door) refusedNote() string { return platform + "/refused/" + d.cfg.Space }

// refusedFiles lists the recently rejected files, newest first.
func (d *door) refusedFiles(ctx context.Context) []refusedFile {
	text, err := d.in.Notes().Note(ctx, d.refusedNote())
	var list []refusedFile
	if err == nil {
		list, err = readRefused(text, d.cfg.Now())
	}
	if err != nil { // the documents are shown anyway
		d.cfg.Log.WarnContext(ctx, "read rejected files", "err", err)
	}
	return list
}

// readRefused reads the recently rejected files of a note.
func readRefused(text string, now time.Time) (list []refusedFile, err error) {
	if text != "" {
		err = json.Unmarshal([]byte(text), &list)
	}
	return slices.DeleteFunc(list, func(f refusedFile) bool { return now.Sub(f.At) > refusedAge }), err
}

// changeRefused updates the list of rejected files. A list that cannot be read is replaced.
func (d *door) changeRefused(ctx context.Context, change func([]refusedFile) []refusedFile) error {
	return shared.Amend(ctx, d.in.Notes(), d.refusedNote(), func(text string) (string, error) {
		was, err := readRefused(text, d.cfg.Now())
		is := change(slices.Clone(was))
		if err == nil && slices.Equal(was, is) {
			return text, nil
		}
		raw, err := json.Marshal(is[:min(len(is), maxRefused)])
		return string(raw), err
	})
}

// noteUpload records that a person's file was rejected or, with why "", that one of this name
// no longer is. Programs get only the answer.
func (d *door) noteUpload(r *http.Request, name, why string) {
	if v := visitOf(r); v.named != nil || v.person != nil || name == "" {
		return
	}
	// Record it even if the person has left the page.
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
		d.cfg.Log.WarnContext(ctx, "store rejected file", "err", err)
	}
}

// apiDismiss removes a rejected file from the list, idempotently.
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
