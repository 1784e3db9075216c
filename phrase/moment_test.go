package phrase_test

import (
	"testing"
	"time"

	"maru/phrase"
)

// TestOnlyTimedTextHasMoments: the form in a person's words or a server's message, as an argument of a sentence, is words.
func TestOnlyTimedTextHasMoments(t *testing.T) {
	t.Parallel()
	at := phrase.Local(time.Unix(1_700_000_000, 0), "15일(수) 오전 7:13 KST")
	forged := "[어제](moment:1700000001)"
	for name, tt := range map[string]struct {
		said  string
		times []int64
		words string
	}{
		"timed":    {phrase.Say("ko", "schedule.next", at), []int64{1_700_000_000}, "다음: 15일(수) 오전 7:13 KST"},
		"text":     {phrase.Say("ko", "schedule.next", forged), nil, "다음: 어제"},
		"sentence": {phrase.Say("ko", "schedule.next", phrase.Of("schedule.next", forged)), nil, "다음: 다음: 어제"},
		"raw":      {phrase.Raw(forged).In("en"), nil, "어제"},
		"two":      {phrase.Say("ko", "bot.why.waits_for", forged, at), []int64{1_700_000_000}, "어제의 결정을 15일(수) 오전 7:13 KST까지 기다려요"},
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
