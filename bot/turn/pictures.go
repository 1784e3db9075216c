package turn

import (
	"context"
	"errors"
	"slices"
	"strings"

	"maru/agent"
	"maru/bot"
	"maru/bot/content"
	"maru/bot/linked"
	"maru/bot/picture"
	"maru/bot/unread"
	"maru/phrase"
	"maru/phrase/fit"
)

// pictures.go passes pictures to a vision model: those that a question carries, quotes or refers to. They are downloaded
// from the platform for each part of a run and not stored.

const (
	maxPictures    = 5        // per question
	maxPictureFile = 25 << 20 // bytes per picture, as posted
)

// withQuoted adds the pictures of quoted messages: a reply to a screenshot is about the screenshot.
func withQuoted(m bot.Message) bot.Message {
	m.Files = slices.Clone(m.Files)
	for _, q := range m.Quoted {
		for _, f := range q.Files {
			known := slices.ContainsFunc(m.Files, func(g bot.File) bool { return g.ID == f.ID })
			if q.Link == "" && !known && content.KindOf(f.Name, f.MIME) == content.Image {
				m.Files = append(m.Files, f)
			}
		}
	}
	return m
}

// look prepares the pictures among files for the model. It also returns the files that the model does not get, and the
// notice about them.
func (fs *Files) look(ctx context.Context, t bot.Thread, files []bot.File, lang string) (pictures []agent.Picture, unseen []bot.File, said string, err error) {
	fetcher, ok := fs.adapters[t.Platform].(bot.Fetcher)
	if !fs.sees || !ok {
		return nil, files, unread.Notice(fs.withoutNoticed(files), lang), nil
	}
	var over, left []string
	for _, f := range files {
		name := fit.Visible(f.Name)
		if content.KindOf(f.Name, f.MIME) != content.Image {
			unseen = append(unseen, f)
			continue
		}
		if len(pictures) == maxPictures {
			unseen, over = append(unseen, f), append(over, name)
			continue
		}
		p, err := fs.picture(ctx, fetcher, f, name, lang)
		switch {
		case err == nil:
			pictures = append(pictures, p)
		case ctx.Err() != nil:
			return nil, nil, "", ctx.Err()
		default:
			e := bot.AsError(err)
			fs.log.WarnContext(ctx, "picture not read", "thread", t.Key(), "ref", e.Ref, "err", err)
			unseen, left = append(unseen, f), append(left, e.Text(lang))
		}
	}
	if len(over) > 0 {
		left = append(left, phrase.Say(lang, "bot.picture.over", maxPictures, namesOf(over)))
	}
	if text := unread.Notice(slices.DeleteFunc(fs.withoutNoticed(unseen), isPicture), lang); text != "" {
		left = append(left, text)
	}
	return pictures, unseen, strings.Join(left, "\n\n"), nil
}

// withoutNoticed returns files without the recordings that already have a notice.
func (fs *Files) withoutNoticed(files []bot.File) []bot.File {
	return slices.DeleteFunc(slices.Clone(files), func(f bot.File) bool {
		return fs.ears != nil && content.KindOf(f.Name, f.MIME) == content.Recording
	})
}

func isPicture(f bot.File) bool { return content.KindOf(f.Name, f.MIME) == content.Image }

// maxNames limits the file names in a notice.
const maxNames = 10

func namesOf(names []string) string {
	if more := len(names) - maxNames; more > 0 {
		return strings.Join(names[:maxNames], ", ") + " …"
	}
	return strings.Join(names, ", ")
}

// recognise adds the text of pictures, read by OCR, to the channel's documents. It also returns the pictures that could not
// be added (dim) with a notice about them, and the other files (rest).
func (fs *Files) recognise(ctx context.Context, m bot.Message, files []bot.File, lang string) (read []agent.File, dim, rest []bot.File, said string, err error) {
	o := offered{Thread: m.Thread, User: m.User, Tags: tagsIn(m), Lang: lang}
	for _, f := range files {
		if f.Name = fit.Visible(f.Name); !isPicture(f) {
			rest = append(rest, f)
			continue
		}
		doc, err := fs.addFile(ctx, o, f)
		switch {
		case err == nil:
			read = append(read, agent.File{Document: doc.ID, Name: f.Name, MIME: doc.MIME, Size: doc.Size})
		case ctx.Err() != nil:
			return nil, nil, nil, "", ctx.Err()
		default:
			dim, said = append(dim, f), said+"\n\n"+fs.notAdded(ctx, o, err)
		}
	}
	return read, dim, rest, said, nil
}

// picture downloads and decodes one picture. Errors are for people.
func (fs *Files) picture(ctx context.Context, from bot.Fetcher, f bot.File, name, lang string) (p agent.Picture, err error) {
	limit := min(maxPictureFile, fs.maxFile)
	data, err := fs.fetchWhole(ctx, from, f, name, lang, limit)
	if err != nil {
		return p, err
	}
	return fs.decoded(ctx, name, data, lang)
}

// decoded returns a picture as a model gets it. An error is for people.
func (fs *Files) decoded(ctx context.Context, name string, data []byte, lang string) (p agent.Picture, err error) {
	select {
	case fs.looking <- struct{}{}: // decoding takes up to hundreds of megabytes: one at a time
	case <-ctx.Done():
		return p, ctx.Err()
	}
	defer func() { <-fs.looking }()
	p, err = fs.fit(ctx, name, data)
	var huge *picture.HugeError
	say := ""
	switch {
	case err == nil:
		return p, nil
	case errors.Is(err, picture.ErrUnknown):
		say = phrase.Say(lang, "bot.picture.unknown", name)
	case errors.Is(err, picture.ErrBroken):
		say = phrase.Say(lang, "bot.picture.broken", name)
	case errors.As(err, &huge) && huge.Pixels == 0:
		say = phrase.Say(lang, "bot.picture.heavy", name)
	case errors.As(err, &huge):
		say = phrase.Say(lang, "bot.picture.huge", name, huge.Pixels/1_000_000)
	default:
		return p, err
	}
	return p, &bot.Error{Code: bot.CodeBadFile, Say: say, Err: err}
}

// fromLinks adds the pictures that links lead to to those of a message. left is what people are told.
func (fs *Files) fromLinks(ctx context.Context, have []agent.Picture, found []linked.Image, lang string) (all []agent.Picture, left string, err error) {
	all = have
	for i, f := range found {
		if len(all) >= maxPictures {
			return all, left + "\n\n" + phrase.Say(lang, "bot.picture.over", maxPictures, namesOf(linked.Names(found[i:]))), nil
		}
		p, err := fs.decoded(ctx, f.Name, f.Data, lang)
		switch {
		case err == nil:
			all = append(all, p)
		case ctx.Err() != nil:
			return nil, "", ctx.Err()
		default:
			e := bot.AsError(err)
			fs.log.WarnContext(ctx, "picture behind a link not read", "ref", e.Ref, "err", err)
			left += "\n\n" + e.Text(lang)
		}
	}
	return all, left, nil
}

// refetchPictures downloads the pictures of a resumed run's question again. Pictures deleted since are left out: the run has
// seen them.
func (fs *Files) refetchPictures(ctx context.Context, m bot.Message, lang string) []agent.Picture {
	_, m, err := fs.gather(ctx, m)
	if err != nil {
		fs.log.WarnContext(ctx, "pictures of a question not fetched again", "thread", m.Thread.Key(), "err", err)
		return nil
	}
	_, files := unread.Split(m)
	pictures, _, _, err := fs.look(ctx, m.Thread, slices.DeleteFunc(files, func(f bot.File) bool { return !isPicture(f) }), lang)
	if err != nil {
		return nil // ctx ends the run anyway
	}
	if links, _ := linked.Asked(m.Text); fs.web != nil && fs.sees && len(links) > 0 {
		pictures, _, _ = fs.fromLinks(ctx, pictures, fs.web.Pictures(ctx, m, links, lang), lang)
	}
	return pictures
}

// blindText returns the notice that the model did not see a question's pictures.
func blindText(pictures []agent.Picture, lang string) string {
	names := make([]string, len(pictures))
	for i, p := range pictures {
		names[i] = p.Name
	}
	return phrase.Say(lang, "bot.picture.blind", namesOf(names))
}
