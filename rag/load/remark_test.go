package load_test

import (
	"archive/zip"
	"bytes"
	"io/fs"
	"slices"
	"strings"
	"testing"
)

const wordMain = `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>`

// TestEmptyColumns reads tables with a column that has no value in any row.
func TestEmptyColumns(t *testing.T) {
	t.Parallel()
	word := func(rows ...[]string) []byte {
		var b strings.Builder
		for _, r := range rows {
			b.WriteString("<w:tr>")
			for _, c := range r {
				b.WriteString("<w:tc><w:p><w:r><w:t>" + c + "</w:t></w:r></w:p></w:tc>")
			}
			b.WriteString("</w:tr>")
		}
		return zipOf(t, "word/document.xml", wordMain+"<w:tbl>"+b.String()+"</w:tbl></w:body></w:document>")
	}
	odt := func(rows ...string) []byte {
		return zipOf(t, "mimetype", "application/vnd.oasis.opendocument.text", "content.xml",
			`<office:document-content xmlns:office="o" xmlns:text="t" xmlns:table="b"><office:body><office:text><table:table>`+strings.Join(rows, "")+`</table:table></office:text></office:body></office:document-content>`)
	}
	const odfRow = `<table:table-row><table:table-cell><text:p>A</text:p></table:table-cell><table:table-cell><text:p>B</text:p></table:table-cell><table:table-cell><text:p>C</text:p></table:table-cell></table:table-row>`
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"a.docx":     {word([]string{"이름", "서명", "비고"}, []string{"김하나", "", "오전"}, []string{"박두리", "", ""}), "[a] 이름: 김하나 | 비고: 오전 / 이름: 박두리 / 서명: –"},
		"blank.docx": {word([]string{"이름", "서명"}, []string{"", ""}, []string{"", ""}), "[blank] 이름 | 서명"},
		"full.docx":  {word([]string{"a", "b"}, []string{"1", ""}, []string{"", "2"}), "[full] a: 1 / b: 2"},
		"one.docx":   {word([]string{"a", "b"}), "[one] a | b"},
		"a.odt":      {odt(odfRow, strings.Replace(strings.Replace(odfRow, ">B<", "><", 1), ">C<", ">3<", 1)), "[a] A | C: 3 / B: –"},
		"a.xlsx":     {workbook(t, "", cells("1", "이름", "서명")+cells("2", "김하나", "")+`</sheetData>`), "[a > S] 이름: 김하나 / 서명: –"},
		"a.csv":      {[]byte("name,signed,room\nKim,,12\nPark,,\n"), "[a] name: Kim | room: 12 / name: Park / signed: –"},
		"a.md":       {[]byte("| name | signed |\n|---|---|\n| Kim | |\n"), "[a] name: Kim / signed: –"},
		"a.html":     {[]byte("<html><body><table><tr><th>name</th><th>signed</th></tr><tr><td>Kim</td><td></td></tr></table></body></html>"), "[a] name: Kim / signed: –"},
		"a.rtf":      {[]byte(`{\rtf1 \trowd a\cell b\cell\row 1\cell \cell\row}`), "[a] a: 1 / b: –"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, chunks := mustLoad(t, name, c.data)
			if got := show(chunks); got != c.want {
				t.Errorf("%q\nwant\n%q", got, c.want)
			}
		})
	}
}

// TestRemarks reads what people noted beside the text, with their names.
func TestRemarks(t *testing.T) {
	t.Parallel()
	relation := func(id, kind, target string) string {
		return `<Relationship Id="` + id + `" Type="` + officeRelation + "/" + kind + `" Target="` + target + `"/>`
	}
	relations := func(list ...string) string { return relationsHead + strings.Join(list, "") + `</Relationships>` }
	run := func(text string) string { return `<w:p><w:r><w:t>` + text + `</w:t></w:r></w:p>` }
	word := zipOf(t, "word/document.xml", wordMain+`<w:p><w:commentRangeStart w:id="0"/><w:r><w:t>대금은 30일 안에 낸다.</w:t></w:r><w:commentRangeEnd w:id="0"/><w:r><w:commentReference w:id="0"/></w:r><w:r><w:commentReference w:id="1"/></w:r><w:r><w:commentReference w:id="7"/></w:r></w:p>`+run("끝.")+
		`<w:tbl><w:tr><w:tc>`+run("항목")+`</w:tc></w:tr><w:tr><w:tc><w:p><w:r><w:t>운송</w:t></w:r><w:r><w:commentReference w:id="2"/></w:r></w:p></w:tc></w:tr></w:tbl></w:body></w:document>`,
		"word/comments.xml", `<w:comments xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:comment w:id="0" w:author="김하나" w:initials="K"><w:p><w:r><w:t>45일로 </w:t></w:r><w:del><w:r><w:t>바꾸지 말자</w:t></w:r></w:del><w:r><w:t>바꾸자</w:t></w:r></w:p>`+run("법무팀과 확인")+`</w:comment><w:comment w:id="1" w:author="Lee">`+run("agreed")+`</w:comment><w:comment w:id="2">`+run("누가 내나?")+`</w:comment></w:comments>`)
	sheet := zipOf(t, "[Content_Types].xml", officeTypes, "_rels/.rels", relations(relation("r1", "officeDocument", "xl/workbook.xml")),
		"xl/workbook.xml", `<workbook xmlns:r="`+officeRelation+`"><sheets><sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels", relations(relation("r1", "worksheet", "worksheets/sheet1.xml"), `<Relationship Id="r2" Type="http://schemas.microsoft.com/office/2017/10/relationships/person" Target="persons/person.xml"/>`),
		"xl/persons/person.xml", `<personList><person displayName="Ann Lee" id="{P1}" userId="x" providerId="AD"/></personList>`,
		"xl/worksheets/sheet1.xml", `<worksheet><sheetData>`+cells("1", "항목", "값")+cells("2", "예산", "120")+`</sheetData></worksheet>`,
		"xl/worksheets/_rels/sheet1.xml.rels", relations(relation("r1", "comments", "../comments1.xml"), `<Relationship Id="r2" Type="http://schemas.microsoft.com/office/2017/10/relationships/threadedComment" Target="../threadedComments/threadedComment1.xml"/>`),
		"xl/comments1.xml", `<comments><authors><author>박두리</author><author>tc={T1}</author></authors><commentList><comment ref="B2" authorId="0"><text><r><t>부가세 </t></r><r><t xml:space="preserve">별도</t></r></text></comment><comment ref="A2" authorId="1"><text><t>[Threaded comment] Your version of Excel</t></text></comment></commentList></comments>`,
		"xl/threadedComments/threadedComment1.xml", `<ThreadedComments><threadedComment ref="A2" dT="2026-01-01T00:00:00" personId="{P1}" id="{T1}"><text>Which year?</text></threadedComment><threadedComment ref="A2" personId="{P1}" id="{T2}" parentId="{T1}"><text>2026</text></threadedComment></ThreadedComments>`)
	slides := zipOf(t, "[Content_Types].xml", officeTypes, "_rels/.rels", relations(relation("r1", "officeDocument", "ppt/presentation.xml")),
		"ppt/presentation.xml", `<p:presentation xmlns:p="p" xmlns:r="`+officeRelation+`"><p:sldIdLst><p:sldId id="256" r:id="r1"/></p:sldIdLst></p:presentation>`,
		"ppt/_rels/presentation.xml.rels", relations(relation("r1", "slide", "slides/slide1.xml"), relation("r2", "commentAuthors", "commentAuthors.xml"), `<Relationship Id="r3" Type="http://schemas.microsoft.com/office/2018/10/relationships/authors" Target="authors.xml"/>`),
		"ppt/commentAuthors.xml", `<p:cmAuthorLst xmlns:p="p"><p:cmAuthor id="0" name="최세나" initials="c"/></p:cmAuthorLst>`,
		"ppt/authors.xml", `<a:authorLst xmlns:a="a"><a:author id="{A}" name="Ann Lee"/></a:authorLst>`,
		"ppt/slides/slide1.xml", `<p:sld xmlns:p="p" xmlns:a="a"><p:sp><a:p><a:r><a:t>매출 계획</a:t></a:r></a:p></p:sp></p:sld>`,
		"ppt/slides/_rels/slide1.xml.rels", relations(relation("r1", "comments", "../comments/comment1.xml"), `<Relationship Id="r2" Type="http://schemas.microsoft.com/office/2018/10/relationships/comments" Target="../comments/modern.xml"/>`),
		"ppt/comments/comment1.xml", `<p:cmLst xmlns:p="p"><p:cm authorId="0" idx="1"><p:pos x="1" y="2"/><p:text>숫자를 확인해 주세요</p:text></p:cm></p:cmLst>`,
		"ppt/comments/modern.xml", `<p:cmLst xmlns:p="p" xmlns:a="a"><p:cm id="{1}" authorId="{A}"><p:replyLst><p:reply id="{2}" authorId="{A}"><p:txBody><a:p><a:r><a:t>done</a:t></a:r></a:p></p:txBody></p:reply></p:replyLst><p:txBody><a:p><a:r><a:t>Check the year</a:t></a:r></a:p></p:txBody></p:cm></p:cmLst>`)
	odt := zipOf(t, "mimetype", "application/vnd.oasis.opendocument.text", "content.xml",
		`<office:document-content xmlns:office="o" xmlns:text="t" xmlns:dc="d"><office:body><office:text><text:p>회의는 월요일<office:annotation><dc:creator>김하나</dc:creator><dc:date>2026-03-03T09:00:00</dc:date><text:p>화요일로</text:p><text:p>바꿀까?</text:p></office:annotation>이다.</text:p><text:p>끝.</text:p></office:text></office:body></office:document-content>`)
	broken := func(data []byte, parts ...string) []byte {
		var files []string
		for name, text := range unzipped(t, data) {
			if slices.Contains(parts, name) {
				text = "<broken><"
			}
			files = append(files, name, text)
		}
		return zipOf(t, files...)
	}
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"w.docx":      {word, "[w] 대금은 30일 안에 낸다. / 김하나의 메모: 45일로 바꾸자 법무팀과 확인 / Comment by Lee: agreed / 끝. / 항목: 운송 / 메모: 누가 내나?"},
		"s.xlsx":      {sheet, "[s > S] 항목: 예산 | 값: 120 / 박두리(B2)의 메모: 부가세 별도 / Comment by Ann Lee (A2): Which year? / Comment by Ann Lee (A2): 2026"},
		"p.pptx":      {slides, "[p, p. 1] 매출 계획 / 최세나의 메모: 숫자를 확인해 주세요 / Comment by Ann Lee: Check the year / Comment by Ann Lee: done"},
		"o.odt":       {odt, "[o] 회의는 월요일이다. / 김하나의 메모: 화요일로 바꿀까? / 끝."},
		"broken.docx": {zipOf(t, "word/document.xml", wordMain+run("본문.")+`</w:body></w:document>`, "word/comments.xml", `<w:comments><w:comment w:id="0"><w:p>`), "[broken] 본문."},
		"broken.xlsx": {broken(sheet, "xl/comments1.xml", "xl/persons/person.xml"), "[broken > S] 항목: 예산 | 값: 120 / Comment: A2: Which year? / Comment: A2: 2026"},
		"broken.pptx": {broken(slides, "ppt/comments/comment1.xml", "ppt/authors.xml"), "[broken, p. 1] 매출 계획 / Comment: Check the year / Comment: done"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, chunks := mustLoad(t, name, c.data)
			if got := show(chunks); got != c.want {
				t.Errorf("%q\nwant\n%q", got, c.want)
			}
		})
	}
}

func unzipped(t *testing.T, data []byte) map[string]string {
	t.Helper()
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, f := range r.File {
		b, err := fs.ReadFile(r, f.Name)
		if err != nil {
			t.Fatal(err)
		}
		out[f.Name] = string(b)
	}
	return out
}
