package load_test

import "testing"

// TestTitles: a title that says nothing does not stand for a document.
func TestTitles(t *testing.T) {
	t.Parallel()
	for title, want := range map[string]string{
		"휴가 규정": "휴가 규정", "untitled": "a", "Untitled Document": "a", "제목 없음": "a", "문서1": "a", "PowerPoint 프레젠테이션": "a", "Presentation1": "a", "": "a", "3": "a", "2024. 1. 2.": "a", "2024년": "2024년",
		"Microsoft Word - 연차규정.docx": "연차규정", "Microsoft Word - Version 1.2 of 2024": "Version 1.2 of 2024", "Documents we keep": "Documents we keep", "Book 2 of laws": "Book 2 of laws",
		"leave.html": "a", "연차규정_최종.docx": "a", "leave.html</title><h1>Leave</h1><title>": "Leave", "Guide to README.md": "Guide to README.md",
	} {
		doc, _ := mustLoad(t, "x/a.html", []byte("<title>"+title+"</title><p>text</p>"))
		if doc.Title != want {
			t.Errorf("%q: %q, want %q", title, doc.Title, want)
		}
	}
}
