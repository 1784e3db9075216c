package load_test

import (
	"errors"
	"strings"
	"testing"

	"maru/rag/load"
)

const relation = `<Relationship Id="ID" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/KIND" Target="TARGET"/>`

func relations(ids ...string) string {
	var b strings.Builder
	for i := 0; i+2 < len(ids); i += 3 {
		b.WriteString(strings.NewReplacer("ID", ids[i], "KIND", ids[i+1], "TARGET", ids[i+2]).Replace(relation))
	}
	return `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` + b.String() + `</Relationships>`
}

// TestPartsInsideOfAText: parts in other formats, which generators put into a document for Word to merge, are read where they stand.
func TestPartsInsideOfAText(t *testing.T) {
	t.Parallel()
	const head = `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><w:body>`
	paragraph := func(s string) string { return `<w:p><w:r><w:t>` + s + `</w:t></w:r></w:p>` }
	chunk := func(id string) string { return `<w:altChunk r:id="` + id + `"/>` }
	const page = `<html><head><title>page</title></head><body><p>점심은 12시다.</p><table><tr><th>요일</th><th>메뉴</th></tr><tr><td>월</td><td>비빔밥</td></tr></table></body></html>`
	mht := "MIME-Version: 1.0\r\nContent-Type: multipart/related; type=\"text/html\"; boundary=\"b\"\r\n\r\n--b\r\nContent-Type: text/html; charset=utf-8\r\nContent-Location: file:///C:/a.html\r\n\r\n<html><body><p>Badge at the desk.</p></body></html>\r\n--b--\r\n"
	inner := zipOf(t, "word/document.xml", head+paragraph("Merged report.")+chunk("self")+`</w:body></w:document>`, "word/_rels/document.xml.rels", relations("self", "aFChunk", "/word/document.xml"))
	doc := zipOf(t, "word/document.xml", head+paragraph("Before.")+chunk("h")+paragraph("Between.")+chunk("m")+chunk("d")+chunk("t")+chunk("r")+chunk("none")+paragraph("After.")+`</w:body></w:document>`,
		"word/_rels/document.xml.rels", relations("h", "aFChunk", "page.html", "m", "aFChunk", "/word/a.mht", "d", "aFChunk", "b.docx", "t", "aFChunk", "c.txt", "r", "aFChunk", "d.rtf"),
		"word/page.html", page, "word/a.mht", mht, "word/b.docx", string(inner), "word/c.txt", "Plain words.", "word/d.rtf", `{\rtf1 Rich words.\par}`)
	_, chunks := mustLoad(t, "report.docx", doc)
	want := "[report] Before. / 점심은 12시다. / 요일: 월 | 메뉴: 비빔밥 / Between. / Badge at the desk. / Merged report. / Plain words. / Rich words. / After."
	if got := show(chunks); got != want {
		t.Errorf("%q\nwant\n%q", got, want)
	}
}

// TestPartsThatAreLeftOut: a broken merged part, one of a format that Word does not merge and one in deleted or hidden text are left
// out, and the rest of the document is read. A part over a limit stays an error.
func TestPartsThatAreLeftOut(t *testing.T) {
	t.Parallel()
	const head = `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><w:body>`
	paragraph := func(s string) string { return `<w:p><w:r><w:t>` + s + `</w:t></w:r></w:p>` }
	const chunk = `<w:altChunk r:id="c"/>`
	inner := string(zipOf(t, "word/document.xml", head+paragraph("Merged.")+`</w:body></w:document>`))
	half := string(zipOf(t, "word/document.xml", head+paragraph("Merged.")+`<w:p>`))
	const page = "<html><body><p>Merged.</p></body></html>"
	const box = `<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:pict><w:txbxContent>` + chunk + `</w:txbxContent></w:pict></w:r></w:p>`
	for name, c := range map[string]struct {
		part, content, around string // around CHUNK; "" is the part alone
		read                  bool
	}{
		"zip_that_is_none":   {"a.docx", "PK no archive", "", false},
		"document_cut_off":   {"a.docx", half, "", false},
		"rtf_that_is_none":   {"a.rtf", "\x00\x01", "", false},
		"mail_that_is_none":  {"a.mht", "no mail", "", false},
		"text_in_no_charset": {"a.txt", "\x81\x00\xff\xfe\x00", "", false},
		"picture":            {"a.png", "\x89PNG\r\n\x1a\n", "", false},
		"page_of_zip_bytes":  {"a.html", inner, "", false},
		"other_ending":       {"a.dat", inner, "", false},
		"macros":             {"a.docm", inner, "", true},
		"template":           {"a.dotx", inner, "", true},
		"xhtml":              {"a.xhtml", page, "", true},
		"page_in_other_name": {"a.dat", page, "", true},
		"deleted":            {"a.html", page, "<w:del>CHUNK</w:del>", false},
		"hidden_box":         {"a.html", page, strings.Replace(box, chunk, "CHUNK", 1), false},
		"after_hidden_words": {"a.html", page, "<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>x</w:t></w:r></w:p>CHUNK", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			body := chunk
			if c.around != "" {
				body = strings.Replace(c.around, "CHUNK", chunk, 1)
			}
			doc := zipOf(t, "word/document.xml", head+paragraph("Before.")+body+paragraph("After.")+`</w:body></w:document>`,
				"word/_rels/document.xml.rels", relations("c", "aFChunk", c.part), "word/"+c.part, c.content)
			want := "[report] Before. / After."
			if c.read {
				want = "[report] Before. / Merged. / After."
			}
			_, chunks := mustLoad(t, "report.docx", doc)
			if got := show(chunks); got != want {
				t.Errorf("%q, want %q", got, want)
			}
		})
	}
	deep := strings.Repeat("<div>", 2000)
	doc := zipOf(t, "word/document.xml", head+paragraph("Before.")+chunk+`</w:body></w:document>`, "word/_rels/document.xml.rels", relations("c", "aFChunk", "a.html"), "word/a.html", deep)
	_, _, err := newLoader().Load(t.Context(), "report.docx", doc)
	if e := new(load.Error); !errors.As(err, &e) || e.Code != load.TooComplex {
		t.Errorf("a page over the limit: %v", err)
	}
}

// TestShapesOnASheet: text in boxes, also of groups, follows the rows.
func TestShapesOnASheet(t *testing.T) {
	t.Parallel()
	const shape = `<xdr:sp><xdr:nvSpPr><xdr:cNvPr id="1" name="TextBox 1"/></xdr:nvSpPr><xdr:txBody><a:p><a:r><a:t>LINE </a:t></a:r><a:r><a:t>one</a:t></a:r></a:p><a:p><a:r><a:t>LINE two</a:t></a:r></a:p></xdr:txBody></xdr:sp>`
	drawing := `<xdr:wsDr xmlns:xdr="x" xmlns:a="a">` + strings.ReplaceAll(shape, "LINE", "작성 안내") + `<xdr:grpSp>` + strings.ReplaceAll(shape, "LINE", "in a group") + `</xdr:grpSp></xdr:wsDr>`
	for name, c := range map[string]struct{ drawing, want string }{
		"shapes": {drawing, "[a > 표] 이름: 김하나 / 작성 안내 one / 작성 안내 two / in a group one / in a group two"},
		"broken": {`<xdr:wsDr><xdr:sp>`, "[a > 표] 이름: 김하나"},
	} {
		data := zipOf(t, "xl/workbook.xml", `<workbook xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="표" r:id="s"/></sheets></workbook>`,
			"xl/_rels/workbook.xml.rels", relations("s", "worksheet", "worksheets/sheet1.xml"),
			"xl/worksheets/sheet1.xml", `<worksheet><sheetData><row><c t="inlineStr"><is><t>이름</t></is></c></row><row><c t="inlineStr"><is><t>김하나</t></is></c></row></sheetData></worksheet>`,
			"xl/worksheets/_rels/sheet1.xml.rels", relations("d", "drawing", "../drawings/drawing1.xml"), "xl/drawings/drawing1.xml", c.drawing)
		_, chunks := mustLoad(t, "a.xlsx", data)
		if got := show(chunks); got != c.want {
			t.Errorf("%s: %q\nwant\n%q", name, got, c.want)
		}
	}
}
