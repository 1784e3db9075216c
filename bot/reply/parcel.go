package reply

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"

	"maru/bot"
	"maru/phrase"
)

// Made reads the files that runs made.
type Made interface {
	Artifacts(ctx context.Context, thread, run string) ([]bot.Artifact, error)
	Artifact(ctx context.Context, run string, n int) (bot.Artifact, error)
	Reply(ctx context.Context, run string) (bot.Reply, error)
}

// Sees checks access to a run; an error denies it.
type Sees interface {
	MaySee(ctx context.Context, from bot.Thread, u bot.User, run string) error
}

// Parcels puts the files that runs made into their threads.
type Parcels struct {
	Record   Made
	Adapters map[string]bot.Adapter // by platform
	Observe  Observer
	Sees     Sees
	Log      *slog.Logger
}

// Parcel is the body of a job that uploads a run's files to its thread.
type Parcel struct {
	To   bot.Target `json:"to"`
	Run  string     `json:"run"`
	Lang string     `json:"lang"`
}

// HandOver puts the files of a run into its thread. An earlier attempt may have
// done so: then the platform is asked.
func (s *Parcels) HandOver(ctx context.Context, j bot.Job) error {
	p, ok := s.parcelOf(ctx, j)
	if !ok {
		return nil
	}
	up, ok := s.Adapters[p.To.Thread.Platform].(bot.Uploader)
	if !ok {
		return nil
	}
	files, err := s.wholeFiles(ctx, p)
	if err != nil || len(files) == 0 { // the thread was forgotten meanwhile
		return err
	}
	reply, err := s.Record.Reply(ctx, p.Run)
	if err != nil && !errors.Is(err, bot.ErrNotFound) {
		return fmt.Errorf("read reply: %w", err)
	}
	err = up.Upload(ctx, bot.Parcel{
		To: p.To, Ref: reply.Ref, Files: files, Key: bot.JobFiles + "-" + p.Run, Again: j.Attempts > 0,
		Text: phrase.Say(p.Lang, "bot.files.made"),
	})
	s.Observe.Delivered(p.To.Thread.Platform, "upload", resultOf(err))
	if errors.Is(err, bot.ErrGone) || errors.Is(err, bot.ErrForbidden) {
		s.notHandedOver(ctx, p, bot.CodeNoUpload, err)
		return nil
	}
	return err
}

// GiveUp reports, after the last attempt, that files could not be uploaded to their thread.
func (s *Parcels) GiveUp(ctx context.Context, j bot.Job, why error) {
	if p, ok := s.parcelOf(ctx, j); ok {
		s.notHandedOver(ctx, p, bot.CodeUploadAway, why)
	}
}

// parcelOf reads the body of a job that hands files over; false if it cannot be read.
func (s *Parcels) parcelOf(ctx context.Context, j bot.Job) (p Parcel, ok bool) {
	if err := json.Unmarshal(j.Body, &p); err != nil {
		s.Log.ErrorContext(ctx, "job dropped", "job", j.ID, "err", err)
		return Parcel{}, false
	}
	return p, true
}

// wholeFiles reads the files of a run with their bytes.
func (s *Parcels) wholeFiles(ctx context.Context, p Parcel) ([]bot.Artifact, error) {
	list, err := s.Record.Artifacts(ctx, p.To.Thread.Key(), p.Run)
	if err != nil {
		return nil, fmt.Errorf("list files: %w", err)
	}
	for i, f := range list {
		if list[i], err = s.Record.Artifact(ctx, f.Run, f.N); err != nil {
			return nil, fmt.Errorf("read file: %w", err)
		}
	}
	return list, nil
}

// notHandedOver reports once, in the thread, that its files could not be uploaded.
func (s *Parcels) notHandedOver(ctx context.Context, p Parcel, code bot.Code, why error) {
	s.Log.ErrorContext(ctx, "files of a run not delivered", "run", p.Run, "platform", p.To.Thread.Platform, "err", why)
	adapter, ok := s.Adapters[p.To.Thread.Platform]
	if !ok || errors.Is(why, bot.ErrGone) {
		return
	}
	card := (&bot.Error{Code: code, Err: why}).Notice(p.Lang)
	if _, err := adapter.Post(ctx, p.To, card, "nofiles-"+p.Run); err != nil {
		s.Log.WarnContext(ctx, "report undelivered files", "run", p.Run, "err", err)
	}
}

// File returns a run's file to a person who may see the run from the given thread.
func (s *Parcels) File(ctx context.Context, from bot.Thread, u bot.User, run string, n int) (bot.Artifact, error) {
	if err := s.Sees.MaySee(ctx, from, u, run); err != nil {
		return bot.Artifact{}, err
	}
	f, err := s.Record.Artifact(ctx, run, n)
	if errors.Is(err, bot.ErrNotFound) {
		return bot.Artifact{}, &bot.Error{Code: bot.CodeNotFound, Err: err}
	}
	return f, err
}

// Files lists the files that a thread's runs made, without their bytes.
func (s *Parcels) Files(ctx context.Context, t bot.Thread) ([]bot.Artifact, error) {
	return s.Record.Artifacts(ctx, t.Key(), "")
}
