package bot_test

import (
	"testing"
)

// TestNoteIsForgottenWithoutItsPlace: a request to delete "the note about" something shows the channel's notes about it, and is answered
// like any message where there is none. Nothing is deleted without a click.
func TestNoteIsForgottenWithoutItsPlace(t *testing.T) {
	t.Parallel()
	w := newWorld(t, echo)
	in, n := w.platform.Thread("C1", "t1"), 0
	for _, c := range []struct {
		says    string
		buttons int
	}{
		{"remember for this channel: the stand-up is at 10", 1},
		{"이 채널에 기억해줘: 배포는 목요일 오후 4시", 1},
		{"forget the note about the stand-up", 1},
		{"please delete the note that says the stand-up is at 10", 1},
		{"배포 메모 지워줘", 1},
		{"배포에 대한 메모는 이제 삭제해 주세요", 1},
		{"forget the note about the offsite", 0},
		{"고객사 메모 지워줘", 0},
		{"delete the note about the stand-up from the wiki page", 0},
		{"remove the notes column from the stand-up table", 0},
		{"the note about the stand-up is wrong", 0},
		{"배포 메모 보여줘", 0},
		{"지난 배포 회의 메모 요약해줘", 0},
		{"메모 지워줘", 0},
	} {
		w.say(c.says, in)
		n++
		if card := w.replies(in, n)[n-1].Card; len(card.Buttons) != c.buttons || len(w.noted()) > 2 {
			t.Errorf("%s: %+v", c.says, card)
		}
	}
	if len(w.noted()) != 2 {
		t.Errorf("%q", w.noted())
	}
}
