package turn

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"maru/agent"
	"maru/bot"
	"maru/bot/approval"
	"maru/bot/reply"
	"maru/phrase"
	"maru/phrase/fit"
	"maru/phrase/pattern"
	"maru/rag"
)

// Words of requests to add files to the channel's documents. The second kind means something else beside a request to
// work on a text: "요약해서 올려줘" posts a summary, and "translate this and keep it formal" is about one; "save the summary" is not.
var (
	addWords  = pattern.New(`(?i)\b(add|index|ingest|learn|upload|import)\b|추가|등록|색인|학습|넣어|인덱싱`)
	keepWords = pattern.New(`(?i)\b(save|store|keep|remember)\b|저장|올려|올릴|기억|보관`)
	workWords = pattern.New(`(?i)\b(summari[sz]e|(?:make|write|give|send|create|draft|prepare)\b.{0,30}\bsummary|an?\s+(?:\w+\s+)?summary|translate|explain|compare|analy[sz]e|extract|proofread|rewrite)\b|(요약|번역|정리|설명|비교|검토|리뷰|분석|추출)\s*(좀\s*)?(해|하고|하여|부탁)`)
)

// handedFiles returns those files of a message that are documents of its channel already, and the
// message with the other files. Files removed since are left out.
func (fs *Files) handedFiles(ctx context.Context, m bot.Message) (files []agent.File, rest bot.Message, err error) {
	rest = m
	rest.Files = slices.DeleteFunc(slices.Clone(m.Files), func(f bot.File) bool { return f.Document != "" })
	if len(rest.Files) == len(m.Files) {
		return nil, m, nil
	}
	docs, err := fs.library.Documents(ctx, []string{m.Thread.ChannelScope()})
	if err != nil {
		return nil, m, fmt.Errorf("read the documents that came with a message: %w", err)
	}
	for _, f := range m.Files {
		at := slices.IndexFunc(docs, func(d rag.Document) bool { return f.Document != "" && d.ID == f.Document })
		if at >= 0 {
			files = append(files, agent.File{Document: f.Document, Name: fit.Visible(docs[at].Source), MIME: docs[at].MIME, Size: docs[at].Size})
		}
	}
	return files, rest, nil
}

// gather collects the files that a message carries, quotes or refers to. It returns those that are documents of its
// channel already, and the message with the others.
func (fs *Files) gather(ctx context.Context, m bot.Message) (handed []agent.File, all bot.Message, err error) {
	handed, m, err = fs.handedFiles(ctx, m)
	if err != nil {
		return nil, m, err
	}
	pointed, m, err := fs.pointedFiles(ctx, m, len(m.Files)+len(handed) > 0)
	return append(handed, pointed...), withQuoted(m), err
}

// takeFiles adds a message's files to the channel's documents if the message has text, and otherwise returns a button
// that does so. missing is the notice about files that could not be added.
func (fs *Files) takeFiles(ctx context.Context, m bot.Message, handed []agent.File, lang string, p *reply.Presenter) (files []agent.File, offer []bot.Button, missing string, err error) {
	if len(m.Files) == 0 {
		return handed, nil, "", nil
	}
	m.Files = slices.Clone(m.Files)
	for i := range m.Files { // names are shown to people and models: make bidirectional control characters visible
		m.Files[i].Name = fit.Visible(m.Files[i].Name)
	}
	if fit.Blank(m.Text) { // a text beside a file refers to it
		if fs.rules.MembersOnly(ctx, m.Thread, m.User, lang) != nil {
			return handed, nil, "", nil // do not offer what would be refused
		}
		buttons, err := fs.offerFiles(ctx, m, lang, p)
		return handed, buttons, "", err
	}
	files, missing, err = fs.addFiles(ctx, offered{Thread: m.Thread, User: m.User, Files: m.Files, Tags: tagsIn(m), Lang: lang}, func(f bot.File) {
		p.Event(agent.Event{Kind: agent.EventStatus, Text: phrase.Say(lang, "bot.files.reading") + f.Name})
	})
	if err != nil {
		return nil, nil, "", err
	}
	return append(handed, files...), nil, missing, nil
}

// addFiles adds files one by one and returns those added. A file that fails does not affect the others: left
// is the notice about it. If all fail, the error says why.
func (fs *Files) addFiles(ctx context.Context, o offered, begin func(bot.File)) (files []agent.File, left string, err error) {
	for _, f := range o.Files {
		begin(f)
		doc, err := fs.addFile(ctx, o, f)
		if err == nil {
			files = append(files, agent.File{Document: doc.ID, Name: f.Name, MIME: doc.MIME, Size: doc.Size, Unread: bot.Unread(doc, o.Lang)})
			continue
		}
		if ctx.Err() != nil || bot.AsError(err).Code == bot.CodeMayNot || len(o.Files) == 1 { // the same error applies to the other files
			return nil, "", err
		}
		left += "\n\n" + fs.notAdded(ctx, o, err)
	}
	if len(files) == 0 && left != "" {
		return nil, "", &bot.Error{Code: bot.CodeBadFile, Say: strings.TrimSpace(left)}
	}
	return files, left, nil
}

// notAdded logs why a file was not added, and returns the notice about it.
func (fs *Files) notAdded(ctx context.Context, o offered, err error) string {
	e := bot.AsError(err)
	fs.log.WarnContext(ctx, "file not added", "thread", o.Thread.Key(), "ref", e.Ref, "err", err)
	return e.Text(o.Lang)
}

// addFile downloads one file from its platform and adds it to the documents of its channel.
func (fs *Files) addFile(ctx context.Context, o offered, f bot.File) (rag.Document, error) {
	fetcher, ok := fs.adapters[o.Thread.Platform].(bot.Fetcher)
	if !ok {
		return rag.Document{}, &bot.Error{Code: bot.CodeNoFile}
	}
	return fs.store(ctx, o, f, func(put func(io.Reader) error) error {
		if f.Size > fs.maxFile {
			return bot.TooBig(o.Lang, f.Name, f.Size, fs.maxFile)
		}
		return fs.fetchFile(ctx, fetcher, f, o.Lang, put)
	})
}

// store adds a file to the documents of its channel. bring provides the content.
func (fs *Files) store(ctx context.Context, o offered, f bot.File, bring func(put func(io.Reader) error) error) (doc rag.Document, err error) {
	t, u := o.Thread, o.User
	if err := fs.rules.MembersOnly(ctx, t, u, o.Lang); err != nil {
		return rag.Document{}, err
	}
	if err := bot.CheckTags(o.Tags, o.Lang); err != nil {
		return rag.Document{}, err
	}
	err = bring(func(body io.Reader) (err error) {
		doc, err = fs.library.Add(ctx, bot.NewDocument{Scope: t.ChannelScope(), Name: f.Name, MIME: f.MIME, By: t.Person(u), Tags: o.Tags, Body: body})
		return err
	})
	if err != nil {
		return rag.Document{}, err
	}
	fs.rules.Audit(ctx, t, u, "document.add", map[string]any{"document": doc.ID, "name": f.Name, "scope": doc.Scope})
	return doc, nil
}

// withoutAgent returns the answer to a message that needs no agent: an empty one, or one that only asks to add files.
func withoutAgent(m bot.Message, files []agent.File, lang string) (string, bool) {
	switch {
	case len(files) > 0 && asksToAdd(m):
		return addedText(files, tagsIn(m), m.Thread, lang), true
	case len(files) == 0 && fit.Blank(m.Text):
		return (&bot.Error{Code: bot.CodeEmpty}).Text(lang), true
	}
	return "", false
}

func asksToAdd(m bot.Message) bool {
	return !strings.ContainsAny(m.Text, "?？") && (addWords.MatchString(m.Text) || keepWords.MatchString(m.Text) && !workWords.MatchString(m.Text))
}

// tagsIn returns the tags that a message gives to its files ("add this tag:hr"), or nil if it names none:
// an existing document then keeps its tags.
func tagsIn(m bot.Message) []string { return rag.Tags(rag.Narrow(rag.Query{Text: m.Text}, nil).Tags) }

// addedText says what was added and who finds it from now on.
func addedText(files []agent.File, tags []string, t bot.Thread, lang string) string {
	names := make([]string, len(files))
	for i, f := range files {
		names[i] = "**" + f.Name + "**"
		for _, t := range tags {
			names[i] += " #" + fit.Visible(t)
		}
	}
	text := phrase.Say(lang, "bot.files.added", strings.Join(names, ", ")) + "\n"
	if t.Direct {
		text += phrase.Say(lang, "bot.files.found_by_you")
	} else {
		text += phrase.Say(lang, "bot.files.found_here", strings.ReplaceAll(files[0].Name, "`", "'"))
	}
	for _, f := range files {
		if f.Unread != "" {
			text += "\n\n" + f.Unread
		}
	}
	return text
}

// offered is the payload of an "Add to documents" button.
type offered struct {
	Thread bot.Thread `json:"thread"`
	User   bot.User   `json:"user"`
	Files  []bot.File `json:"files"`
	Tags   []string   `json:"tags,omitempty"`
	Lang   string     `json:"lang"`
}

func readOffered(row bot.Approval) (o offered, err error) {
	if bot.Digest(row.Payload) != row.Digest {
		return offered{}, fmt.Errorf("approval %s: %w", row.ID, approval.ErrTampered)
	}
	if err := json.Unmarshal(row.Payload, &o); err != nil {
		return offered{}, fmt.Errorf("approval %s: %w", row.ID, err)
	}
	return o, nil
}

// offerFiles stores an offer and returns its button.
func (fs *Files) offerFiles(ctx context.Context, m bot.Message, lang string, p *reply.Presenter) ([]bot.Button, error) {
	payload, err := json.Marshal(offered{Thread: m.Thread, User: m.User, Files: m.Files, Tags: tagsIn(m), Lang: lang})
	if err != nil {
		return nil, fmt.Errorf("encode offer: %w", err)
	}
	accept, err := fs.offers.Offer(ctx, p.Lease, m, approval.KindFiles, p.Run, payload)
	if err != nil {
		return nil, err
	}
	accept.Label = phrase.Say(lang, "bot.files.add")
	return []bot.Button{accept}, nil
}

// addOffered adds the files of an accepted offer and returns the confirmation.
func (fs *Files) addOffered(ctx context.Context, o offered) string {
	files, left, err := fs.addFiles(ctx, o, func(bot.File) {})
	if err != nil {
		return fs.notAdded(ctx, o, err)
	}
	return addedText(files, o.Tags, o.Thread, o.Lang) + left
}

// unread adds to the answer a notice about files that could not be read.
func (x *extras) unread(files []agent.File) {
	for _, f := range files {
		if f.Unread != "" {
			x.missing += "\n\n" + f.Unread
		}
	}
}
