package turn

import (
	"context"
	"log/slog"
	"time"

	"maru/bot"
	"maru/bot/linked"
	"maru/bot/picture"
	"maru/bot/place"
)

// Offers stores approval rows for offers.
type Offers interface {
	Offer(ctx context.Context, l bot.Lease, m bot.Message, kind, run string, payload []byte) (bot.Button, error)
}

// FilesConfig holds the dependencies and limits of Files. All fields but Ears and Web are required.
type FilesConfig struct {
	Library   bot.Library
	Rules     *place.Rules
	Offers    Offers
	Adapters  bot.Platforms
	Log       *slog.Logger
	MaxFile   int64          // bytes per file
	FetchTime time.Duration  // per download
	Sees      bool           // pictures may be sent to the model
	Reads     bool           // the library has OCR
	Ears      Transcriber    // nil: no transcription
	Web       *linked.Reader // nil: web links are not read
	Picture   picture.Reader // nil: pictures are decoded in this process
}

// Files adds the files that messages carry, link to or refer to, to the documents of their
// channel. It is safe for concurrent use.
type Files struct {
	library   bot.Library
	rules     *place.Rules
	offers    Offers
	adapters  bot.Platforms
	log       *slog.Logger
	maxFile   int64
	fetchTime time.Duration
	sees      bool
	reads     bool
	ears      Transcriber
	web       *linked.Reader
	fit       picture.Reader
	looking   chan struct{} // semaphore for decoding pictures
}

// NewFiles returns Files.
func NewFiles(c FilesConfig) *Files {
	if c.Picture == nil {
		c.Picture = picture.Here
	}
	return &Files{library: c.Library, rules: c.Rules, offers: c.Offers, adapters: c.Adapters, log: c.Log, maxFile: c.MaxFile, fetchTime: c.FetchTime, sees: c.Sees, reads: c.Reads, ears: c.Ears, web: c.Web, fit: c.Picture, looking: make(chan struct{}, 1)}
}
