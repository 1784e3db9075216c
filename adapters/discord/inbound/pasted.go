package inbound

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"maru/bot"
	"maru/phrase/fit"
)

const (
	// pasteName is the file in which Discord's clients send a text that is too long for a message.
	pasteName = "message.txt"
	maxPaste  = 40_000 // letters of it; a longer one stays a file
	pasteTime = 5 * time.Second
)

// pasted returns a message's text, including text that Discord's client sent as a file, and the other files. If
// the file cannot be fetched, it stays a file.
func (r *Reader) pasted(ctx context.Context, words string, files []bot.File) (string, []bot.File) {
	for i, f := range files {
		if !strings.EqualFold(f.Name, pasteName) || f.MIME != "" && f.MIME != "text/plain" || f.Size > maxPaste*utf8.UTFMax {
			continue
		}
		text, err := r.readText(ctx, f)
		if err != nil {
			r.log.InfoContext(ctx, "discord text of a message stays a file", "file", f.ID, "err", err)
			continue
		}
		return strings.TrimSpace(words + "\n" + text), slices.Delete(slices.Clone(files), i, i+1)
	}
	return words, files
}

func (r *Reader) readText(ctx context.Context, f bot.File) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, pasteTime)
	defer cancel()
	body, err := r.files.Fetch(ctx, f, maxPaste*utf8.UTFMax)
	if err != nil {
		return "", err
	}
	defer func() { _ = body.Close() }() // read completely, or abandoned
	raw, err := io.ReadAll(body)
	switch {
	case err != nil:
		return "", fmt.Errorf("read %s: %w", f.ID, err)
	case !utf8.Valid(raw), utf8.RuneCount(raw) > maxPaste:
		return "", fmt.Errorf("read %s: no text of at most %d letters", f.ID, maxPaste)
	}
	return strings.TrimSpace(fit.Clean(strings.TrimPrefix(string(raw), "\uFEFF"))), nil
}
