package turn

import (
	"context"
	"errors"
	"io"
	"strings"

	"maru/agent"
	"maru/bot"
	"maru/bot/content"
	"maru/bot/reply"
	"maru/phrase"
	"maru/phrase/fit"
)

// recordings.go transcribes a question's recordings. In a message without text, the transcript becomes the text;
// otherwise it becomes a document of the channel, like an upload.

// Transcriber returns the transcript of a recording, "" if it has no speech.
type Transcriber interface {
	Transcribe(ctx context.Context, name, mime string, recording []byte) (string, error)
}

const (
	maxRecordings    = 3        // per question
	maxRecordingFile = 25 << 20 // bytes per recording, the limit of OpenAI's endpoint
	maxSpoken        = 4000     // characters of a spoken message
	shownOfSpoken    = 300      // characters of it shown to its author
)

// transcript is the text of a recording.
type transcript struct {
	of   bot.File
	text string
}

// transcriptName returns the document name for a recording's transcript.
func transcriptName(recording string) string { return recording + ".txt" }

// transcribeAll transcribes the recordings among files. It returns the transcripts, the other files and a notice.
func (fs *Files) transcribeAll(ctx context.Context, m bot.Message, files []bot.File, lang string, p *reply.Presenter) (heard []transcript, rest []bot.File, said string, err error) {
	fetcher, ok := fs.adapters[m.Thread.Platform].(bot.Fetcher)
	if fs.ears == nil || !ok {
		return nil, files, "", nil
	}
	var left, over []string
	tried := 0
	for _, f := range files {
		if content.KindOf(f.Name, f.MIME) != content.Recording {
			rest = append(rest, f)
			continue
		}
		name := fit.Visible(f.Name)
		if tried == maxRecordings {
			rest, over = append(rest, f), append(over, name)
			continue
		}
		tried++
		p.Event(agent.Event{Kind: agent.EventStatus, Text: phrase.Say(lang, "bot.recording.listening", name)})
		text, err := fs.transcribe(ctx, fetcher, f, name, lang)
		switch {
		case ctx.Err() != nil:
			return nil, nil, "", ctx.Err()
		case err != nil:
			rest, left = append(rest, f), append(left, fs.notAdded(ctx, offered{Thread: m.Thread, Lang: lang}, err))
		case text == "":
			rest, left = append(rest, f), append(left, phrase.Say(lang, "bot.recording.silent", name))
		default:
			heard = append(heard, transcript{f, text})
		}
	}
	if len(over) > 0 {
		left = append(left, phrase.Say(lang, "bot.recording.over", maxRecordings, namesOf(over)))
	}
	return heard, rest, strings.Join(left, "\n\n"), nil
}

// transcribe downloads and transcribes a recording. Errors are for people.
func (fs *Files) transcribe(ctx context.Context, from bot.Fetcher, f bot.File, name, lang string) (string, error) {
	limit := min(maxRecordingFile, fs.maxFile)
	data, err := fs.fetchWhole(ctx, from, f, name, lang, limit)
	if err != nil {
		return "", err
	}
	text, err := fs.ears.Transcribe(ctx, f.Name, f.MIME, data)
	if err == nil {
		return text, nil
	}
	key := "bot.recording.failed"
	if r, ok := errors.AsType[interface {
		error
		Refuses() bool
	}](err); ok && r.Refuses() {
		key = "bot.recording.refused"
	}
	return "", &bot.Error{Code: bot.CodeBadFile, Say: phrase.Say(lang, key, name), Err: err}
}

// fetchWhole downloads a file of at most limit bytes. Errors are for people.
func (fs *Files) fetchWhole(ctx context.Context, from bot.Fetcher, f bot.File, name, lang string, limit int64) (data []byte, err error) {
	if f.Size > limit {
		return nil, bot.TooBig(lang, name, f.Size, limit)
	}
	err = fs.fetchFile(ctx, from, f, lang, func(body io.Reader) (err error) {
		data, err = io.ReadAll(io.LimitReader(body, limit+1))
		return err
	})
	if err == nil && int64(len(data)) > limit {
		return nil, bot.TooBig(lang, name, f.Size, limit)
	}
	if err == nil && len(data) == 0 {
		return nil, &bot.Error{Code: bot.CodeBadFile, Say: phrase.Say(lang, "load.empty", name)}
	}
	return data, err
}

// keep adds transcripts to the documents of the channel.
func (fs *Files) keep(ctx context.Context, m bot.Message, heard []transcript, lang string) (files []agent.File, said string, err error) {
	o := offered{Thread: m.Thread, User: m.User, Tags: tagsIn(m), Lang: lang}
	for _, h := range heard {
		f := bot.File{Name: transcriptName(fit.Visible(h.of.Name)), MIME: "text/plain"}
		doc, err := fs.store(ctx, o, f, func(put func(io.Reader) error) error {
			if err := put(strings.NewReader(h.text)); err != nil {
				return bot.FileError(err, lang, f.Name, int64(len(h.text)), fs.maxFile)
			}
			return nil
		})
		switch {
		case err == nil:
			files = append(files, agent.File{Document: doc.ID, Name: f.Name, MIME: doc.MIME, Size: doc.Size})
		case ctx.Err() != nil:
			return nil, "", ctx.Err()
		default:
			said += "\n\n" + fs.notAdded(ctx, o, err)
		}
	}
	return files, said, nil
}

// spoken sets the text of an empty message to the transcripts of its recordings.
func spoken(heard []transcript, lang string) (words, said string) {
	var all []string
	for _, h := range heard {
		all = append(all, h.text)
	}
	words = fit.Clip(strings.Join(all, "\n"), maxSpoken)
	return words, phrase.Say(lang, "bot.recording.heard", fit.Clip(fit.OneLine(words), shownOfSpoken))
}
