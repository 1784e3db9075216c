package planedit

import "testing"

// TestTitlesNameSteps: where no model edits, words of a title name its step; what is unclear changes
// nothing.
func TestTitlesNameSteps(t *testing.T) {
	t.Parallel()
	ko := []string{"영상 편집하기", "썸네일 만들기", "로고 만들기", "뉴스레터 보내기"}
	en := []string{"Edit the video", "Design a logo", "Write the newsletter", "Record a podcast"}
	for _, c := range []struct {
		have        []string
		words, want string
	}{
		{ko, "썸네일은 빼 주세요", "acd"}, {ko, "썸네일 만들기 빼줘", "acd"}, {ko, "영상이랑 로고는 빼줘", "bd"}, {ko, "뉴스레터를 먼저 해줘", "dabc"},
		{ko, "로고를 영상보다 먼저 해줘", "cabd"}, {ko, "로고 대신 명함으로 해줘", "ab<명함>d"}, {ko, "로고 말고 명함", "ab<명함>d"},
		{ko, "자막도 넣어줘", "abcd<자막>"}, {ko, "자막 좀 더 추가해줘", "abcd<자막>"}, {ko, "번역도요", "abcd<번역>"},
		{ko, "로고는 빼고 자막을 넣어줘", "abd<자막>"}, {ko, "음악은 빼고 자막 추가해줘", "abcd<자막>"}, {ko, "음악은 빼줘", "abcd"},
		{ko, "2번은 빼고 진행해줘", "acd"}, {ko, "마지막 거는 필요 없어", "abc"}, {ko, "만들기는 빼줘", "abcd"}, // two titles: neither
		{ko, "로고는 빼지 말아줘", ""}, {ko, "더 간단하게", ""}, {ko, "예산은 10만 원이에요", ""}, {ko, "로고는 왜 필요해?", ""}, {ko, "영상은 유튜브에 올릴 거예요", ""},
		{en, "drop the logo", "acd"}, {en, "please skip the videos", "bcd"}, {en, "a blog instead of the podcast", "abc<blog>"},
		{en, "replace the logo with a banner", "a<banner>cd"}, {en, "do the podcast first", "dabc"}, {en, "drop the logo and add captions", "acd<captions>"},
		{en, "add subtitles please", "abcd<subtitles>"}, {en, "we also need a website", "abcd<website>"}, {en, "swap the video and the logo", "bacd"},
		{en, "remove the music", "abcd"}, {ko, "뉴스레터 대신 블로그에 보내기", "abc<블로그에 보내기>"}, {en, "I don't need the logo", "acd"}, {en, "let's not do the podcast", "abc"}, {en, "don't drop the logo", ""}, {en, "why the logo?", ""}, {en, "keep it cheap", ""},
	} {
		lines, ok := FromTitles(c.words, c.have)
		got := ""
		if ok {
			got = lettered(lines, c.have)
		}
		if got != c.want {
			t.Errorf("%q: %q, want %q", c.words, got, c.want)
		}
	}
}

func FuzzFromTitles(f *testing.F) {
	f.Add("썸네일은 빼고 자막을 넣어줘")
	f.Add("a blog instead of the video and drop 2")
	f.Fuzz(func(t *testing.T, text string) {
		have := []string{"영상 편집", "썸네일 만들기", "Edit the video"}
		lines, ok := FromTitles(text, have)
		seen := map[int]bool{}
		for _, l := range lines {
			if !ok || l.Text == "" || l.From < 0 || l.From > len(have) || l.From > 0 && seen[l.From] {
				t.Fatalf("%q: %+v, %v", text, lines, ok)
			}
			seen[l.From] = true
		}
	})
}
