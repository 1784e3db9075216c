package turn

import (
	"context"
	"errors"
	"fmt"
	"io"

	"maru/bot"
	"maru/bot/reply"
	"maru/bot/unread"
)

// fetchTries is the number of attempts to download a file after transient errors.
const fetchTries = 3

// errNotFetched marks a failed or incomplete download.
var errNotFetched = errors.New("fetch the file")

// fetchFile downloads f from its platform and passes the body to use, once per attempt; use must read it to the end. Errors
// are for people.
func (fs *Files) fetchFile(ctx context.Context, from bot.Fetcher, f bot.File, lang string, use func(io.Reader) error) error {
	// Without a limit, a very slow sender would hold the run until its deadline.
	fetching, cancel := context.WithTimeout(ctx, fs.fetchTime)
	defer cancel()
	for n := 1; ; n++ {
		err := fs.fetchOnce(fetching, from, f, use)
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case fetching.Err() != nil && errors.Is(err, context.DeadlineExceeded):
			return &bot.Error{Code: bot.CodeSlowFile, Detail: "(" + f.Name + ")", Err: err}
		case !errors.Is(err, errNotFetched) || errors.Is(err, bot.ErrTooLarge):
			return bot.FileError(err, lang, f.Name, f.Size, fs.maxFile)
		case n == fetchTries || !errors.Is(err, bot.ErrUnavailable) || !reply.Rest(fetching, n, err):
			return &bot.Error{Code: unread.NotFetched(err), Detail: "(" + f.Name + ")", Err: err}
		}
		fs.log.InfoContext(ctx, "file is asked for again", "file", f.ID, "err", err)
	}
}

// fetchOnce makes one attempt of fetchFile. fetching limits the download.
func (fs *Files) fetchOnce(fetching context.Context, from bot.Fetcher, f bot.File, use func(io.Reader) error) error {
	body, err := from.Fetch(fetching, f, fs.maxFile)
	if err != nil {
		return fmt.Errorf("%w: %w", errNotFetched, err)
	}
	defer func() { _ = body.Close() }() // read-only
	coming := &arriving{body: body}
	if err = use(coming); err != nil && coming.broke != nil {
		return fmt.Errorf("%w: %w", errNotFetched, coming.broke)
	}
	return err
}

// arriving wraps a download, so that an interruption is attributed to the platform, not to the file.
type arriving struct {
	body  io.Reader
	broke error
}

// Read implements io.Reader.
func (a *arriving) Read(p []byte) (int, error) {
	n, err := a.body.Read(p)
	var said *bot.DeliveryError
	switch {
	case err == nil || err == io.EOF: //nolint:errorlint // a body's end is EOF itself
	case errors.As(err, &said), errors.Is(err, bot.ErrTooLarge):
		a.broke = err
	default:
		a.broke = &bot.DeliveryError{Op: "fetch", Code: "broken_off", Err: errors.Join(bot.ErrUnavailable, err)}
	}
	return n, err
}
