package intent_test

import (
	"testing"

	"maru/phrase/intent"
)

// TestWishesToForgetOneThing: the words name what their author had said of themselves, and the record that means it is told from others.
func TestWishesToForgetOneThing(t *testing.T) {
	t.Parallel()
	type fact struct{ subject, value, quote string }
	work, birthday := fact{"직장", "부산", "저는 부산에서 일해요"}, fact{"생일", "5월 3일", "내 생일은 5월 3일이야"}
	diet, sweet := fact{"저는 채식주의자야", "저는 채식주의자야", "저는 채식주의자라고 기억해주세요"}, fact{"라면", "좋아함", "저는 라면을 좋아해요"}
	vegan := fact{"I'm a vegetarian", "I'm a vegetarian", "remember that I'm a vegetarian"}
	for text, want := range map[string]fact{
		"부산에서 일한다는 거 잊어줘": work, "내가 부산에서 일하는 거 이제 잊어 주세요": work, "제 직장 저장된 거 지워줘": work, "내 직장에 대한 기억 삭제해 줄 수 있어?": work,
		"내 생일 기억한 거 지워줘": birthday, "제 생일이 5월 3일이라는 건 잊어주세요": birthday, "please delete my 생일 from your memory": birthday, "forget what you know about my 생일": birthday,
		"제가 채식주의자인거 이제 잊어주세요": diet, "채식주의자라는 사실 지워줘": diet, "라면 좋아한다는 거 잊어줘": sweet,
		"I'm not vegetarian anymore, forget that please": vegan, "forget that I'm a vegetarian": vegan,
	} {
		about, named, ok := intent.ForgetsOne(text)
		if !ok {
			t.Errorf("%q is no wish to forget", text)
			continue
		}
		for _, f := range []fact{work, birthday, diet, sweet, vegan} {
			if means := intent.MeansFact(about, named, f.subject, f.value, f.quote); means != (f == want) {
				t.Errorf("%q (%q) means %v: %v", text, about, f, means)
			}
		}
	}
	for _, text := range []string{
		"내가 부산에서 일한다는 거 잊지 마", "내 생일 기억한 거 지우지 마", "내 생일 기억해?", "부산에서 일한다는 거 잊어버렸어", "이 파일 지워줘", "비밀번호를 잊어버렸어요", "내 생일 지워줘", "forget it",
		"don't forget that I work in Busan", "Don't remember I work in Busan?", "I forgot that I work there", "delete my account",
	} {
		if about, _, ok := intent.ForgetsOne(text); ok {
			t.Errorf("%q asks to forget %q", text, about)
		}
	}
}
