package load_test

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
)

const xmlHead = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n"

const officeTypes = xmlHead + `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/></Types>`

const relationsHead = xmlHead + `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`

const officeRelation = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"

// workbook returns a file of one sheet as Excel writes it: inline texts, styles 1 to 4 for
// 0%, 0.00%, a format of its own and a date.
func workbook(t *testing.T, properties, sheet string) []byte {
	const main = ` xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="` + officeRelation + `"`
	return zipOf(t, "[Content_Types].xml", officeTypes,
		"_rels/.rels", relationsHead+`<Relationship Id="rId1" Type="`+officeRelation+`/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
		"xl/workbook.xml", xmlHead+`<workbook`+main+`>`+properties+`<sheets><sheet name="S" sheetId="1" r:id="rId1"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels", relationsHead+`<Relationship Id="rId1" Type="`+officeRelation+`/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
		"xl/styles.xml", xmlHead+`<styleSheet`+main+`><numFmts count="2"><numFmt numFmtId="164" formatCode="0.0%;[Red]\-0.0%"/><numFmt numFmtId="165" formatCode="0&quot;%&quot;"/></numFmts><cellXfs count="6"><xf numFmtId="0"/><xf numFmtId="9"/><xf numFmtId="10"/><xf numFmtId="164"/><xf numFmtId="14"/><xf numFmtId="165"/></cellXfs></styleSheet>`,
		"xl/worksheets/sheet1.xml", xmlHead+`<worksheet`+main+`><sheetData>`+sheet+`</worksheet>`)
}

// cells returns a row of texts; an empty one is a cell without a value, as merging leaves it.
func cells(n string, texts ...string) string {
	var b strings.Builder
	b.WriteString(`<row r="` + n + `">`)
	for i, s := range texts {
		at := string(rune('A'+i)) + n
		if s == "" {
			b.WriteString(`<c r="` + at + `" s="0"/>`)
			continue
		}
		b.WriteString(`<c r="` + at + `" t="inlineStr"><is><t>` + s + `</t></is></c>`)
	}
	return b.String() + `</row>`
}

func TestSheets(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ properties, sheet, want string }{
		"labels_over_rows": {"", cells("1", "지역", "지점") + cells("2", "서울", "강남") + cells("3", "", "종로") + cells("4", "부산", "해운대") +
			`</sheetData><mergeCells count="1"><mergeCell ref="A2:A3"/></mergeCells>`,
			"지역: 서울 | 지점: 강남 / 지역: 서울 | 지점: 종로 / 지역: 부산 | 지점: 해운대"},
		"labels_over_columns": {"", cells("1", "이름", "월", "화") + cells("2", "지수", "휴가", "") + cells("3", "민호", "", "근무") +
			`</sheetData><mergeCells count="1"><mergeCell ref="B2:C2"/></mergeCells>`,
			"이름: 지수 | 월: 휴가 | 화: 휴가 / 이름: 민호 | 화: 근무"},
		"title_over_the_columns": {"", cells("1", "2026년 매출", "", "") + cells("2", "지역", "목표", "실적") + cells("3", "서울", "10", "12") +
			`</sheetData><mergeCells count="1"><mergeCell ref="A1:C1"/></mergeCells>`,
			"2026년 매출 / 지역: 서울 | 목표: 10 | 실적: 12"},
		"names_in_two_rows": {"", cells("1", "지역", "1분기", "", "2분기") + cells("2", "", "매출", "이익", "매출") + cells("3", "서울", "10", "2", "11") +
			`</sheetData><mergeCells count="2"><mergeCell ref="A1:A2"/><mergeCell ref="B1:C1"/></mergeCells>`,
			"지역: 서울 | 1분기 매출: 10 | 1분기 이익: 2 | 2분기 매출: 11"},
		"rows_of_labels_alone_are_none": {"", cells("1", "지역", "지점") + cells("2", "서울", "강남") + cells("3", "", "") +
			`</sheetData><mergeCells count="1"><mergeCell ref="A2:A3"/></mergeCells>`,
			"지역: 서울 | 지점: 강남"},
		"merged_to_the_end_of_the_world": {"", cells("1", "a", "b") + cells("2", "x", "y") +
			`</sheetData><mergeCells count="2"><mergeCell ref="B2:XFD1048576"/><mergeCell ref="nonsense"/></mergeCells>`,
			"a: x | b: y"},
		"shares": {"", cells("1", "a", "b", "c", "d", "e") + `<row r="2"><c r="A2" s="1"><v>0.125</v></c><c r="B2" s="2"><v>0.07</v></c><c r="C2" s="3"><v>-1.5</v></c><c r="D2" s="5"><v>12</v></c><c r="E2"><v>0.125</v></c></row></sheetData>`,
			"a: 12.5% | b: 7% | c: -150% | d: 12% | e: 0.125"},
		"days_since_1900": {`<workbookPr date1904="0"/>`, cells("1", "날") + `<row r="2"><c r="A2" s="4"><v>45000</v></c></row></sheetData>`, "날: 2023-03-15"},
		"days_since_1904": {`<workbookPr date1904="1" defaultThemeVersion="124226"/>`, cells("1", "날") + `<row r="2"><c r="A2" s="4"><v>43538</v></c></row></sheetData>`, "날: 2023-03-15"},
		"names_alone":     {"", cells("1", "이름", "전화") + `</sheetData>`, "이름 | 전화"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, chunks := mustLoad(t, "a.xlsx", workbook(t, c.properties, c.sheet))
			var all []string
			for _, k := range chunks {
				all = append(all, strings.ReplaceAll(k.Text, "\n", " / "))
			}
			if got := strings.Join(all, " / "); got != c.want {
				t.Errorf("%.2000s\nwant\n%.2000s", got, c.want)
			}
		})
	}
}

const slideHead = ` xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="` + officeRelation + `" xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"`

func shape(placeholder, text string) string {
	return `<p:sp><p:nvSpPr><p:cNvPr id="2" name="x"/><p:cNvSpPr/><p:nvPr><p:ph ` + placeholder + `/></p:nvPr></p:nvSpPr><p:spPr/><p:txBody><a:bodyPr/>` + `<a:p><a:r><a:rPr lang="ko-KR"/><a:t>` + text + `</a:t></a:r></a:p></p:txBody></p:sp>`
}

func slideCell(attributes, text string) string {
	return `<a:tc ` + attributes + `><a:txBody><a:bodyPr/><a:p><a:r><a:t>` + text + `</a:t></a:r></a:p></a:txBody><a:tcPr/></a:tc>`
}

func TestSlidesHaveTablesAndNotes(t *testing.T) {
	t.Parallel()
	table := `<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="4" name="표"/><p:cNvGraphicFramePr/><p:nvPr/></p:nvGraphicFramePr><a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/table"><a:tbl><a:tblPr firstRow="1"/><a:tblGrid/>` +
		`<a:tr h="1">` + slideCell("", "지역") + slideCell("", "목표") + slideCell("", "실적") + `</a:tr>` +
		`<a:tr h="1">` + slideCell(`rowSpan="2"`, "서울") + slideCell("", "10") + slideCell("", "12") + `</a:tr>` +
		`<a:tr h="1">` + slideCell(`vMerge="1"`, "") + slideCell(`gridSpan="2"`, "미정") + slideCell(`hMerge="1"`, "") + `</a:tr>` +
		`</a:tbl></a:graphicData></a:graphic></p:graphicFrame>`
	slide := func(shapes string) string {
		return xmlHead + `<p:sld` + slideHead + `><p:cSld><p:spTree>` + shapes + `</p:spTree></p:cSld></p:sld>`
	}
	data := zipOf(t, "[Content_Types].xml", officeTypes, "ppt/presentation.xml", xmlHead+`<p:presentation`+slideHead+`/>`,
		"ppt/slides/slide1.xml", slide(shape(`type="title"`, "매출 계획")+table+shape(`idx="1"`, "본문")),
		"ppt/slides/_rels/slide1.xml.rels", relationsHead+`<Relationship Id="rId1" Type="`+officeRelation+`/slideLayout" Target="../slideLayouts/slideLayout1.xml"/><Relationship Id="rId2" Type="`+officeRelation+`/notesSlide" Target="../notesSlides/notesSlide7.xml"/></Relationships>`,
		"ppt/notesSlides/notesSlide7.xml", xmlHead+`<p:notes`+slideHead+`><p:cSld><p:spTree>`+shape(`type="sldImg"`, "")+shape(`type="body" idx="1"`, "예산은 묻지 말 것")+shape(`type="sldNum" sz="quarter" idx="5"`, "1")+`</p:spTree></p:cSld></p:notes>`,
		"ppt/slides/slide2.xml", slide(shape(`type="title"`, "Next")),
		"ppt/slides/_rels/slide2.xml.rels", relationsHead+`<Relationship Id="rId2" Type="`+officeRelation+`/notesSlide" Target="/ppt/notesSlides/notesSlide1.xml"/></Relationships>`,
		"ppt/notesSlides/notesSlide1.xml", xmlHead+`<p:notes`+slideHead+`><p:cSld><p:spTree>`+shape(`type="body" idx="1"`, "Thank the team")+`</p:spTree></p:cSld></p:notes>`)
	_, chunks := mustLoad(t, "a.pptx", data)
	want := "[a > 매출 계획, p. 1] 지역: 서울 | 목표: 10 | 실적: 12 / 지역: 서울 | 목표: 미정 | 실적: 미정 / 본문 / 발표자 노트: 예산은 묻지 말 것\n" +
		"[a > Next, p. 2] Speaker notes: Thank the team"
	if got := show(chunks); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// TestSlidesAreReadAsTheyAreShown: in the order of the presentation, without those that are hidden
// or taken out, and with the words of their drawn lists.
func TestSlidesAreReadAsTheyAreShown(t *testing.T) {
	t.Parallel()
	slide := func(attributes, title, more string) string {
		return xmlHead + `<p:sld` + slideHead + attributes + `><p:cSld><p:spTree>` + shape(`type="title"`, title) + shape(`idx="1"`, title+" 글") + more + `</p:spTree></p:cSld></p:sld>`
	}
	var order, paths strings.Builder
	for i, n := range []string{"3", "1", "4", "2"} {
		order.WriteString(`<p:sldId id="` + strconv.Itoa(256+i) + `" r:id="rId` + n + `"/>`)
		paths.WriteString(`<Relationship Id="rId` + n + `" Type="` + officeRelation + `/slide" Target="slides/slide` + n + `.xml"/>`)
	}
	data := zipOf(t, "[Content_Types].xml", officeTypes,
		"ppt/presentation.xml", xmlHead+`<p:presentation`+slideHead+`><p:sldMasterIdLst><p:sldMasterId id="1" r:id="rId9"/></p:sldMasterIdLst><p:sldIdLst>`+order.String()+`</p:sldIdLst></p:presentation>`,
		"ppt/_rels/presentation.xml.rels", relationsHead+paths.String()+`</Relationships>`,
		"ppt/slides/slide1.xml", slide("", "하나", `<mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"><mc:Choice Requires="a14">`+strings.Replace(shape("", "x"), `<a:r>`, `<a14:m xmlns:a14="http://schemas.microsoft.com/office/drawing/2010/main"><m:oMathPara xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"><m:oMath> <m:f><m:num><m:r><a:rPr/><m:t>수식</m:t></m:r></m:num><m:den><m:r><m:t>2</m:t></m:r></m:den></m:f></m:oMath></m:oMathPara></a14:m><a:r>`, 1)+`</mc:Choice><mc:Fallback>`+shape("", "그림")+`</mc:Fallback></mc:AlternateContent>`),
		"ppt/slides/slide2.xml", slide("", "둘", ""),
		"ppt/slides/slide3.xml", slide("", "셋", `<p:graphicFrame><a:graphic><a:graphicData><dgm:relIds xmlns:dgm="d" r:dm="rId2"/></a:graphicData></a:graphic></p:graphicFrame>`),
		"ppt/slides/_rels/slide3.xml.rels", relationsHead+`<Relationship Id="rId2" Type="`+officeRelation+`/diagramData" Target="../diagrams/data1.xml"/></Relationships>`,
		"ppt/diagrams/data1.xml", xmlHead+`<dgm:dataModel xmlns:dgm="d" xmlns:a="a"><dgm:ptLst><dgm:pt><dgm:t><a:bodyPr/><a:p><a:r><a:t>접수</a:t></a:r></a:p></dgm:t></dgm:pt><dgm:pt><dgm:t><a:p><a:r><a:t>심사</a:t></a:r></a:p></dgm:t></dgm:pt></dgm:ptLst></dgm:dataModel>`,
		"ppt/slides/slide4.xml", slide(` show="0"`, "숨김", ""),
		"ppt/slides/slide5.xml", slide("", "빼낸 것", ""))
	_, chunks := mustLoad(t, "a.pptx", data)
	want := "[a > 셋, p. 1] 셋 글 / 접수 / 심사\n[a > 하나, p. 2] 하나 글 / (수식)/(2)x\n[a > 둘, p. 4] 둘 글"
	if got := show(chunks); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// page returns a document of Word.
func page(t *testing.T, body string) []byte {
	return zipOf(t, "[Content_Types].xml", officeTypes,
		"word/document.xml", xmlHead+`<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>`+body+`<w:sectPr/></w:body></w:document>`,
		"word/styles.xml", xmlHead+`<w:styles xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:style w:type="paragraph" w:styleId="z-TopofForm"><w:name w:val="HTML Top of Form"/><w:rPr><w:vanish/></w:rPr></w:style>`+
			`<w:style w:type="character" w:styleId="Secret"><w:name w:val="Secret"/><w:rPr><w:vanish w:val="true"/></w:rPr></w:style></w:styles>`)
}

func run(properties, text string) string {
	return `<w:r><w:rPr>` + properties + `</w:rPr><w:t xml:space="preserve">` + text + `</w:t></w:r>`
}

func paragraph(properties string, runs ...string) string {
	return `<w:p><w:pPr>` + properties + `</w:pPr>` + strings.Join(runs, "") + `</w:p>`
}

func wordCell(properties string, content ...string) string {
	return `<w:tc><w:tcPr>` + properties + `</w:tcPr>` + strings.Join(content, "") + `</w:tc>`
}

// letters are those of an equation in short: what is between two elements.
var letters = regexp.MustCompile(`>([^<]+)<`)

// equations writes a paragraph for each equation; its letters are runs.
func equations(list ...string) string {
	var all strings.Builder
	for _, e := range list {
		all.WriteString(paragraph("", `<m:oMathPara xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math">`+letters.ReplaceAllString(`<m:oMath>`+e+`</m:oMath>`, `><m:r><m:rPr/><m:t>$1</m:t></m:r><`)+`</m:oMathPara>`))
	}
	return all.String()
}

func TestWordDocuments(t *testing.T) {
	t.Parallel()
	text := func(s string) string { return paragraph("", run("", s)) }
	inner := `<w:tbl><w:tr>` + wordCell("", text("항목")) + wordCell("", text("금액")) + `</w:tr><w:tr>` + wordCell("", text("숙박")) + wordCell("", text("12만 원")) + `</w:tr></w:tbl>`
	for name, c := range map[string]struct{ body, want string }{
		"hidden_text": {paragraph("", run("", "보이는 글"), run("<w:vanish/>", " 숨긴 글"), run(`<w:vanish w:val="0"/>`, " 다시 보임"), run(`<w:rStyle w:val="Secret"/>`, " 비밀")) +
			paragraph(`<w:pStyle w:val="z-TopofForm"/>`, run("", "양식의 맨 위")), "보이는 글 다시 보임"},
		"an_equation": {paragraph("", run("", "각도는 "), `<m:oMath xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"><m:r><m:t>sinθ=</m:t></m:r><m:f><m:fPr><m:ctrlPr/></m:fPr><m:num><m:r><m:t>mλ</m:t></m:r></m:num><m:den><m:sSup><m:e><m:r><m:t>a</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup></m:den></m:f>`+
			`<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub><m:r><m:t>i</m:t></m:r></m:sub></m:nary><m:rad><m:e><m:r><m:t>x</m:t></m:r></m:e></m:rad></m:oMath>`, run("", " 이다")), "각도는 sinθ=(mλ)/(a^(2))∑_(i)√(x) 이다"},
		"marks_of_equations": {equations(
			`<m:rad><m:radPr/><m:deg>3</m:deg><m:e>x</m:e></m:rad><m:rad><m:deg>5</m:deg><m:e>y</m:e></m:rad>`,
			`<m:nary><m:naryPr><m:subHide m:val="0"/></m:naryPr><m:sub>0</m:sub><m:sup>1</m:sup><m:e>t</m:e></m:nary><m:nary><m:naryPr><m:chr m:val="∏"/></m:naryPr><m:sub/><m:sup/><m:e>p</m:e></m:nary>`,
			`<m:d><m:dPr><m:begChr m:val="|"/><m:endChr m:val="|"/></m:dPr><m:e>x-y</m:e></m:d><m:d><m:dPr><m:begChr m:val="["/><m:sepChr m:val=","/><m:endChr m:val="]"/></m:dPr><m:e>a</m:e><m:e>b</m:e></m:d><m:d><m:e>c</m:e><m:e>d</m:e></m:d>`,
			`<m:m><m:mPr/><m:mr><m:e>1</m:e><m:e>2</m:e></m:mr><m:mr><m:e>3</m:e><m:e>4</m:e></m:mr></m:m>`,
			`<m:d><m:dPr><m:begChr m:val="{"/><m:endChr m:val=""/></m:dPr><m:e><m:eqArr><m:e>x&amp;=1</m:e><m:e>y&amp;=2</m:e></m:eqArr></m:e></m:d>`,
			`<m:func><m:fName><m:limLow><m:e>lim</m:e><m:lim>x→0</m:lim></m:limLow></m:fName><m:e>2x</m:e></m:func>+<m:func><m:fName>f</m:fName><m:e><m:d><m:e>x</m:e></m:d></m:e></m:func>`,
			`<m:sSup><m:e><m:f><m:num>a</m:num><m:den>b</m:den></m:f></m:e><m:sup>2</m:sup></m:sSup><m:d><m:e><m:f><m:fPr><m:type m:val="noBar"/></m:fPr><m:num>n</m:num><m:den>k</m:den></m:f></m:e></m:d>`,
			`<m:acc><m:e>x</m:e></m:acc><m:bar><m:barPr><m:pos m:val="top"/></m:barPr><m:e>ab</m:e></m:bar><m:sPre><m:sub>6</m:sub><m:sup>14</m:sup><m:e>C</m:e></m:sPre>`,
			`a<w:del>b<m:rad><m:e>c</m:e></m:rad></w:del><w:ins>d</w:ins></m:oMath><m:oMath>e`),
			"∛(x)√[5](y) / ∫_(0)^(1)t∏p / |x-y|[a,b](c|d) / [1, 2; 3, 4] / {x=1; y=2 / lim_(x→0) (2x)+f(x) / ((a)/(b))^(2)(n; k) / x\u0302(ab)\u0305{_(6)^(14)}C / ad / e"},
		"a_hidden_mark_hides_no_text":  {paragraph("<w:rPr><w:vanish/></w:rPr>", run("", "본문")), "본문"},
		"what_was_hidden_once_is_read": {paragraph("", run(`<w:rPrChange w:id="1" w:author="a"><w:rPr><w:vanish/></w:rPr></w:rPrChange>`, "본문")), "본문"},
		"a_table_within_a_table": {`<w:tbl><w:tr>` + wordCell("", text("구분")) + wordCell("", text("내용")) + `</w:tr><w:tr>` +
			wordCell("", text("출장")) + wordCell("", text("한도"), inner, text("까지")) + `</w:tr><w:tr>` + wordCell("", text("교육")) + wordCell("", text("없음")) + `</w:tr></w:tbl>`,
			"구분: 출장 | 내용: 한도 까지 / 항목: 숙박 | 금액: 12만 원 / 구분: 교육 | 내용: 없음"},
		"a_text_box_is_written_twice": {`<w:p xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006">` + run("", "앞글 ") + `<w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><w:txbxContent>` + text("글상자") + text("둘째 줄") +
			`</w:txbxContent></w:drawing></mc:Choice><mc:Fallback><w:pict><w:txbxContent>` + text("글상자") + text("둘째 줄") + `</w:txbxContent></w:pict></mc:Fallback></mc:AlternateContent></w:r>` + run("", "뒷글") + `</w:p>`,
			"글상자 / 둘째 줄 / 앞글 뒷글"},
		"changes_are_followed": {paragraph("", `<w:del w:id="1"><w:r><w:delText>백만</w:delText></w:r></w:del>`, `<w:ins w:id="2">`+run("", "이백만")+`</w:ins>`, run("", " 원")) +
			paragraph(`<w:rPr><w:del w:id="3"/></w:rPr>`, run("", "이어")) + text("진다") + text("다음"), "이백만 원 / 이어진다 / 다음"},
		"a_table_for_the_layout": {`<w:tbl><w:tr>` + wordCell("", text("지급 기준"), inner) + `</w:tr></w:tbl>`, "지급 기준 / 항목: 숙박 | 금액: 12만 원"},
		"merged_cells": {`<w:tbl><w:tr>` + wordCell("", text("지역")) + wordCell("", text("월")) + wordCell("", text("화")) + wordCell("", text("수")) + `</w:tr>` +
			`<w:tr>` + wordCell(`<w:vMerge w:val="restart"/>`, text("서울")) + wordCell(`<w:gridSpan w:val="2"/>`, text("휴가")) + wordCell("", text("근무")) + `</w:tr>` +
			`<w:tr>` + wordCell(`<w:vMerge/>`, text("")) + wordCell("", text("가")) + wordCell("", text("나")) + wordCell("", text("다")) + `</w:tr></w:tbl>`,
			"지역: 서울 | 월: 휴가 | 화: 휴가 | 수: 근무 / 지역: 서울 | 월: 가 | 화: 나 | 수: 다"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, chunks := mustLoad(t, "a.docx", page(t, c.body))
			if got := show(chunks); got != "[a] "+c.want {
				t.Errorf("%s\nwant\n%s", got, c.want)
			}
		})
	}
}

// numbered returns a document whose paragraphs a list numbers: 제1조 and below it ①, 1. and 가.
func numbered(t *testing.T, body string) []byte {
	const w = ` xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"`
	level := func(n, start, format, text, more string) string {
		return `<w:lvl w:ilvl="` + n + `"><w:start w:val="` + start + `"/><w:numFmt w:val="` + format + `"/>` + more + `<w:lvlText w:val="` + text + `"/></w:lvl>`
	}
	return zipOf(t, "[Content_Types].xml", officeTypes,
		"word/document.xml", xmlHead+`<w:document`+w+`><w:body>`+body+`<w:sectPr/></w:body></w:document>`,
		"word/styles.xml", xmlHead+`<w:styles`+w+`><w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/><w:pPr><w:numPr><w:numId w:val="4"/></w:numPr></w:pPr></w:style>`+
			`<w:style w:type="paragraph" w:styleId="Chapter"><w:name w:val="우리 장"/><w:basedOn w:val="Heading1"/></w:style>`+
			`<w:style w:type="paragraph" w:styleId="Clause"><w:name w:val="Clause"/><w:pPr><w:numPr><w:numId w:val="4"/></w:numPr></w:pPr></w:style></w:styles>`,
		"word/numbering.xml", xmlHead+`<w:numbering`+w+`><w:abstractNum w:abstractNumId="7">`+level("0", "1", "decimal", "제%1조", "")+level("1", "1", "decimalEnclosedCircle", "%2", "")+
			level("2", "1", "decimal", "%3.", "")+level("3", "1", "ganada", "%4.", "")+`</w:abstractNum>`+
			`<w:abstractNum w:abstractNumId="8">`+level("0", "1", "upperRoman", "Article %1.", `<w:pStyle w:val="Heading1"/>`)+level("1", "1", "decimal", "%1.%2", `<w:pStyle w:val="Clause"/><w:isLgl/>`)+`</w:abstractNum>`+
			`<w:abstractNum w:abstractNumId="9">`+level("0", "1", "bullet", "●", "")+`</w:abstractNum>`+
			`<w:num w:numId="1"><w:abstractNumId w:val="7"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="9"/></w:num>`+
			`<w:num w:numId="3"><w:abstractNumId w:val="7"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="10"/></w:lvlOverride></w:num>`+
			`<w:num w:numId="4"><w:abstractNumId w:val="8"/></w:num></w:numbering>`)
}

// inList returns a paragraph of a list.
func inList(list, level, text string) string {
	return paragraph(`<w:numPr><w:ilvl w:val="`+level+`"/><w:numId w:val="`+list+`"/></w:numPr>`, run("", text))
}

// TestWordNumbers: what Word numbers by itself is in no text, and articles are asked for by number.
func TestWordNumbers(t *testing.T) {
	t.Parallel()
	styled := func(style, text string) string { return paragraph(`<w:pStyle w:val="`+style+`"/>`, run("", text)) }
	for name, c := range map[string]struct{ body, want string }{
		"articles_of_a_contract": {inList("1", "0", "(목적) 용역을 정한다.") + inList("1", "0", "(대금)") + inList("1", "1", "갑이 준다.") + inList("1", "1", "매월 준다.") +
			inList("1", "2", "계약금") + inList("1", "2", "잔금") + inList("1", "3", "현금") + inList("1", "3", "어음") + inList("1", "0", "(해지)") + inList("1", "1", "알린다."),
			"[a > 제1조 (목적)] 용역을 정한다.\n[a > 제2조 (대금)] ① 갑이 준다. / ② 매월 준다. / 1. 계약금 / 2. 잔금 / 가. 현금 / 나. 어음\n[a > 제3조 (해지)] ① 알린다."},
		"a_number_without_text_counts":   {inList("1", "0", "(하나)") + inList("1", "0", "") + inList("1", "0", "(셋)"), "[a > 제1조 (하나)] 제1조 (하나)\n[a > 제3조 (셋)] 제3조 (셋)"},
		"a_list_that_begins_differently": {inList("1", "0", "(하나)") + inList("3", "0", "(열)") + inList("3", "0", "(열하나)"), "[a > 제1조 (하나)] 제1조 (하나)\n[a > 제10조 (열)] 제10조 (열)\n[a > 제11조 (열하나)] 제11조 (열하나)"},
		"bullets_have_none":              {inList("2", "0", "하나") + inList("2", "0", "둘"), "[a] 하나 / 둘"},
		"lists_of_styles": {styled("Heading1", "Term") + styled("Clause", "Two years.") + styled("Clause", "It renews.") + styled("Chapter", "Fees") + styled("Clause", "USD 900."),
			"[a > Article I. Term] 1.1 Two years. / 1.2 It renews.\n[a > Article II. Fees] 2.1 USD 900."},
		"a_paragraph_may_have_none":   {paragraph(`<w:pStyle w:val="Clause"/><w:numPr><w:ilvl w:val="0"/><w:numId w:val="0"/></w:numPr>`, run("", "머리말")), "[a] 머리말"},
		"a_list_that_is_not_there":    {inList("99", "0", "하나"), "[a] 하나"},
		"a_heading_with_its_sentence": {styled("Heading1", "(Purpose) We agree.") + styled("Clause", strings.Repeat("A long clause. ", 3)), "[a > Article I. (Purpose) We agree.] 1.1 A long clause. A long clause. A long clause."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, chunks := mustLoad(t, "a.docx", numbered(t, c.body))
			if got := show(chunks); got != c.want {
				t.Errorf("%s\nwant\n%s", got, c.want)
			}
		})
	}
}
