package approval

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"maru/bot"
	"maru/bot/shared"
)

// Withdrawer is implemented by adapters that can remove the files they uploaded. Withdraw removes those of a parcel, whose Key, To
// and Removable it is given. Files that do not exist count as removed.
type Withdrawer interface {
	Withdraw(ctx context.Context, p bot.Parcel) error
}

// uploadedNote lists the files with long questions, so that they go with their questions, however these go: with their thread,
// their person, their workspace's retention, or their message.
const (
	uploadedNote = "approval/uploaded"
	maxUploaded  = 500         // files; beyond, the oldest is no longer looked after
	lookedAt     = 20          // files a look
	lookEvery    = time.Minute // of all replicas
)

// uploads is the value of uploadedNote.
type uploads struct {
	Looked int64      `json:"looked,omitempty"` // seconds since 1970
	Files  []uploaded `json:"files"`            // those to look at next first
}

// uploaded is the file with some questions.
type uploaded struct {
	Key       string     `json:"key"`
	Thread    bot.Thread `json:"thread"`
	Questions []string   `json:"questions"` // IDs of approvals
	At        int64      `json:"at"`        // seconds since 1970, of the upload
}

// parcelOf identifies the file of a key for the platform.
func parcelOf(key string, to bot.Target) bot.Parcel {
	return bot.Parcel{To: to, Key: key, Again: true, Removable: true}
}

// amendUploads changes the list of files.
func amendUploads(ctx context.Context, qs *Questions, change func(*uploads)) error {
	return shared.Amend(ctx, qs.record, uploadedNote, func(was string) (string, error) {
		list := uploadsIn(was)
		change(&list)
		return list.String(), nil
	})
}

func uploadsIn(note string) (u uploads) {
	_ = json.Unmarshal([]byte(note), &u) // "" at first
	return u
}

func (u uploads) String() string {
	if len(u.Files) == 0 {
		return ""
	}
	raw, _ := json.Marshal(u) // strings only: cannot fail
	return string(raw)
}

// listUploaded adds a file that is about to be uploaded.
func listUploaded(ctx context.Context, qs *Questions, key string, list []Asked) error {
	f := uploaded{Key: key, Thread: list[0].About.Message.Thread, At: qs.now().Unix()}
	for _, a := range list {
		f.Questions = append(f.Questions, a.Row.ID)
	}
	return amendUploads(ctx, qs, func(u *uploads) {
		u.Files = slices.DeleteFunc(u.Files, func(o uploaded) bool { return o.Key == key })
		for len(u.Files) >= maxUploaded { // in the order of looks, not of age
			oldest := slices.MinFunc(u.Files, func(a, b uploaded) int { return cmp.Compare(a.At, b.At) })
			u.Files = slices.DeleteFunc(u.Files, func(o uploaded) bool { return o.Key == oldest.Key })
		}
		u.Files = append(u.Files, f)
	})
}

// removeUploaded removes files whose questions are gone or withdrawn. One replica looks at a few of them at a time.
func removeUploaded(ctx context.Context, qs *Questions) error {
	note, err := qs.record.Note(ctx, uploadedNote)
	u, now := uploadsIn(note), qs.now()
	if err != nil || note == "" || now.Sub(time.Unix(u.Looked, 0)) < lookEvery {
		return err
	}
	n := min(lookedAt, len(u.Files))
	files := u.Files[:n]
	next := uploads{now.Unix(), slices.Concat(u.Files[n:], files)}
	if ours, err := qs.record.SwapNote(ctx, uploadedNote, note, next.String()); !ours || err != nil {
		return err
	}
	var removed []string
	for _, f := range files {
		gone, err2 := unasked(ctx, qs, f)
		if gone {
			err2 = withdrawFile(ctx, qs, f)
		}
		if err2 != nil {
			err = errors.Join(err, fmt.Errorf("file %s: %w", f.Key, err2))
		} else if gone {
			removed = append(removed, f.Key)
		}
	}
	if len(removed) == 0 {
		return err
	}
	return errors.Join(err, amendUploads(ctx, qs, func(u *uploads) {
		u.Files = slices.DeleteFunc(u.Files, func(f uploaded) bool { return slices.Contains(removed, f.Key) })
	}))
}

// unasked reports whether all questions of a file are gone or withdrawn.
func unasked(ctx context.Context, qs *Questions, f uploaded) (bool, error) {
	for _, id := range f.Questions {
		row, err := qs.record.ApprovalByID(ctx, id)
		if errors.Is(err, bot.ErrNotFound) || err == nil && row.State == bot.ApprovalRevoked {
			continue
		}
		return false, err
	}
	return true, nil
}

// withdrawFile removes a file from its platform, unless that is impossible for good.
func withdrawFile(ctx context.Context, qs *Questions, f uploaded) error {
	w, ok := qs.adapters[f.Thread.Platform].(Withdrawer)
	if !ok {
		return nil
	}
	err := w.Withdraw(ctx, parcelOf(f.Key, bot.Target{Thread: f.Thread}))
	if errors.Is(err, bot.ErrForbidden) || errors.Is(err, bot.ErrGone) {
		qs.log.WarnContext(ctx, "file of a forgotten question stays", "platform", f.Thread.Platform, "err", err)
		return nil
	}
	return err
}
