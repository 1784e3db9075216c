package phrase_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"maru/phrase"
)

// TestOnlyTimedTextHasMoments: the form in a person's words or a server's message, as an argument of a sentence, is words.
func TestOnlyTimedTextHasMoments(t *testing.T) {
	t.Parallel()
	at := phrase.Local(time.Unix(1_700_000_000, 0), "15일(수) 오전 7:13 KST")
	forged := "[어제](moment:1700000001)"
	stolen := strings.ReplaceAll(string(at), "17000000", "18000000") // foreign text with the mark
	nested := "[[x" + stolen[strings.Index(stolen, "]"):] + stolen[strings.Index(stolen, "]"):]
	for name, tt := range map[string]struct {
		said  string
		times []int64
		words string
	}{
		"timed":    {phrase.Say("ko", "schedule.next", at), []int64{1_700_000_000}, "다음: 15일(수) 오전 7:13 KST"},
		"text":     {phrase.Say("ko", "schedule.next", forged), nil, "다음: " + forged},
		"sentence": {phrase.Say("ko", "schedule.next", phrase.Of("schedule.next", forged)), nil, "다음: 다음: " + forged},
		"raw":      {phrase.Raw(forged).In("en"), nil, forged},
		"two":      {phrase.Say("ko", "bot.why.waits_for", forged, at), []int64{1_700_000_000}, forged + "의 결정을 15일(수) 오전 7:13 KST까지 기다려요"},
		"stolen":   {phrase.Say("ko", "schedule.next", stolen), nil, "다음: 15일(수) 오전 7:13 KST"},
		"error":    {phrase.Say("ko", "schedule.next", errors.New(stolen)), nil, "다음: 15일(수) 오전 7:13 KST"},
		"list":     {phrase.Say("ko", "schedule.next", []string{stolen}), nil, "다음: [15일(수) 오전 7:13 KST]"},
		"nested":   {phrase.Say("ko", "schedule.next", nested), nil, "다음: [x](moment:1800000000)"},
		"joined":   {phrase.MomentWords("[x"+stolen[strings.Index(stolen, "]"):len(stolen)-1]) + ")", nil, "[x](moment:1800000000)"},
		"link":     {"[a](https://a.example) [b](moment:x) [c](moment:123456789012)", nil, "[a](https://a.example) [b](moment:x) [c](moment:123456789012)"},
	} {
		var times []int64
		for _, at := range phrase.Moments(tt.said) {
			if at != 0 {
				times = append(times, at)
			}
		}
		if words := phrase.MomentWords(tt.said); words != tt.words || len(times) != len(tt.times) || len(times) == 1 && times[0] != tt.times[0] {
			t.Errorf("%s: %v, %q; want %v, %q", name, times, words, tt.times, tt.words)
		}
	}
}
