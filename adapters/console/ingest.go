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

// maxHanded is how many files go with one message.
const maxHanded = 10

// ingest adds a file of this machine to the documents.
func (a *Adapter) ingest(ctx context.Context, in bot.Intake, path string) error {
	doc, err := a.add(ctx, in, path, "file.usage")
	if err == nil {
		a.say(word(a.lang, "file.done", fit.Clean(doc.Title), doc.Passages))
	}
	return a.refused(ctx, err)
}

// file does the same and hands the file over with the next message, as one that is
// uploaded with it: what is asked then is asked of this file, and a contract becomes the
// conversation's contract.
func (a *Adapter) file(ctx context.Context, in bot.Intake, path string) error {
	if len(a.hand) == maxHanded {
		a.say(word(a.lang, "file.many", maxHanded))
		return nil
	}
	doc, err := a.add(ctx, in, path, "file.hand.usage")
	if err == nil {
		a.hand = append(a.hand, bot.File{ID: doc.ID, Document: doc.ID, Name: doc.Name, MIME: doc.MIME, Size: doc.Size})
		a.say(word(a.lang, "file.handed", fit.Clean(doc.Title), doc.Passages))
	}
	return a.refused(ctx, err)
}

// told is a reason why a file was not added, in the person's words.
type told string

// Error implements error.
func (t told) Error() string { return string(t) }

// refused tells why a file was not added; err is nil if it was.
func (a *Adapter) refused(ctx context.Context, err error) error {
	var why told
	switch {
	case err == nil:
		return nil
	case errors.As(err, &why):
		a.say(string(why))
		return nil
	}
	return a.trouble(ctx, err)
}

// add adds a file of this machine to the documents of the place. Only the console reads
// local paths: whoever types here may read them anyway.
func (a *Adapter) add(ctx context.Context, in bot.Intake, path, usage string) (bot.DocumentInfo, error) {
	library, ok := in.(Library)
	path = strings.Trim(path, `"'`)
	switch {
	case !ok:
		return bot.DocumentInfo{}, told(word(a.lang, "file.no"))
	case path == "":
		return bot.DocumentInfo{}, told(word(a.lang, usage))
	}
	if home, ok := strings.CutPrefix(path, "~/"); ok {
		if dir, err := os.UserHomeDir(); err == nil {
			path = filepath.Join(dir, home)
		}
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return bot.DocumentInfo{}, told(word(a.lang, "file.open", path))
	case !info.Mode().IsRegular(): // a device or a pipe could keep us for ever
		return bot.DocumentInfo{}, told(word(a.lang, "file.folder", path))
	}
	f, err := os.Open(path)
	if err != nil {
		return bot.DocumentInfo{}, told(word(a.lang, "file.open", path))
	}
	defer func() { _ = f.Close() }() // only read
	doc, err := library.Ingest(ctx, bot.Upload{
		Thread: a.at, User: a.cfg.user(), Name: filepath.Base(path), Size: info.Size(), Body: f, Progress: a.progress,
	})
	if err != nil {
		return bot.DocumentInfo{}, fmt.Errorf("add %s: %w", filepath.Base(path), err)
	}
	return doc, nil
}
