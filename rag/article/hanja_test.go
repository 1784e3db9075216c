package article_test

import (
	"fmt"
	"strings"
	"testing"

	"maru/rag/article"
)

// TestChineseNumerals: old contracts and statutes count with them.
func TestChineseNumerals(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"제七조": "제7조", "第三條": "제3조", "第十條": "제10조", "第二十三條": "제23조", "第百五條": "제105조", "第一百二十條": "제120조", "第一〇條": "제10조",
		"第七百五十條": "제750조", "第十二條의二": "제12조의2", "第十二條之二 第一項": "제12조의2제1항", "제七조 제二항": "제7조제2항", "第三條第一項第二號": "제3조제1항제2호",
		"第 5 條": "제5조", "第三条": "제3조", "第二章": "제2장", "第三條의 第二項": "제3조제2항", "第三條의 一般原則": "제3조", "第一款": "제1관",
		"民法第三條를 본다": "제3조", "第三者": "", "第一次 會議": "", "第零條": "", "一條": "", "第一二三四五條": "", "第" + strings.Repeat("千", 50) + "條": "",
	} {
		got := ""
		for _, r := range article.Find(text) {
			got += r.String()
		}
		if got != want {
			t.Errorf("%q names %q, want %q", text, got, want)
		}
	}
	for line, want := range map[string]string{
		"第三條(目的) 本 契約은 賣買를 定한다.": "§3 | 第三條 | 目的 | 第三條(目的) | 本 契約은 賣買를 定한다.",
		"第七條 （契約의 解除） 甲은 解除한다.":  "§7 | 第七條 | 契約의 解除 | 第七條 (契約의 解除) | 甲은 解除한다.",
		"제七조 (대금) 갑은 지급한다.":      "§7 | 제七조 | 대금 | 제七조 (대금) | 갑은 지급한다.",
		"第十條之二":  "§10-2 | 第十條之二 |  | 第十條之二 | ",
		"第二章 總則": "chapter 2 | 第二章 | 總則 | 第二章 總則 | ",
		"□ 第五條(保證) 丙은 保證한다.": "§5 | 第五條 | 保證 | 第五條(保證) | 丙은 保證한다.",
		"附則": "addenda | 부칙 |  | 附則 | ",
	} {
		h, ok := article.Heading(line)
		if got := fmt.Sprintf("%s | %s | %s | %s | %s", h.Ref.Key(), h.Label, h.Title, h.Text, h.Rest); !ok || got != want {
			t.Errorf("%q:\n got %s\nwant %s", line, got, want)
		}
	}
	for _, line := range []string{"第三條에 依하여 支給한다.", "第三條 第一項에 따라 支給한다.", "第三條(目的)의 規定에 依한다.", "第三者는 알 수 없다.", "第一次 會議錄"} {
		if h, ok := article.Heading(line); ok {
			t.Errorf("%q is a heading: %+v", line, h)
		}
	}
	for question, want := range map[string]string{"第七條부터 第九條까지 알려줘": "[제7조 제8조 제9조]", "제七조는 무슨 내용이야?": "[제7조]", "第三條와 제5조": "[제3조 제5조]"} {
		if parts, _ := article.Named(question); fmt.Sprint(parts) != want {
			t.Errorf("%q names %v, want %s", question, parts, want)
		}
	}
	if parts, besides := article.Named("第零條는 뭐야?"); len(parts) > 0 || !strings.Contains(besides, "第零條") {
		t.Errorf("no article has the number 0: %v, besides %q", parts, besides)
	}
	const text = "다음 各號의 경우 解除한다.\n一. 代金을 支給하지 아니한 때\n二、 引渡를 遲滯한 때\n三. 其他"
	ref, _ := article.Parse("第七條第二號")
	if got, ok := article.Item(text, ref); !ok || got != "二、 引渡를 遲滯한 때" {
		t.Errorf("the second item: %q %v", got, ok)
	}
}
