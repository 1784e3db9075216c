package bot_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/jpeg"
	"image/png"
	"slices"
	"strings"
	"testing"

	"maru/agent"
	"maru/bot"
	"maru/bot/service"
)

func seeing(t *testing.T, think func(context.Context, agent.Request, agent.Sink) (agent.Result, error)) *world {
	t.Helper()
	w := newWorld(t, think)
	w.stop()
	w.change = func(c *service.Config) { c.Sees = true }
	w.start()
	return w
}

func pngBytes(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 30, 20))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func jpegBytes(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, 30, 20)), nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestPicturesOfAQuestion: a model that sees gets the pictures of a question, of what it quotes and of what it speaks
// of, a bounded number of them; what is left out or cannot be opened is named, and the rest answered.
func TestPicturesOfAQuestion(t *testing.T) {
	t.Parallel()
	whole, photo := pngBytes(t), jpegBytes(t)
	many := func(n int, data []byte) (out []shownFile) {
		for i := range n {
			out = append(out, shownFile{fmt.Sprintf("shot-%02d.png", i+1), data})
		}
		return out
	}
	for name, c := range map[string]struct {
		text     string
		files    []shownFile
		quoted   []shownFile
		earlier  []shownFile // of a message above in the thread
		pictures []string    // that the agent sees
		unseen   int
		want     []string // of the reply
	}{
		"one":                 {text: "what is wrong here?", files: []shownFile{{"error.png", whole}}, pictures: []string{"error.png"}, want: []string{"echo: what is wrong here?"}},
		"korean":              {text: "이 오류는 왜 나요?", files: []shownFile{{"오류 화면.png", whole}}, pictures: []string{"오류 화면.png"}, want: []string{"echo: 이 오류는 왜 나요?"}},
		"no_words":            {files: []shownFile{{"photo.jpg", photo}}, pictures: []string{"photo.jpg"}, want: []string{"echo: What does this picture show?"}},
		"beside_a_document":   {text: "do these agree?", files: []shownFile{{"plan.md", []byte("# Plan")}, {"plan.png", whole}}, pictures: []string{"plan.png"}, want: []string{"echo: do these agree?"}},
		"beside_a_recording":  {text: "which one?", files: []shownFile{{"call.ogg", []byte("OggS")}, {"a.png", whole}}, pictures: []string{"a.png"}, unseen: 1, want: []string{"recordings such as call.ogg"}},
		"reply_to_a_picture":  {text: "what does it say?", quoted: []shownFile{{"notice.png", whole}}, pictures: []string{"notice.png"}, want: []string{"echo: what does it say?"}},
		"picture_above":       {text: "what does this screenshot show?", earlier: []shownFile{{"above.png", whole}}, pictures: []string{"above.png"}, want: []string{"echo:"}},
		"picture_above_korea": {text: "위에 올린 사진 설명해 줘", earlier: []shownFile{{"above.png", whole}}, pictures: []string{"above.png"}, want: []string{"echo:"}},
		"not_spoken_of":       {text: "when is lunch?", earlier: []shownFile{{"above.png", whole}}, want: []string{"echo: when is lunch?"}},
		"fifty":               {text: "compare them", files: many(50, whole), pictures: []string{"shot-01.png", "shot-02.png", "shot-03.png", "shot-04.png", "shot-05.png"}, unseen: 45, want: []string{"echo: compare them", "up to 5 pictures", "shot-06.png", "…"}},
		"broken":              {text: "what is it?", files: []shownFile{{"cut.jpg", photo[:len(photo)/2]}, {"a.png", whole}}, pictures: []string{"a.png"}, unseen: 1, want: []string{"echo: what is it?", "cut.jpg: the file seems to be damaged"}},
		"broken_alone":        {text: "이게 뭐예요?", files: []shownFile{{"cut.jpg", photo[:len(photo)/2]}}, unseen: 1, want: []string{"echo: 이게 뭐예요?", "cut.jpg 그림을 열 수 없어요"}},
		"unknown_format":      {text: "what is it?", files: []shownFile{{"IMG.HEIC", []byte("\x00\x00\x00\x18ftypheic")}}, unseen: 1, want: []string{"can't open the picture IMG.HEIC", "PNG or JPEG"}},
		"huge_dimensions":     {text: "what is it?", files: []shownFile{{"map.png", huge()}}, unseen: 1, want: []string{"map.png is too large to open", "50 million pixels"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := seeing(t, echo)
			put := func(list []shownFile) (out []bot.File) {
				for _, f := range list {
					out = append(out, w.platform.PutFile(f.name, f.data))
				}
				return out
			}
			w.platform.SetHistory(bot.Message{User: bot.User{ID: "U2", Name: "kim"}, Text: "look", Files: put(c.earlier)})
			m := w.platform.Message("U1", c.text, w.platform.Thread("C1", "root"))
			m.Files = put(c.files)
			if c.quoted != nil {
				m.Quoted = []bot.Quote{{Author: "Kim", Files: put(c.quoted)}}
			}
			w.deliver(m)
			card := w.replies(m.Thread, 1)[0].Card
			for _, s := range c.want {
				if !strings.Contains(card.Text, s) {
					t.Errorf("reply %q has no %q", card.Text, s)
				}
			}
			asked := w.agent.asked()
			if len(asked) != 1 {
				t.Fatalf("%d runs", len(asked))
			}
			var names []string
			for _, p := range asked[0].Pictures {
				names = append(names, p.Name)
				if _, _, err := image.Decode(bytes.NewReader(p.Data)); err != nil {
					t.Errorf("%s: %v", p.Name, err)
				}
			}
			if !slices.Equal(names, c.pictures) || len(asked[0].Unseen) != c.unseen {
				t.Errorf("the agent sees %q and is told of %+v", names, asked[0].Unseen)
			}
		})
	}
}

type shownFile struct {
	name string
	data []byte
}

// huge returns the head of a PNG of 30,000 by 30,000 pixels, which is all that is read of it.
func huge() []byte {
	chunk := append([]byte("IHDR"), 0, 0, 0x75, 0x30, 0, 0, 0x75, 0x30, 8, 6, 0, 0, 0)
	out := append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\r"), chunk...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(chunk))
}

// TestPicturesThatTheModelDidNotSee: the person is told when the model that answered could not look.
func TestPicturesThatTheModelDidNotSee(t *testing.T) {
	t.Parallel()
	w := seeing(t, func(_ context.Context, _ agent.Request, sink agent.Sink) (agent.Result, error) {
		sink(agent.Event{Kind: agent.EventCustom, Name: agent.CustomUnseen})
		return agent.Result{Text: "Ask the desk."}, nil
	})
	m := w.platform.Message("U1", "what is this?", w.platform.Thread("C1", ""))
	m.Files = []bot.File{w.platform.PutFile("a.png", pngBytes(t))}
	w.deliver(m)
	if text := w.replies(m.Thread, 1)[0].Card.Text; !strings.HasPrefix(text, "Ask the desk.") || !strings.Contains(text, "couldn't look at a.png") {
		t.Errorf("reply %q", text)
	}
}
