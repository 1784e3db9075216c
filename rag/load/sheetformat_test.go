package load_test

import (
	"archive/zip"
	"bytes"
	"html"
	"io"
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
	if want := "입사일: 2023-03-15 | 면담: 2023-04-15 12:00 | 연차: 15 days | 사번: 45000"; !strings.Contains(chunks[0].Text, want) {
		t.Errorf("%q, want %q", chunks[0].Text, want)
	}
}

// TestNumbersOfSheets: a number is told as its cell shows it. All are in one row, each under its format.
func TestNumbersOfSheets(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ format, value, want string }{
		{"h:mm", "0.39583333333333331", "9:30"}, {"h:mm:ss AM/PM", "0.7503472222222223", "18:00:30"}, {"h:mm", "45000.75", "18:00"},
		{"[h]:mm", "1.5", "36:00"}, {"[h]:mm:ss", "1.2604166666666667", "30:15"}, {"mm:ss", "0.0034722222222222", "0:05"}, {"[mm]:ss", "0.0346643518518519", "0:49:55"}, {"[h]:mm", "-0.25", "-6:00"},
		{"yyyy-mm-dd hh:mm:ss", "45418.297326388887", "2024-05-06 07:08:09"}, {`[$-412]yyyy"년" m"월" d"일" dddd;@`, "45000", "2023-03-15"}, {"yyyy-mm-dd h:mm", "0.5", "12:00"}, {"mmm", "45000", "2023-03-15"},
		{"General", "1.1000000000000001", "1.1"}, {"0.00", "1.0000000000000001E-7", "0.0000001"}, {"0", "1.23456789012E+11", "123456789012"}, {"General", "45000", "45000"},
		{`"₩"#,##0`, "1500000", "₩1500000"}, {"[$₩-412]#,##0", "1200", "₩1200"}, {`0"개월"`, "12", "12개월"}, {`0.0\%`, "12.5", "12.5%"}, {"#,##0;[Red](#,##0)", "-1234", "-1234"}, {`_-* #,##0_-;\-* #,##0_-`, "5", "5"},
		{"00000", "7", "00007"}, {"000-00-00000", "1234567890", "123-45-67890"}, {`000\-0000\-0000`, "1012345678", "010-1234-5678"}, {"00000", "1.5", "1.5"},
		{"0.0%", "0.125", "12.5%"}, {"@", "3", "3"}, {`G/표준"호"`, "3", "3호"}, {"[", "3", "3"}, {`"`, "3", "3"}, {`\`, "3", "3"},
	} {
		data := workbook(t, "", cells("1", "값")+`<row r="2"><c r="A2" s="6"><v>`+c.value+`</v></c></row></sheetData>`)
		data = zipOf(t, append(partsOf(t, data, "xl/styles.xml"), "xl/styles.xml", `<styleSheet><numFmts><numFmt numFmtId="200" formatCode="`+html.EscapeString(c.format)+`"/></numFmts><cellXfs>`+strings.Repeat(`<xf numFmtId="0"/>`, 6)+`<xf numFmtId="200"/></cellXfs></styleSheet>`)...)
		_, chunks, err := load.New(load.Config{}).Load(t.Context(), "a.xlsx", data)
		if err != nil || len(chunks) != 1 || chunks[0].Text != "값: "+c.want {
			t.Errorf("%s of %s: %+v, %v, want %s", c.value, c.format, chunks, err, c.want)
		}
	}
}

// TestCellsThatAreNoNumbers: what was never computed is shown as it was written, a text stays a text.
func TestCellsThatAreNoNumbers(t *testing.T) {
	t.Parallel()
	_, chunks := mustLoad(t, "a.xlsx", workbook(t, "", cells("1", "a", "b", "c", "d", "e", "f")+`<row r="2"><c r="A2"><f>SUM(B2:B9)</f></c><c r="B2" t="str"><f>""</f><v></v></c><c r="C2" t="e"><v>#DIV/0!</v></c>`+
		`<c r="D2" t="b"><v>1</v></c><c r="E2" t="inlineStr" s="1"><is><t>1.10</t></is></c><c r="F2" t="d"><v>2024-05-05T09:30:00.000Z</v></c></row></sheetData>`))
	if want := "a: =SUM(B2:B9) | c: #DIV/0! | d: TRUE | e: 1.10 | f: 2024-05-05 09:30\nb: –"; chunks[0].Text != want {
		t.Errorf("%q, want %q", chunks[0].Text, want)
	}
}

// partsOf returns the files of a zip but one, as zipOf takes them.
func partsOf(t *testing.T, data []byte, without string) (parts []string) {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range z.File {
		if f.Name == without {
			continue
		}
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, f.Name, string(b))
	}
	return parts
}
