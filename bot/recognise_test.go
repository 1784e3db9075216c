package bot_test

import (
	"strings"
	"testing"

	"maru/bot/service"
)

// TestTextOfPictures: where the library recognises text, a picture is a document: for a question without a model that
// sees, and always where it is to be kept.
func TestTextOfPictures(t *testing.T) {
	t.Parallel()
	shot := pngBytes(t)
	for name, c := range map[string]struct {
		sees             bool
		text             string
		docs, files, see int
		buttons          int
		want             string
	}{
		"question":         {false, "what does this sign say?", 1, 1, 0, 0, "echo:"},
		"question_seeing":  {true, "what does this sign say?", 0, 0, 1, 0, "echo:"},
		"to_be_kept":       {false, "이 사진 문서에 추가해 줘", 1, 0, 0, 0, "문서에 추가했어요: **sign.png**"},
		"to_be_kept_seing": {true, "please add this", 1, 0, 0, 0, "Added to the documents: **sign.png**"},
		"no_words":         {false, "", 0, 0, 0, 1, "How can I help"},
		"no_words_seeing":  {true, "", 0, 0, 1, 0, "echo: What does this picture show?"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, echo)
			w.stop()
			w.change = func(cfg *service.Config) { cfg.Sees, cfg.Reads = c.sees, true }
			w.start()
			m := w.platform.Message("U1", c.text, w.platform.Thread("C1", ""))
			m.Files = append(m.Files, w.platform.PutFile("sign.png", shot))
			w.deliver(m)
			card := w.replies(m.Thread, 1)[0].Card
			if !strings.Contains(card.Text, c.want) || strings.Contains(card.Text, "can't read") || len(card.Buttons) != c.buttons {
				t.Errorf("reply %q, %d buttons", card.Text, len(card.Buttons))
			}
			files, see := 0, 0
			for _, r := range w.agent.asked() {
				files, see = files+len(r.Files), see+len(r.Pictures)
			}
			if len(w.shelf.docs) != c.docs || files != c.files || see != c.see {
				t.Errorf("%d documents; the agent has %d files and %d pictures", len(w.shelf.docs), files, see)
			}
		})
	}
}
