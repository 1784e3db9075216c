package openai

import (
	"bytes"
	"context"
	"errors"
	"path"
	"slices"
	"strings"
	"time"

	sdk "github.com/sashabaranov/go-openai"

	"maru/agent/llm"
)

// transcribeTries is how often a recording is sent whose transcription fails for reasons that pass.
const transcribeTries = 3

// Transcriber writes down what is said in recordings, by an endpoint's /audio/transcriptions. It is safe for
// concurrent use.
type Transcriber struct {
	cfg  Config
	doer *doer
	rest func(ctx context.Context, d time.Duration) bool
}

// NewTranscriber returns the transcriber that cfg names by its Model; it does not call the endpoint.
func NewTranscriber(cfg Config) (*Transcriber, error) {
	cfg = cfg.withDefaults()
	if strings.TrimSpace(cfg.Model) == "" {
		return nil, errors.New("model endpoint: " + cfg.Settings + "_TRANSCRIPTION_MODEL is not set: name the transcription model to use")
	}
	cfg.First = cfg.Total // nothing comes until all is heard
	d, err := cfg.connect()
	if err != nil {
		return nil, err
	}
	return &Transcriber{cfg: cfg, doer: d, rest: rest}, nil
}

// Close lets idle connections go.
func (t *Transcriber) Close() { t.doer.http.CloseIdleConnections() }

// Transcribe returns the words of a recording, "" if none are said. An [llm.Error] of class BadRequest says that the
// endpoint does not take this recording.
func (t *Transcriber) Transcribe(ctx context.Context, name, mime string, recording []byte) (string, error) {
	for n := 1; ; n++ {
		text, err := t.once(ctx, fileName(name, mime), recording)
		if err == nil || n == transcribeTries || ctx.Err() != nil {
			return text, err
		}
		e, ok := errors.AsType[*llm.Error](err)
		if !ok || e.Class != llm.Overloaded && e.Class != llm.RateLimited && e.Class != llm.Network && e.Class != llm.Cut ||
			e.After > maxRest || !t.rest(ctx, max(e.After, time.Duration(n)*time.Second)) {
			return "", err
		}
	}
}

// maxRest is the longest time that an endpoint may ask to be left alone for and be asked again.
const maxRest = 20 * time.Second

func rest(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

func (t *Transcriber) once(ctx context.Context, name string, recording []byte) (string, error) {
	k := &call{}
	ctx, done := t.cfg.begin(ctx, k)
	defer done()
	resp, err := t.doer.client(k).CreateTranscription(ctx, sdk.AudioRequest{
		Model: t.cfg.Model, FilePath: name, Reader: bytes.NewReader(recording), Format: sdk.AudioResponseFormatJSON,
	})
	if err != nil {
		return "", t.doer.explain(ctx, err, k, t.cfg.Model)
	}
	return strings.TrimSpace(strings.ToValidUTF8(resp.Text, "\uFFFD")), nil
}

// recordings are the names' endings by which endpoints tell formats, and the media types for those without.
var (
	recordings = []string{".flac", ".mp3", ".mp4", ".mpeg", ".mpga", ".m4a", ".ogg", ".wav", ".webm"}
	endings    = map[string]string{
		"audio/ogg": ".ogg", "audio/opus": ".ogg", "audio/mpeg": ".mp3", "audio/mp4": ".m4a", "audio/x-m4a": ".m4a", "audio/wav": ".wav",
		"audio/x-wav": ".wav", "audio/webm": ".webm", "video/webm": ".webm", "video/mp4": ".mp4", "audio/flac": ".flac", "audio/x-flac": ".flac",
	}
	sameFormat = map[string]string{".oga": ".ogg", ".opus": ".ogg", ".m4v": ".mp4"}
)

// fileName returns what a recording is called in the form. Its own name is nobody's business, and its ending decides how it is read.
func fileName(name, mime string) string {
	ext := strings.ToLower(path.Ext(name))
	if slices.Contains(recordings, ext) {
		return "recording" + ext
	}
	kind, _, _ := strings.Cut(strings.ToLower(mime), ";")
	return "recording" + fallback(sameFormat[ext], fallback(endings[strings.TrimSpace(kind)], ext))
}
