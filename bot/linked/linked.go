// Package linked reads documents and web pages behind links in messages: "summarise https://…/report.pdf". A
// message requests that in words (see [Asked]); an HTTP client that refuses private addresses fetches the content,
// which becomes a document of the message's channel, like an upload. It must not know any platform, any file
// format beyond its name, or how addresses are checked: client and library are dependencies.
package linked

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"maru/agent"
	"maru/bot"
	"maru/phrase"
	"maru/phrase/fit"
	"maru/rag"
)

// Library stores the documents of channels.
type Library interface {
	Add(ctx context.Context, d bot.NewDocument) (rag.Document, error)
	Documents(ctx context.Context, scopes []string) ([]rag.Document, error)
}

// Rules checks who may add documents, and audits it.
type Rules interface {
	MembersOnly(ctx context.Context, t bot.Thread, u bot.User, lang string) error
	Audit(ctx context.Context, t bot.Thread, u bot.User, what string, detail map[string]any)
}

// Config holds the dependencies of a [Reader], all required.
type Config struct {
	Client  *http.Client     // checks the addresses that it dials
	Private func(error) bool // reports an error of Client that an address is private
	Library Library
	Rules   Rules
	Agent   string // User-Agent of the requests
	MaxFile int64  // bytes of one file or page
	Sees    bool   // pictures go to the model
	Time    time.Duration
	Synced  func(by string) bool // reports whether a document of this adder is kept in sync and needs no second reading
	Log     *slog.Logger
}

// Reader reads the contents of links. It is safe for concurrent use.
type Reader struct {
	cfg    Config
	client *http.Client
}

// New returns a Reader.
func New(c Config) *Reader {
	client := *c.Client
	client.Timeout, client.CheckRedirect = 0, follow // the context limits the time
	return &Reader{cfg: c, client: &client}
}

// Ask is a message that asks to read its links.
type Ask struct {
	Message bot.Message
	Links   []string
	Alone   bool     // the message contains nothing else
	Scopes  []string // scopes of its answer, searched for synchronised documents
	Tags    []string // of the added documents
	Lang    string
	Begin   func(text string) // called before a link is opened
}

// Answer is the result of reading links.
type Answer struct {
	Files  []agent.File
	Unread []agent.File // links that were not read, for the model
	Left   string       // why, for people

	Pictures []Image // for a model that sees
}

// Image is a picture as a server sent it.
type Image struct {
	Name string
	Data []byte
}

// Names returns the names of pictures.
func Names(list []Image) []string {
	out := make([]string, len(list))
	for i, p := range list {
		out[i] = p.Name
	}
	return out
}

// Read adds the contents of links to the documents of a message's channel and returns the documents. A
// synchronised page is read from its document. If nothing could be read, a message without other content gets an
// error; others are answered without. People who may not have links read get that error only for bare links, since
// alerts of apps often contain one.
func (r *Reader) Read(ctx context.Context, a Ask) (Answer, error) {
	have, err := r.cfg.Library.Documents(ctx, a.Scopes)
	if err != nil {
		return Answer{}, err
	}
	var out Answer
	var lines []string
	nothing := a.Alone || only(a.Message.Text)
	for _, link := range a.Links[:min(len(a.Links), maxLinks)] {
		if d, ok := r.synced(have, link); ok {
			out.Files = append(out.Files, file(d, name(d)))
			continue
		}
		f, seen, err := r.add(ctx, a, link)
		var e *bot.Error
		switch {
		case err == nil && seen != nil:
			out.Pictures = append(out.Pictures, *seen)
			continue
		case err == nil:
			out.Files = append(out.Files, f)
			continue
		case ctx.Err() != nil:
			return Answer{}, ctx.Err()
		case len(a.Links) == 1 && !errors.As(err, &e):
			return Answer{}, err
		}
		e = bot.AsError(err)
		if e.Code == bot.CodeMayNot {
			nothing = a.Alone
		}
		if len(a.Links) == 1 && nothing {
			return Answer{}, err
		}
		r.cfg.Log.WarnContext(ctx, "read link", "thread", a.Message.Thread.Key(), "ref", e.Ref, "err", err)
		text := e.Text(a.Lang)
		if e.Code == bot.CodeMayNot {
			text = phrase.Say(a.Lang, "linked.members")
		}
		if !slices.Contains(lines, text) {
			lines = append(lines, text)
		}
		out.Unread = append(out.Unread, agent.File{Name: shown(link), Unread: "link"})
	}
	if len(a.Links) > maxLinks {
		lines = append(lines, phrase.Say(a.Lang, "linked.over", maxLinks))
	}
	out.Left = strings.Join(lines, "\n\n")
	if len(out.Files)+len(out.Pictures) == 0 && nothing {
		return Answer{}, &bot.Error{Code: bot.CodeBadFile, Say: out.Left}
	}
	return out, nil
}

// synced returns the synchronised document of a link, if there is one.
func (r *Reader) synced(have []rag.Document, link string) (rag.Document, bool) {
	for _, d := range have {
		if d.URL == link && r.cfg.Synced(d.By) {
			return d, true
		}
	}
	return rag.Document{}, false
}

// maxAgain limits the time for fetching pictures again, since a run waits for them each time it resumes.
const maxAgain = 15 * time.Second

// Pictures fetches the pictures of a message's links again, for a resumed run, within maxAgain in total. It omits
// unavailable ones. A link with a stored document was not a picture at the first reading.
func (r *Reader) Pictures(ctx context.Context, m bot.Message, links []string, lang string) (out []Image) {
	if r.cfg.Rules.MembersOnly(ctx, m.Thread, m.User, lang) != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, min(r.cfg.Time, maxAgain))
	defer cancel()
	have, err := r.cfg.Library.Documents(ctx, []string{m.Thread.ChannelScope()})
	if err != nil {
		r.cfg.Log.WarnContext(ctx, "find documents of links", "thread", m.Thread.Key(), "err", err)
		return nil
	}
	for _, link := range links[:min(len(links), maxLinks)] {
		read := slices.ContainsFunc(have, func(d rag.Document) bool { return d.URL == link })
		if read || isFileName(link) {
			continue
		}
		if got, err := r.get(ctx, link, lang); err == nil && got.picture {
			out = append(out, Image{Name: got.name, Data: got.data})
		}
	}
	return out
}

// add fetches one link and adds its content; a picture is returned. Errors are for people.
func (r *Reader) add(ctx context.Context, a Ask, link string) (agent.File, *Image, error) {
	m, tags, lang := a.Message, a.Tags, a.Lang
	if err := r.cfg.Rules.MembersOnly(ctx, m.Thread, m.User, lang); err != nil {
		return agent.File{}, nil, err
	}
	if err := bot.CheckTags(tags, lang); err != nil {
		return agent.File{}, nil, err
	}
	a.Begin(phrase.Say(lang, "linked.opening", shown(link)))
	got, err := r.get(ctx, link, lang)
	switch {
	case err != nil:
		return agent.File{}, nil, err
	case got.picture:
		return agent.File{}, &Image{Name: got.name, Data: got.data}, nil
	}
	doc, err := r.cfg.Library.Add(ctx, bot.NewDocument{
		Scope: m.Thread.ChannelScope(), Name: link, As: got.name, URL: link, By: m.Thread.Person(m.User), Tags: tags, Body: bytes.NewReader(got.data),
	})
	if err != nil {
		return agent.File{}, nil, bot.FileError(err, lang, strings.TrimSuffix(got.name, pageExtension), int64(len(got.data)), r.cfg.MaxFile)
	}
	r.cfg.Rules.Audit(ctx, m.Thread, m.User, "document.add", map[string]any{"document": doc.ID, "name": shown(link), "scope": doc.Scope})
	f := file(doc, got.name)
	if strings.HasSuffix(got.name, pageExtension) {
		f.Name = name(doc)
	}
	f.Unread = bot.Unread(doc, lang)
	return f, nil, nil
}

func file(d rag.Document, name string) agent.File {
	return agent.File{Document: d.ID, Name: fit.Visible(name), MIME: d.MIME, Size: d.Size}
}

// name returns the display name of a page.
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

// failed returns the error for people of a request without a response.
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
