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

// Offers stores offers.
type Offers interface {
	Offer(ctx context.Context, l bot.Lease, m bot.Message, kind, run string, payload []byte) (bot.Button, error)
}

// FilesConfig is what Files are made of. All of it is needed.
type FilesConfig struct {
	Library   bot.Library
	Rules     *place.Rules
	Offers    Offers
	Adapters  bot.Platforms
	Log       *slog.Logger
	MaxFile   int64          // bytes of one
	FetchTime time.Duration  // how long they may come from the platform
	Sees      bool           // pictures may go to the model
	Reads     bool           // the library recognises the text of pictures
	Ears      Transcriber    // nil: recordings are not heard
	Web       *linked.Reader // nil: links to the web are not read
	Picture   picture.Reader // nil: pictures are decoded in this process
}

// Files brings the files that come with messages, or that these link to and speak of,
// to the documents of their place. It is safe for concurrent use.
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
	looking   chan struct{} // held by who decodes a picture
}

// NewFiles returns Files.
func NewFiles(c FilesConfig) *Files {
	if c.Picture == nil {
		c.Picture = picture.Here
	}
	return &Files{library: c.Library, rules: c.Rules, offers: c.Offers, adapters: c.Adapters, log: c.Log, maxFile: c.MaxFile, fetchTime: c.FetchTime, sees: c.Sees, reads: c.Reads, ears: c.Ears, web: c.Web, fit: c.Picture, looking: make(chan struct{}, 1)}
}
