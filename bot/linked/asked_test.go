package linked_test

import (
	"slices"
	"strings"
	"testing"

	"maru/bot/linked"
)

// TestWhichLinksAreAskedFor: the words of a message decide whether Maru opens its links.
func TestWhichLinksAreAskedFor(t *testing.T) {
	t.Parallel()
	const page, file = "https://example.com/news/1", "https://example.com/files/report.pdf"
	for text, want := range map[string]string{
		"summarise " + page:                                                page,
		"Can you summarize " + page + "?":                                  page,
		"TL;DR of " + page + " please":                                     page,
		"translate this into Korean: " + page + ".":                        page,
		"what does " + page + " say about leave?":                          page,
		"what's new in (" + page + ")":                                     page,
		"what is wrong in this log https://example.com/app.log":            "https://example.com/app.log",
		"does " + file + " mention parental leave?":                        file,
		"who signed " + file + "?":                                         file,
		"compare " + page + " and " + file:                                 page + " " + file,
		"compare " + page + " with " + page:                                page,
		"[the notes](" + page + ") — key points?":                          page,
		"add https://example.com/files/rules.docx tag:hr":                  "https://example.com/files/rules.docx",
		"what does https://example.com/shot.png show?":                     "https://example.com/shot.png",
		"what is in this picture https://example.com/i/42":                 "https://example.com/i/42",
		"이 사진에 뭐가 보여? https://example.com/i/42":                            "https://example.com/i/42",
		page + " 요약해줘":                                                     page,
		file + "를 번역해 줘":                                                   file,
		"이 링크 무슨 내용이야? " + page:                                            page,
		"이 기사 핵심만 정리해 주세요\n" + page:                                        page,
		"https://example.com/a/b은 뭐라고 해?":                                  "https://example.com/a/b",
		"https://ko.wikipedia.org/wiki/대한민국 요약":                            "https://ko.wikipedia.org/wiki/대한민국",
		"https://ko.wikipedia.org/wiki/Go_(언어) 설명해줘":                       "https://ko.wikipedia.org/wiki/Go_(언어)",
		"두 문서 비교해줘 https://example.com/v1.hwp, https://example.com/v2.hwp": "https://example.com/v1.hwp https://example.com/v2.hwp",
		"이 파일 문서에 추가해 줘 " + file:                                           file,
		page:              page + " alone",
		"<" + page + ">":  page + " alone",
		page + " " + file: page + " " + file + " alone",
		// Nobody asks to read these.
		"who can approve access to https://console.example.com/iam?":                   "",
		"we moved to https://wiki.example.com, please write an announcement":           "",
		"https://console.example.com 접속 권한은 누가 줘?":                                     "",
		"회의는 https://meet.example.com/abc 에서 3시에 시작해":                                  "",
		"> see " + page + "\nsummarise this":                                           "",
		"explain this code\n```\ncurl " + page + "\n```":                               "",
		"explain `curl " + page + "`":                                                  "",
		"summarise https://user:secret@example.com/":                                   "",
		"summarise ftp://example.com/a.txt":                                            "",
		"summarise this: " + strings.Repeat("the meeting went on and on. ", 20) + page: "",
		"summarise the handbook":                                                       "",
	} {
		links, alone := linked.Asked(text)
		got := strings.Join(links, " ")
		if alone {
			got += " alone"
		}
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
		if slices.Contains(links, "") {
			t.Errorf("%q: an empty link", text)
		}
	}
}
