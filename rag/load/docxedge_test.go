package load_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestHeadersOfDocuments: a header is said once, before the first article, without page numbers, and not where the
// document says the same itself.
func TestHeadersOfDocuments(t *testing.T) {
	t.Parallel()
	text := func(s string) string { return paragraph("", run("", s)) }
	field := func(code, shown string) string {
		return `<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> ` + code + ` </w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r>` + run("", shown) + `<w:r><w:fldChar w:fldCharType="end"/></w:r>`
	}
	simple := func(code, shown string) string {
		return `<w:fldSimple w:instr=" ` + code + ` \* MERGEFORMAT ">` + run("", shown) + `</w:fldSimple>`
	}
	article := text("제1조(목적) 용역을 정한다.")
	const body = "[a > 제1조(목적)] 용역을 정한다."
	for name, c := range map[string]struct {
		section, settings, body, header, footer, want string
	}{
		"a_number_that_stands_nowhere_else": {header: text("계약번호 제2024-17호"), want: "[a] 머리글: 계약번호 제2024-17호\n" + body},
		"a_table":                           {header: `<w:tbl><w:tr>` + wordCell("", text("문서번호")) + wordCell("", text("MR-7")) + `</w:tr></w:tbl>`, want: "[a] 머리글: 문서번호: MR-7\n" + body},
		"numbers_of_pages_are_left_out": {header: paragraph("", run("", "Acme – Page "), field("PAGE", "1"), run("", " of "), field("NUMPAGES", "9")), footer: paragraph("", run("", "- "), simple("PAGE", "3"), run("", " -")),
			want: "[a] Page header: Acme\n" + body},
		"a_footer_comes_after_the_header": {header: text("갑 주식회사"), footer: paragraph("", run("", "대외비 "), field("PAGE", "1"), run("", " / "), simple("NUMPAGES", "4"), run("", "쪽")), want: "[a] 머리글: 갑 주식회사 / 바닥글: 대외비\n" + body},
		"what_the_document_says_itself":   {body: text("소프트웨어 용역계약서") + article, header: text("용역계약서"), want: "[a] 소프트웨어 용역계약서\n" + body},
		"a_first_page_that_none_has":      {section: `<w:headerReference w:type="first" r:id="rId1"/>`, header: text("초안"), want: body},
		"a_first_page_of_its_own":         {section: `<w:headerReference w:type="first" r:id="rId1"/><w:titlePg/>`, header: text("초안"), want: "[a] 머리글: 초안\n" + body},
		"even_pages_like_the_others":      {section: `<w:headerReference w:type="even" r:id="rId1"/>`, header: text("초안"), want: body},
		"even_pages_of_their_own":         {section: `<w:headerReference w:type="even" r:id="rId1"/>`, settings: `<w:evenAndOddHeaders/>`, header: text("초안"), want: "[a] 머리글: 초안\n" + body},
		"other_fields_are_read":           {header: paragraph("", field(`STYLEREF "제목 1"`, "총칙"), run("", " 편")), want: "[a] 머리글: 총칙 편\n" + body},
		"each_line_once":                  {section: strings.Repeat(`<w:headerReference w:type="default" r:id="rId1"/>`, 2), header: text("갑") + text("갑"), want: "[a] 머리글: 갑\n" + body},
		"a_part_that_is_not_there":        {section: `<w:headerReference w:type="default" r:id="rId9"/>`, want: body},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if c.section == "" {
				c.section = `<w:headerReference w:type="default" r:id="rId1"/><w:footerReference w:type="default" r:id="rId2"/>`
			}
			if c.body == "" {
				c.body = article
			}
			w := ` xmlns:w="w" xmlns:r="` + officeRelation + `"`
			_, chunks := mustLoad(t, "a.docx", zipOf(t, "[Content_Types].xml", officeTypes,
				"word/document.xml", fmt.Sprintf(`%s<w:document%s><w:body>%s<w:sectPr>%s</w:sectPr></w:body></w:document>`, xmlHead, w, c.body, c.section),
				"word/_rels/document.xml.rels", relationsHead+`<Relationship Id="rId1" Type="`+officeRelation+`/header" Target="header1.xml"/><Relationship Id="rId2" Type="`+officeRelation+`/footer" Target="footer1.xml"/></Relationships>`,
				"word/settings.xml", `<w:settings`+w+`>`+c.settings+`</w:settings>`,
				"word/header1.xml", `<w:hdr`+w+`>`+c.header+`</w:hdr>`,
				"word/footer1.xml", `<w:ftr`+w+`>`+c.footer+`</w:ftr>`))
			if got := show(chunks); got != c.want {
				t.Errorf("%s\nwant\n%s", got, c.want)
			}
		})
	}
}
