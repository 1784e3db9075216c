package load_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"maru/rag/load"
)

const (
	hwpxSpaces = ` xmlns:hp="http://www.hancom.co.kr/hwpml/2011/paragraph" xmlns:hs="http://www.hancom.co.kr/hwpml/2011/section" xmlns:hh="http://www.hancom.co.kr/hwpml/2011/head" xmlns:hc="http://www.hancom.co.kr/hwpml/2011/core"`
	hwpxLists  = `<hh:head` + hwpxSpaces + `><hh:refList><hh:numberings itemCnt="2">` +
		`<hh:numbering id="1" start="0"><hh:paraHead start="1" level="1" align="LEFT" numFormat="DIGIT">제^1장</hh:paraHead><hh:paraHead start="1" level="2" numFormat="HANGUL_SYLLABLE">^2.</hh:paraHead></hh:numbering>` +
		`<hh:numbering id="2" start="0"><hh:paraHead start="1" level="1" numFormat="CIRCLED_DIGIT">^1</hh:paraHead></hh:numbering></hh:numberings>` +
		`<hh:bullets><hh:bullet id="1" char="●"><hh:paraHead level="0"/></hh:bullet></hh:bullets>` +
		`<hh:paraProperties itemCnt="5"><hh:paraPr id="0"><hh:heading type="NONE" idRef="0" level="0"/></hh:paraPr><hh:paraPr id="1"><hh:heading type="OUTLINE" idRef="0" level="0"/></hh:paraPr>` +
		`<hh:paraPr id="2"><hh:heading type="OUTLINE" idRef="0" level="1"/></hh:paraPr><hh:paraPr id="3"><hh:heading type="NUMBER" idRef="2" level="0"/></hh:paraPr>` +
		`<hh:paraPr id="4"><hh:heading type="BULLET" idRef="1" level="0"/></hh:paraPr></hh:paraProperties></hh:refList></hh:head>`
	hwpxSection = `<hp:secPr id="" outlineShapeIDRef="1"><hp:grid lineGrid="0"/></hp:secPr>`
)

// hwpxOf returns a document of Hangul as its program packs one: each text is a section.
func hwpxOf(t testing.TB, title string, sections ...string) []byte {
	files := []string{"mimetype", "application/hwp+zip", "version.xml", xmlHead + `<hv:HCFVersion xmlns:hv="http://www.hancom.co.kr/hwpml/2011/version" application="Hancom Office Hangul"/>`,
		"META-INF/manifest.xml", xmlHead + `<odf:manifest xmlns:odf="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>`, "Contents/header.xml", xmlHead + hwpxLists}
	items, spine := `<opf:item id="header" href="Contents/header.xml" media-type="application/xml"/>`, `<opf:itemref idref="header"/>`
	for i, s := range sections {
		name := fmt.Sprintf("section%d", len(sections)-1-i) // the numbers in names are no order
		files = append(files, "Contents/"+name+".xml", xmlHead+`<hs:sec`+hwpxSpaces+`>`+s+`</hs:sec>`)
		items += `<opf:item id="` + name + `" href="Contents/` + name + `.xml" media-type="application/xml"/>`
		spine += `<opf:itemref idref="` + name + `"/>`
	}
	files = append(files, "Contents/content.hpf", xmlHead+`<opf:package xmlns:opf="http://www.idpf.org/2007/opf/"><opf:metadata><opf:title>`+title+
		`</opf:title><opf:language>ko</opf:language></opf:metadata><opf:manifest>`+items+`</opf:manifest><opf:spine>`+spine+`</opf:spine></opf:package>`)
	return zipOf(t, files...)
}

// line returns a paragraph of a look; what it holds are elements of its run.
func line(look int, run string) string {
	return fmt.Sprintf(`<hp:p id="0" paraPrIDRef="%d" styleIDRef="0"><hp:run charPrIDRef="0">%s</hp:run><hp:linesegarray><hp:lineseg textpos="0"/></hp:linesegarray></hp:p>`, look, run)
}

func said(text string) string { return `<hp:t>` + text + `</hp:t>` }

// box returns a cell at a column that covers so many columns and rows.
func box(at, wide, tall int, content string) string {
	return fmt.Sprintf(`<hp:tc name="" header="0"><hp:subList id="">%s</hp:subList><hp:cellAddr colAddr="%d" rowAddr="0"/><hp:cellSpan colSpan="%d" rowSpan="%d"/><hp:cellSz width="1" height="1"/></hp:tc>`, content, at, wide, tall)
}

func TestHWPX(t *testing.T) {
	t.Parallel()
	cell := func(at int, text string) string { return box(at, 1, 1, line(0, said(text))) }
	for name, c := range map[string]struct{ sections, want []string }{
		"numbers_of_the_outline": {[]string{line(1, hwpxSection+said("총칙")) + line(0, said("이 규정은 휴가를 정한다.")) + line(1, said("휴가")) + line(2, said("연차")) + line(0, said("연차는 15일이다."))},
			[]string{"제1장 총칙 / 이 규정은 휴가를 정한다.", "제2장 휴가 > 가. 연차 / 연차는 15일이다."}},
		"lists_and_bullets": {[]string{line(0, said("제1조(목적)")) + line(3, said("첫째를 정한다.")) + line(3, said("둘째를 정한다.")) + line(4, said("점이다."))}, []string{"① 첫째를 정한다.", "② 둘째를 정한다.", "점이다."}},
		"within_a_line": {[]string{line(0, said("넓이는 ")+`<hp:equation id="1"><hp:shapeComment>수식입니다.</hp:shapeComment><hp:script>a over b</hp:script></hp:equation>`+said("이다.")) +
			line(0, `<hp:dutmal posType="TOP"><hp:mainText>본문</hp:mainText><hp:subText>덧말</hp:subText></hp:dutmal>`+`<hp:compose composeText="12"/>`) +
			line(0, `<hp:textart text="큰␍␊제목"><hp:shapeComment>글맵시입니다.</hp:shapeComment></hp:textart>`)},
			[]string{"넓이는 a over b 이다.", "본문 (덧말) 12", "큰 제목"}},
		"sections_in_order":   {[]string{line(0, said("앞의 글이다.")), line(0, said("뒤의 글이다."))}, []string{"앞의 글이다.", "뒤의 글이다."}},
		"signs_within_a_text": {[]string{line(0, said("가<hp:tab width=\"1\"/>나<hp:nbSpace/>다<hp:lineBreak/>라")+said("마"))}, []string{"가\t나 다\n라마"}},
		"deleted_and_comments": {[]string{line(0, said("남는 글<hp:deleteBegin Id=\"1\"/>지운 글<hp:deleteEnd Id=\"1\"/>이다.")+`<hp:ctrl><hp:hiddenComment><hp:subList>`+line(0, said("숨은 설명"))+`</hp:subList></hp:hiddenComment></hp:ctrl>`+
			`<hp:ctrl><hp:fieldBegin type="MEMO"><hp:subList>`+line(0, said("메모"))+`</hp:subList></hp:fieldBegin></hp:ctrl>`+said("메모가 달린 글")+`<hp:ctrl><hp:fieldEnd/></hp:ctrl>`)}, []string{"남는 글이다.메모가 달린 글"}},
		"deleted_and_hidden_letters": {[]string{line(0, said("남는 글<hp:deleteBegin Id=\"1\"/>지운")+`<hp:compose composeText="12"/><hp:textart text="지운 제목"/><hp:dutmal><hp:mainText>본</hp:mainText><hp:subText>덧</hp:subText></hp:dutmal>`+said("<hp:deleteEnd Id=\"1\"/>이다.")+
			`<hp:ctrl><hp:hiddenComment><hp:textart text="비밀"/><hp:compose composeText="34"/></hp:hiddenComment></hp:ctrl>`)}, []string{"남는 글이다."}},
		"notes_behind_their_section": {[]string{line(0, said("본문이다.")+`<hp:ctrl><hp:footNote number="1"><hp:subList>`+line(0, said("각주의 글이다."))+`</hp:subList></hp:footNote></hp:ctrl>`+said(" 이어진다.")) + line(0, said("끝이다."))},
			[]string{"본문이다. 이어진다.", "끝이다.", "각주의 글이다."}},
		"edges_once": {[]string{line(0, `<hp:ctrl><hp:header><hp:subList>`+line(0, said("대외비"))+`</hp:subList></hp:header></hp:ctrl>`+said("하나.")), line(0, `<hp:ctrl><hp:header><hp:subList>`+line(0, said("대외비"))+`</hp:subList></hp:header></hp:ctrl>`+said("둘."))},
			[]string{"대외비", "하나.", "둘."}},
		"boxes": {[]string{line(0, said("그림 옆.")+`<hp:rect><hp:drawText><hp:subList>`+line(0, said("상자 안."))+`</hp:subList></hp:drawText><hp:shapeComment>사각형입니다.</hp:shapeComment></hp:rect>`)}, []string{"상자 안.", "그림 옆."}},
		"tables": {[]string{line(0, `<hp:tbl rowCnt="3" colCnt="3"><hp:tr>`+cell(0, "지역")+cell(1, "지점")+cell(2, "인원")+`</hp:tr><hp:tr>`+box(0, 1, 2, line(0, said("서울")))+cell(1, "강남")+cell(2, "12명")+`</hp:tr><hp:tr>`+cell(1, "종로")+cell(2, "7명")+`</hp:tr></hp:tbl>`)},
			[]string{"지역: 서울 | 지점: 강남 | 인원: 12명", "지역: 서울 | 지점: 종로 | 인원: 7명"}},
		"merged_to_the_right_and_last": {[]string{line(0, `<hp:tbl><hp:tr>`+cell(0, "이름")+cell(1, "월")+cell(2, "화")+cell(3, "비고")+`</hp:tr><hp:tr>`+cell(0, "지수")+box(1, 2, 1, line(0, said("휴가")))+box(3, 1, 2, line(0, said("확정")))+`</hp:tr><hp:tr>`+cell(0, "민호")+cell(1, "근무")+cell(2, "근무")+`</hp:tr></hp:tbl>`)},
			[]string{"이름: 지수 | 월: 휴가 | 화: 휴가 | 비고: 확정", "이름: 민호 | 월: 근무 | 화: 근무 | 비고: 확정"}},
		"merged_without_names": {[]string{line(0, `<hp:tbl><hp:tr>`+box(0, 3, 1, line(0, said("차례")))+`</hp:tr></hp:tbl>`) +
			line(0, `<hp:tbl><hp:tr>`+box(0, 2, 1, line(0, said("구분")))+cell(2, "값")+`</hp:tr><hp:tr>`+box(0, 2, 2, line(0, said("가격")))+cell(2, "10")+`</hp:tr><hp:tr>`+cell(2, "20")+`</hp:tr></hp:tbl>`)},
			[]string{"\n차례\n", "구분: 가격 | 값: 10\n구분: 가격 | 값: 20"}},
		"a_table_within_a_table": {[]string{line(0, `<hp:tbl><hp:tr>`+cell(0, "항목")+cell(1, "내용")+`</hp:tr><hp:tr>`+cell(0, "대금")+box(1, 1, 1, line(0, said("아래와 같다")+`<hp:tbl><hp:tr>`+cell(0, "회차")+cell(1, "금액")+`</hp:tr><hp:tr>`+cell(0, "1회")+cell(1, "30만 원")+`</hp:tr></hp:tbl>`))+`</hp:tr></hp:tbl>`)},
			[]string{"항목: 대금 | 내용: 아래와 같다", "회차: 1회 | 금액: 30만 원"}},
		"spans_without_bounds": {[]string{line(0, `<hp:tbl><hp:tr>`+box(0, 2000000000, 2000000000, line(0, said("넓다")))+`</hp:tr></hp:tbl>`) + line(0, said("끝."))}, []string{"넓다", "끝."}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc, chunks := mustLoad(t, "문서.hwpx", hwpxOf(t, "휴가 규정", c.sections...))
			var got []string
			for _, c := range chunks {
				got = append(got, strings.Join(c.Heading, " > ")+"\n"+c.Text)
			}
			text, at := strings.Join(got, "\n"), 0
			for _, want := range c.want {
				for _, w := range strings.Split(strings.ReplaceAll(want, " > ", " / "), " / ") {
					i := strings.Index(text[at:], w)
					if i < 0 {
						t.Fatalf("%q does not follow in %q", w, text)
					}
					at += i
				}
			}
			if doc.Title != "휴가 규정" || doc.MIME != "application/hwp+zip" {
				t.Errorf("%+v", doc)
			}
			if strings.Contains(text, "지운") || strings.Contains(text, "숨은") || strings.Contains(text, "사각형") || strings.Count(text, "대외비") > 1 || slices.Contains(strings.Fields(text), "메모") {
				t.Errorf("what is not to be read was: %q", text)
			}
		})
	}
}

// FuzzHWPX: whatever is in a section, the file is read or refused with a reason.
func FuzzHWPX(f *testing.F) {
	f.Add(line(1, hwpxSection+said("총칙")) + line(3, `<hp:tbl><hp:tr>`+box(0, 2, 3, line(0, said("가")))+`</hp:tr></hp:tbl>`))
	f.Add(`</hp:tc></hp:tr><hp:tc></hp:tbl><hp:tbl><hp:cellAddr colAddr="-5"/><hp:tc><hp:cellSpan colSpan="9999999999" rowSpan="-1"/></hp:tc></hp:tr>`)
	l := load.New(load.Config{MaxText: 1 << 20})
	f.Fuzz(func(t *testing.T, section string) {
		_, _, err := l.Load(t.Context(), "x.hwpx", hwpxOf(t, "t", section))
		var e *load.Error
		if err != nil && !errors.As(err, &e) {
			t.Fatalf("untyped error %v", err)
		}
	})
}
