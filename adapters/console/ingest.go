package console

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"maru/bot"
	"maru/phrase/fit"
)

// maxHanded bounds the files of one message.
const maxHanded = 10

// ingest adds a local file to the documents.
func (a *Adapter) ingest(ctx context.Context, in bot.Intake, path string) error {
	doc, err := a.addDocument(ctx, in, path, "file.usage")
	if err == nil {
		a.say(word(a.lang, "file.done", fit.Clean(doc.Title), doc.Passages))
	}
	return a.refused(ctx, err)
}

// attach adds a local file to the documents and attaches it to the next message, like an
// upload: the next question is about this file, and a contract becomes the conversation's
// contract.
func (a *Adapter) attach(ctx context.Context, in bot.Intake, path string) error {
	if len(a.hand) == maxHanded {
		a.say(word(a.lang, "file.many", maxHanded))
		return nil
	}
	doc, err := a.addDocument(ctx, in, path, "file.hand.usage")
	if err == nil {
		a.hand = append(a.hand, bot.File{ID: doc.ID, Document: doc.ID, Name: doc.Name, MIME: doc.MIME, Size: doc.Size})
		a.say(word(a.lang, "file.handed", fit.Clean(doc.Title), doc.Passages))
	}
	return a.refused(ctx, err)
}

// told is the reason for a rejected file, in the person's language.
type rejection string

// Error implements error.
func (t rejection) Error() string { return string(t) }

// refused shows why a file was rejected; nothing for a nil err.
func (a *Adapter) refused(ctx context.Context, err error) error {
	var why rejection
	switch {
	case err == nil:
		return nil
	case errors.As(err, &why):
		a.say(string(why))
		return nil
	}
	return a.showError(ctx, err)
}

// addDocument adds a local file to the channel's documents. Only the console reads local paths: its
// user may read them anyway.
func (a *Adapter) addDocument(ctx context.Context, in bot.Intake, path, usage string) (bot.DocumentInfo, error) {
	library, ok := in.(Library)
	path = strings.Trim(path, `"'`)
	switch {
	case !ok:
		return bot.DocumentInfo{}, rejection(word(a.lang, "file.no"))
	case path == "":
		return bot.DocumentInfo{}, rejection(word(a.lang, usage))
	}
	if home, ok := strings.CutPrefix(path, "~/"); ok {
		if dir, err := os.UserHomeDir(); err == nil {
			path = filepath.Join(dir, home)
		}
	}
	if a.cfg.Dir != "" && !filepath.IsAbs(path) {
		path = filepath.Join(a.cfg.Dir, path)
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return bot.DocumentInfo{}, rejection(word(a.lang, "file.open", path))
	case !info.Mode().IsRegular(): // reading a device or pipe could block forever
		return bot.DocumentInfo{}, rejection(word(a.lang, "file.folder", path))
	}
	f, err := os.Open(path)
	if err != nil {
		return bot.DocumentInfo{}, rejection(word(a.lang, "file.open", path))
	}
	defer func() { _ = f.Close() }() // read only
	doc, err := library.Ingest(ctx, bot.Upload{
		Thread: a.at, User: a.cfg.user(), Name: filepath.Base(path), Size: info.Size(), Body: f, Progress: a.progress,
	})
	if err != nil {
		return bot.DocumentInfo{}, fmt.Errorf("add %s: %w", filepath.Base(path), err)
	}
	return doc, nil
}
