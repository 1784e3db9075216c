package load

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"maru/rag/load/confine"
	"maru/rag/load/pdf"
)

// fillTimeout limits the compilation of PDFium, which takes seconds on an idle machine.
const fillTimeout = 5 * time.Minute

// pdfCache is a loader's state of the PDF engine's cache.
type pdfCache struct {
	turn  chan struct{} // semaphore: one child at a time fills the cache
	tried bool
	err   error // reason why it cannot be filled
}

func newPDFCache() *pdfCache {
	c := &pdfCache{turn: make(chan struct{}, 1)}
	c.turn <- struct{}{}
	return c
}

// config returns the PDF engine's configuration for a child that reads a document. A child without documents fills
// the cache first, once per loader.
func (c *pdfCache) config(ctx context.Context, l *Loader) (pdf.Config, error) {
	cfg := l.cfg.PDF
	if cfg.Cache == "" {
		return cfg, nil
	}
	select {
	case <-c.turn:
	case <-ctx.Done():
		return cfg, ctx.Err()
	}
	defer func() { c.turn <- struct{}{} }()
	if !c.tried {
		err := l.fillPDFCache(ctx)
		if ctx.Err() != nil {
			return cfg, ctx.Err()
		}
		if c.tried, c.err = true, err; err != nil {
			l.cfg.Log.Warn("PDF engine cache unavailable, compiling for every PDF", "err", err)
		}
	}
	if c.err != nil {
		cfg.Cache = ""
	}
	return cfg, nil
}

// damaged forces a refill before the document is read.
func (c *pdfCache) damaged() {
	<-c.turn
	c.tried = false
	c.turn <- struct{}{}
}

func (l *Loader) fillPDFCache(ctx context.Context) error {
	c, err := confine.Start(l.cfg.Command)
	if err != nil {
		return err
	}
	var f frame
	req := request{Memory: l.cfg.Memory, Timeout: fillTimeout, PDF: &l.cfg.PDF, Fill: true}
	if err := ask(ctx, c, req, "", nil, 1<<20, func(dec *json.Decoder) error { return dec.Decode(&f) }); err != nil {
		return err
	}
	c.Close()
	if f.End == nil {
		return errors.New("no answer from the child")
	}
	if f.End.Cache != "" {
		return errors.New(f.End.Cache)
	}
	return nil
}
