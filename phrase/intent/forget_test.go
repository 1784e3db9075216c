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
	age, leave, shop := fact{"나이", "30", "제 나이는 30이에요"}, fact{"휴가", "8월", "제 휴가는 8월이에요"}, fact{"가게", "서울", "서울에 가게가 있어요"}
	meat := fact{"음식", "고기", "고기를 아주 많이 먹어요"}
	vegan := fact{"I'm a vegetarian", "I'm a vegetarian", "remember that I'm a vegetarian"}
	for text, want := range map[string]fact{
		"부산에서 일한다는 거 잊어줘": work, "내가 부산에서 일하는 거 이제 잊어 주세요": work, "제 직장 저장된 거 지워줘": work, "내 직장에 대한 기억 삭제해 줄 수 있어?": work,
		"내 생일 기억한 거 지워줘": birthday, "제 생일이 5월 3일이라는 건 잊어주세요": birthday, "please delete my 생일 from your memory": birthday, "forget what you know about my 생일": birthday,
		"제가 채식주의자인거 이제 잊어주세요": diet, "채식주의자라는 사실 지워줘": diet, "라면 좋아한다는 거 잊어줘": sweet,
		"내 나이 기억한 거 지워줘": age, "제 휴가 기억한 거 지워줘": leave, "내 나이를 기억한 거 지워줘": age, "내 생일이 저장된 거 지워줘": birthday,
		"서울에 간다는 거 잊어줘": {}, "고기를 안 먹는다는 거 잊어줘": {}, "고기를 많이 먹는다는 거 잊어줘": meat, "서울에 가게가 있다는 거 잊어줘": shop,
		"I'm not vegetarian anymore, forget that please": vegan, "forget that I'm a vegetarian": vegan,
	} {
		about, named, ok := intent.ForgetsOne(text)
		if !ok {
			t.Errorf("%q is no wish to forget", text)
			continue
		}
		for _, f := range []fact{work, birthday, diet, sweet, vegan, age, leave, shop, meat} {
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
