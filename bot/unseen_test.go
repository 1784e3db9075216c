package bot_test

import (
	"strings"
	"testing"

	"maru/bot"
)

// TestWhatNobodyReadsIsNamed: a picture or a recording keeps no question from its answer; the person and the model are
// told of it, and no button offers to add it.
func TestWhatNobodyReadsIsNamed(t *testing.T) {
	t.Parallel()
	voice := bot.File{ID: "v", Name: "voice-message.ogg", MIME: "audio/ogg"}
	photo := bot.File{ID: "p", Name: "IMG_1.HEIC"}
	for name, c := range map[string]struct {
		text  string
		files []bot.File
		runs  int
		want  []string
	}{
		"a_voice_message":      {"", []bot.File{voice}, 0, []string{"can't hear recordings such as voice-message.ogg"}},
		"a_photo_to_be_kept":   {"please add this", []bot.File{photo}, 0, []string{"pictures such as IMG_1.HEIC"}},
		"a_question_with_both": {"when is lunch?", []bot.File{voice, photo}, 1, []string{"echo: when is lunch?", "recordings such as voice-message.ogg", "pictures such as IMG_1.HEIC"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, echo)
			m := w.platform.Message("U1", c.text, w.platform.Thread("C1", ""))
			m.Files = c.files
			w.deliver(m)
			card := w.replies(m.Thread, 1)[0].Card
			for _, s := range c.want {
				if !strings.Contains(card.Text, s) {
					t.Errorf("reply %q has no %q", card.Text, s)
				}
			}
			asked := w.agent.asked()
			if len(asked) != c.runs || len(card.Buttons) != 0 {
				t.Fatalf("%d runs, buttons %+v", len(asked), card.Buttons)
			}
			if c.runs > 0 && (len(asked[0].Unseen) != 2 || asked[0].Unseen[0].Unread != "recording" || asked[0].Unseen[1].Unread != "picture") {
				t.Errorf("the agent is told of %+v", asked[0].Unseen)
			}
		})
	}
}
