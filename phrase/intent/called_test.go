package intent_test

import (
	"testing"

	"maru/phrase/intent"
)

// TestCalls: a schedule is surely meant by its words, and only likely by beginnings of them.
func TestCalls(t *testing.T) {
	t.Parallel()
	const no, likely, sure = 0, 1, 2
	for _, c := range []struct {
		text, about string
		want        int
	}{
		{"format disk", "form", likely}, {"login page review", "log", likely}, {"order the planet poster", "plan", likely}, {"send invoices", "invoice", sure},
		{"send the invoice", "invoices", sure}, {"check the boxes", "box", sure}, {"reviewing PRs", "review", likely}, {"PR review", "pr review", sure}, {"catalog", "log", no},
		{"fix the bus", "bu", likely}, {"it's Kim's birthday", "kim birthday", sure}, {"send the form to Lee", "form", sure}, {"send the form", "disk form", no},
		{"약속 장소 정하기", "약", likely}, {"약 먹기", "약", sure}, {"약 먹기", "약 먹는", likely}, {"배경 화면", "배포", no}, {"약을 챙기기", "약", sure}, {"회의실 예약 확인", "회의", likely}, {"회의에 자료 가져가기", "회의", sure},
		{"코드리뷰 하기", "리뷰", sure}, {"코드리뷰를 끝내기", "리뷰", sure}, {"리뷰어 정하기", "리뷰", likely}, {"회고 준비", "회고 준비", sure}, {"회고 준비", "점심", no},
		{"", "회고", no}, {"회고", "", no}, {"회고", "…", no},
	} {
		l, s := intent.Calls(c.text, c.about)
		got := no
		if l {
			got++
		}
		if s {
			got++
		}
		if got != c.want || s && !l {
			t.Errorf("%q by %q: likely %v, sure %v, want %d", c.text, c.about, l, s, c.want)
		}
	}
}
