package turn

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"maru/agent"
	"maru/bot"
	"maru/bot/content"
	"maru/phrase/fit"
	"maru/phrase/intent"
	"maru/rag"
)

// pointed.go resolves references to other people's files: "@maru add this file" below
// somebody's upload.

// pointedFiles returns the files that a message refers to: those it links to; if there are none and it
// carries none, those of the message it quotes, or the last ones shared in its thread. Files that are
// documents of the channel already are returned as such; the others are added to the message.
func (fs *Files) pointedFiles(ctx context.Context, m bot.Message, brought bool) (handed []agent.File, with bot.Message, err error) {
	files := filesOfLinks(m)
	if len(files) == 0 && !brought && intent.PointsAtFile(m.Text) {
		files = fs.filesBefore(ctx, m)
	}
	if len(files) == 0 {
		return nil, m, nil
	}
	docs, err := fs.library.Documents(ctx, []string{m.Thread.ChannelScope()})
	if err != nil {
		return nil, m, fmt.Errorf("read the documents for the files of a thread: %w", err)
	}
	m.Files = slices.Clone(m.Files)
	for _, f := range files {
		at := slices.IndexFunc(docs, func(d rag.Document) bool {
			return d.Source == f.Name && d.Size == f.Size || d.Source == transcriptName(f.Name) && content.KindOf(f.Name, f.MIME) == content.Recording
		})
		if at < 0 {
			m.Files = append(m.Files, f)
			continue
		}
		handed = append(handed, agent.File{Document: docs[at].ID, Name: fit.Visible(docs[at].Source), MIME: docs[at].MIME, Size: docs[at].Size})
	}
	return handed, m, nil
}

// filesBefore returns the files of the message that a message quotes, or of the last message of the
// thread with files.
func (fs *Files) filesBefore(ctx context.Context, m bot.Message) []bot.File {
	for _, q := range m.Quoted {
		if len(q.Files) > 0 {
			return q.Files
		}
	}
	h, ok := fs.adapters[m.Thread.Platform].(bot.Historian)
	if !ok || m.Reach == bot.ReachCommand || m.Thread.ID == m.ID || m.Thread.ID == "" && !m.Thread.Direct {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	past, err := h.History(ctx, m.Thread, m.ID, contextTurns)
	if err != nil && !errors.Is(err, bot.ErrLimited) { // best effort, as in before
		fs.log.InfoContext(ctx, "thread history unavailable", "platform", m.Thread.Platform, "err", err)
		return nil
	}
	for _, p := range slices.Backward(past) {
		if len(p.Files) > 0 && !p.Own {
			return p.Files
		}
	}
	return nil
}
