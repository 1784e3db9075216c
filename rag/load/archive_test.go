package load_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/text/encoding/korean"

	"maru/rag/load"
)

func TestArchive(t *testing.T) {
	t.Parallel()
	data := zipOf(t,
		"rules/leave.md", "# 연차\n15일을 받는다.\n\n## 이월\n5일까지.",
		"contract.txt", "제1조(목적) 이 계약은 업무를 정한다.\n제2조(기간) 1년으로 한다.",
		"rules/travel.docx", string(docxFile(t)),
		"broken.pdf", "%PDF-1.7 nothing else",
		"photo.png", "\x89PNG", ".hidden.md", "숨김", "__MACOSX/leave.md", "맥", "inner.zip", string(zipOf(t, "x.md", "안")), "folder/", "",
	)
	doc, chunks := mustLoad(t, "team.zip", data)
	want := "[team > broken] broken\n" +
		"[team > contract > 제1조(목적)] 이 계약은 업무를 정한다.\n[team > contract > 제2조(기간)] 1년으로 한다.\n" +
		"[team > rules/leave > 연차] 15일을 받는다.\n[team > rules/leave > 연차 > 이월] 5일까지.\n" +
		"[team > rules/travel > 출장 규정] 출장은 1주 전까지 신청한다. / 영수증을 낸다 / 구분: 숙박비 | 한도: 12만 원"
	if got := show(chunks); got != want || doc.MIME != "application/zip" {
		t.Errorf("%s:\n%s\nwant\n%s", doc.MIME, got, want)
	}
	if got := load.Unread(doc); len(got) != 2 || got[0].Code != load.Broken || got[0].Name != "team.zip/broken.pdf" ||
		got[1].Code != load.Nested || got[1].Name != "team.zip/inner.zip" {
		t.Errorf("unread %v", got)
	}
}

func TestArchiveNamesFromKoreanWindows(t *testing.T) {
	t.Parallel()
	name, err := korean.EUCKR.NewEncoder().String("휴가규정.txt")
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	f, err := w.CreateHeader(&zip.FileHeader{Name: name, NonUTF8: true, Method: zip.Deflate})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write([]byte("연차는 15일이다.")); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	_, chunks := mustLoad(t, "규정.zip", b.Bytes())
	if got := show(chunks); got != "[규정 > 휴가규정] 연차는 15일이다." {
		t.Errorf("got %s", got)
	}
}

func TestArchiveRefused(t *testing.T) {
	t.Parallel()
	const maxText = 1 << 16
	l := pdfLoader(load.Config{MaxText: maxText})
	many := make([]string, 0, 2*1001)
	for i := range 1001 {
		many = append(many, fmt.Sprintf("%d.md", i), "글")
	}
	for name, c := range map[string]struct {
		data []byte
		code load.Code
	}{
		"bomb":     {zipOf(t, "a.txt", strings.Repeat("가", maxText/2)), load.TooComplex},
		"too_many": {zipOf(t, many...), load.TooComplex},
		"nothing":  {zipOf(t, "photo.png", "\x89PNG"), load.NoText},
		"nested":   {zipOf(t, "a.zip", string(zipOf(t, "x.md", "안"))), load.Nested},
		"broken":   {zipOf(t, "a.pdf", "%PDF-1.7", "b.docx", "PK\x03\x04"), load.Broken},
		"no_zip":   {[]byte("just text"), load.WrongType},
		"cut":      {zipOf(t, "a.md", "글")[:40], load.Broken},
	} {
		_, _, err := l.Load(t.Context(), "x.zip", c.data)
		var e *load.Error
		if !errors.As(err, &e) || e.Code != c.code {
			t.Errorf("%s: %v, want %s", name, err, c.code)
		}
	}
}
