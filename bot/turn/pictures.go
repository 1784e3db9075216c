package turn

import (
	"context"
	"errors"
	"slices"
	"strings"

	"maru/agent"
	"maru/bot"
	"maru/bot/content"
	"maru/bot/picture"
	"maru/phrase"
	"maru/phrase/fit"
)

// pictures.go hands the pictures of a question to a model that sees: those that came with it, that it quotes, and that
// it speaks of. They are fetched from the platform for each part of a run and kept nowhere.

const (
	maxPictures    = 5        // of a question
	maxPictureFile = 25 << 20 // bytes of one, as it was posted
)

// withQuoted adds the pictures of the messages that a message quotes: a reply to a screenshot is about it.
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

// look returns the pictures among files as a model gets them, the files that nobody sees, and what people are told
// of these.
func (fs *Files) look(ctx context.Context, t bot.Thread, files []bot.File, lang string) (pictures []agent.Picture, unseen []bot.File, said string, err error) {
	fetcher, ok := fs.adapters[t.Platform].(bot.Fetcher)
	if !fs.sees || !ok {
		return nil, files, unseenText(fs.unheard(files), lang), nil
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
	if text := unseenText(slices.DeleteFunc(fs.unheard(unseen), isPicture), lang); text != "" {
		left = append(left, text)
	}
	return pictures, unseen, strings.Join(left, "\n\n"), nil
}

// unheard returns files without the recordings of which it was told already why they could not be heard.
func (fs *Files) unheard(files []bot.File) []bot.File {
	return slices.DeleteFunc(slices.Clone(files), func(f bot.File) bool {
		return fs.ears != nil && content.KindOf(f.Name, f.MIME) == content.Recording
	})
}

func isPicture(f bot.File) bool { return content.KindOf(f.Name, f.MIME) == content.Image }

// maxNames bounds the files that a sentence names.
const maxNames = 10

func namesOf(names []string) string {
	if more := len(names) - maxNames; more > 0 {
		return strings.Join(names[:maxNames], ", ") + " …"
	}
	return strings.Join(names, ", ")
}

// recognise adds the text of pictures to the documents of the place. People are told why of those that are left, the dim ones.
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

// picture fetches one picture. An error is for people.
func (fs *Files) picture(ctx context.Context, from bot.Fetcher, f bot.File, name, lang string) (p agent.Picture, err error) {
	limit := min(maxPictureFile, fs.maxFile)
	data, err := fs.fetchWhole(ctx, from, f, name, lang, limit)
	if err != nil {
		return p, err
	}
	fs.looking <- struct{}{} // a decoded picture takes hundreds of megabytes: one at a time
	defer func() { <-fs.looking }()
	p, err = picture.Fit(name, data)
	if err == nil {
		return p, nil
	}
	say := "bot.picture.broken"
	switch {
	case errors.Is(err, picture.ErrUnknown):
		say = "bot.picture.unknown"
	case errors.Is(err, picture.ErrHuge):
		return p, &bot.Error{Code: bot.CodeBadFile, Say: phrase.Say(lang, "bot.picture.huge", name, picture.MaxPixels/1_000_000), Err: err}
	}
	return p, &bot.Error{Code: bot.CodeBadFile, Say: phrase.Say(lang, say, name), Err: err}
}

// lookAgain fetches the pictures of a question whose run goes on. One that is gone is left out: the run saw it before.
func (fs *Files) lookAgain(ctx context.Context, m bot.Message, lang string) []agent.Picture {
	_, m, err := fs.gather(ctx, m)
	if err != nil {
		fs.log.WarnContext(ctx, "pictures of a question not fetched again", "thread", m.Thread.Key(), "err", err)
		return nil
	}
	_, files := seen(m)
	pictures, _, _, err := fs.look(ctx, m.Thread, slices.DeleteFunc(files, func(f bot.File) bool { return !isPicture(f) }), lang)
	if err != nil {
		return nil // the run ends with ctx
	}
	return pictures
}

// blindText says that the model did not see the pictures of a question.
func blindText(pictures []agent.Picture, lang string) string {
	names := make([]string, len(pictures))
	for i, p := range pictures {
		names[i] = p.Name
	}
	return phrase.Say(lang, "bot.picture.blind", namesOf(names))
}
