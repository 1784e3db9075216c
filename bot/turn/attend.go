package turn

import (
	"context"
	"slices"
	"strings"

	"maru/agent"
	"maru/bot"
	"maru/bot/reply"
	"maru/bot/unread"
	"maru/phrase"
	"maru/phrase/fit"
)

// attended is the outcome of reading a message's pictures and recordings.
type attended struct {
	message     bot.Message     // without them; an empty text is replaced by the transcript or a default question
	pictures    []agent.Picture // for the model
	transcripts []agent.File    // documents
	unseen      []bot.File      // for the model by name alone
	spoken      bool            // the message's text is a transcript
	said        string          // notice for the author
}

// attend prepares a message's pictures for the model and transcribes its recordings.
func (fs *Files) attend(ctx context.Context, m bot.Message, lang string, p *reply.Presenter) (a attended, err error) {
	m, other := unread.Split(m)
	a.message = m
	if len(other) == 0 {
		return a, nil
	}
	heard, other, untold, err := fs.transcribeAll(ctx, m, other, lang, p)
	if err != nil {
		return a, err
	}
	var dim []bot.File // pictures to be read by OCR
	switch blank := fit.Blank(m.Text); {
	case !fs.reads || fs.sees && !asksToAdd(m): // a vision model needs no OCR
	case blank: // offered for the documents, as other files without a text
		other, a.message.Files = splitPictures(other, m.Files)
		m = a.message
	default:
		var left string
		if a.transcripts, dim, other, left, err = fs.recognise(ctx, m, other, lang); err != nil {
			return a, err
		}
		untold = strings.TrimSpace(untold + left)
	}
	var missed string
	if len(m.Files)+len(heard)+len(a.transcripts) == 0 && asksToAdd(m) { // nothing was recognised that could be added to the documents
		a.unseen, missed = other, unread.Notice(other, lang)
	} else if a.pictures, a.unseen, missed, err = fs.look(ctx, m.Thread, other, lang); err != nil {
		return a, err
	}
	a.unseen = append(a.unseen, dim...)
	said := []string{untold, missed}
	switch {
	case fit.Blank(m.Text) && len(m.Files) == 0 && len(heard) > 0:
		var shown string
		a.message.Text, shown = spoken(heard, lang)
		a.spoken, said = true, append(said, shown)
	case fit.Blank(m.Text) && len(m.Files) == 0 && len(a.pictures) > 0: // the default question about a picture
		a.message.Text = phrase.Say(lang, "bot.picture.alone")
	case len(heard) > 0:
		kept, left, err := fs.keep(ctx, m, heard, lang)
		if err != nil {
			return a, err
		}
		a.transcripts, said = append(a.transcripts, kept...), append(said, left)
	}
	for _, s := range said {
		if s = strings.TrimSpace(s); s != "" {
			a.said = strings.TrimSpace(a.said + "\n\n" + s)
		}
	}
	return a, nil
}

// splitPictures splits files into pictures and documents.
func splitPictures(files, documents []bot.File) (rest, with []bot.File) {
	with = slices.Clone(documents)
	for _, f := range files {
		if isPicture(f) {
			with = append(with, f)
		} else {
			rest = append(rest, f)
		}
	}
	return rest, with
}
