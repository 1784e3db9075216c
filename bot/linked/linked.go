// Package linked reads documents and web pages behind the links that people write: "summarise https://…/report.pdf".
// A message asks for that in its own words (see [Asked]); the bytes come through an HTTP client that refuses private
// addresses and become a document of the message's place, as an upload does. It must not know any platform, any file
// format beyond its name, or how addresses are checked: client and library are handed in.
package linked

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"maru/agent"
	"maru/bot"
	"maru/phrase"
	"maru/phrase/fit"
	"maru/rag"
)

// Library keeps the documents of places.
type Library interface {
	Add(ctx context.Context, d bot.NewDocument) (rag.Document, error)
	Documents(ctx context.Context, scopes []string) ([]rag.Document, error)
}

// Rules say who may add documents, and audit it.
type Rules interface {
	MembersOnly(ctx context.Context, t bot.Thread, u bot.User, lang string) error
	Audit(ctx context.Context, t bot.Thread, u bot.User, what string, detail map[string]any)
}

// Config is what a [Reader] is made of. All of it is needed.
type Config struct {
	Client  *http.Client     // checks the addresses that it dials
	Private func(error) bool // an error of Client that says that an address is private
	Library Library
	Rules   Rules
	Agent   string // User-Agent of the requests
	MaxFile int64  // bytes of one file or page
	Time    time.Duration
	Synced  func(by string) bool // whether a document of this adder is kept in sync, so that it needs no second reading
	Log     *slog.Logger
}

// Reader reads what links lead to. It is safe for concurrent use.
type Reader struct {
	cfg    Config
	client *http.Client
}

// New returns a Reader.
func New(c Config) *Reader {
	client := *c.Client
	client.Timeout, client.CheckRedirect = 0, follow // the context bounds the time
	return &Reader{cfg: c, client: &client}
}

// Read adds what links lead to to the documents of a message's place and returns the documents. left is what people are
// told of links that could not be read; where none could, that is the error. begin is called before each link.
func (r *Reader) Read(ctx context.Context, m bot.Message, links, tags []string, lang string, begin func(text string)) (files []agent.File, left string, err error) {
	if err := r.cfg.Rules.MembersOnly(ctx, m.Thread, m.User, lang); err != nil {
		return nil, "", err
	}
	if err := bot.CheckTags(tags, lang); err != nil {
		return nil, "", err
	}
	have, err := r.cfg.Library.Documents(ctx, []string{m.Thread.ChannelScope()})
	if err != nil {
		return nil, "", err
	}
	var lines []string
	for _, link := range links[:min(len(links), maxLinks)] {
		if d, ok := r.synced(have, link); ok {
			files = append(files, file(d, name(d)))
			continue
		}
		begin(phrase.Say(lang, "linked.opening", shown(link)))
		f, err := r.add(ctx, m, link, tags, lang)
		switch {
		case err == nil:
			files = append(files, f)
		case ctx.Err() != nil:
			return nil, "", ctx.Err()
		case len(links) == 1:
			return nil, "", err
		default:
			e := bot.AsError(err)
			r.cfg.Log.WarnContext(ctx, "link not read", "thread", m.Thread.Key(), "ref", e.Ref, "err", err)
			lines = append(lines, e.Text(lang))
		}
	}
	if len(links) > maxLinks {
		lines = append(lines, phrase.Say(lang, "linked.over", maxLinks))
	}
	left = strings.Join(lines, "\n\n")
	if len(files) == 0 && left != "" {
		return nil, "", &bot.Error{Code: bot.CodeBadFile, Say: left}
	}
	return files, left, nil
}

// synced returns the document of a source that is kept in sync with a link already.
func (r *Reader) synced(have []rag.Document, link string) (rag.Document, bool) {
	for _, d := range have {
		if d.URL == link && r.cfg.Synced(d.By) {
			return d, true
		}
	}
	return rag.Document{}, false
}

// add fetches one link and adds what it leads to. An error is for people.
func (r *Reader) add(ctx context.Context, m bot.Message, link string, tags []string, lang string) (agent.File, error) {
	got, err := r.get(ctx, link, lang)
	if err != nil {
		return agent.File{}, err
	}
	doc, err := r.cfg.Library.Add(ctx, bot.NewDocument{
		Scope: m.Thread.ChannelScope(), Name: link, As: got.name, URL: link, By: m.Thread.Person(m.User), Tags: tags, Body: bytes.NewReader(got.data),
	})
	if err != nil {
		return agent.File{}, bot.FileError(err, lang, strings.TrimSuffix(got.name, pageExtension), int64(len(got.data)), r.cfg.MaxFile)
	}
	r.cfg.Rules.Audit(ctx, m.Thread, m.User, "document.add", map[string]any{"document": doc.ID, "name": shown(link), "scope": doc.Scope})
	f := file(doc, got.name)
	if strings.HasSuffix(got.name, pageExtension) {
		f.Name = name(doc)
	}
	f.Unread = bot.Unread(doc, lang)
	return f, nil
}

func file(d rag.Document, name string) agent.File {
	return agent.File{Document: d.ID, Name: fit.Visible(name), MIME: d.MIME, Size: d.Size}
}

// name is what people call a page.
func name(d rag.Document) string {
	if t := fit.OneLine(d.Title); t != "" {
		return fit.Clip(t, maxName)
	}
	return shown(d.URL)
}

// refuse returns the error for people of a link.
func refuse(lang, key string, err error, args ...any) *bot.Error {
	return &bot.Error{Code: bot.CodeBadFile, Say: phrase.Say(lang, key, args...), Err: err}
}

// failed is the error for people of a request without an answer.
func (r *Reader) failed(link, lang string, err error) error {
	switch {
	case r.cfg.Private(err):
		return refuse(lang, "linked.private", err, shown(link))
	case errors.Is(err, errLeaves):
		return refuse(lang, "linked.leaves", err, shown(link))
	case errors.Is(err, context.DeadlineExceeded):
		return refuse(lang, "linked.slow", err, shown(link))
	}
	return refuse(lang, "linked.away", err, shown(link))
}
