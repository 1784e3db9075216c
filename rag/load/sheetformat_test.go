package load_test

import (
	"strings"
	"testing"

	"maru/rag/load"
)

// TestDatesOfSheets: a date is told as one, whatever format it has; a number stays a number.
func TestDatesOfSheets(t *testing.T) {
	t.Parallel()
	data := zipOf(t, "xl/workbook.xml", `<workbook xmlns:r="r"><sheets><sheet name="명단" r:id="r1"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels", `<Relationships><Relationship Id="r1" Target="worksheets/sheet1.xml"/></Relationships>`,
		"xl/styles.xml", `<styleSheet><numFmts><numFmt numFmtId="170" formatCode="yyyy&quot;년&quot; m&quot;월&quot;"/><numFmt numFmtId="171" formatCode="0.0&quot; days&quot;"/></numFmts>`+
			`<cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="170"/><xf numFmtId="171"/></cellXfs></styleSheet>`,
		"xl/worksheets/sheet1.xml", `<worksheet><sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>입사일</t></is></c><c r="B1" t="inlineStr"><is><t>면담</t></is></c><c r="C1" t="inlineStr"><is><t>연차</t></is></c><c r="D1" t="inlineStr"><is><t>사번</t></is></c></row>`+
			`<row r="2"><c r="A2" s="1"><v>45000</v></c><c r="B2" s="2"><v>45031.5</v></c><c r="C2" s="3"><v>15</v></c><c r="D2" s="0"><v>45000</v></c></row></sheetData></worksheet>`)
	_, chunks, err := load.New(load.Config{}).Load(t.Context(), "a.xlsx", data)
	if err != nil || len(chunks) == 0 {
		t.Fatalf("%d passages, %v", len(chunks), err)
	}
	if want := "입사일: 2023-03-15 | 면담: 2023-04-15 12:00 | 연차: 15 | 사번: 45000"; !strings.Contains(chunks[0].Text, want) {
		t.Errorf("%q, want %q", chunks[0].Text, want)
	}
}
