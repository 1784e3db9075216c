package load_test

import (
	"strings"
	"testing"
)

const chartHead = ` xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"`

// chartOf returns a chart as Office keeps it; inner is what its plot area holds.
func chartOf(title, inner string) string {
	if title != "" {
		title = `<c:title><c:tx><c:rich><a:bodyPr/><a:p><a:r><a:t>` + title + `</a:t></a:r></a:p></c:rich></c:tx></c:title>`
	}
	return xmlHead + `<c:chartSpace` + chartHead + `><c:date1904 val="0"/><c:chart>` + title + `<c:plotArea><c:layout/>` + inner + `</c:plotArea></c:chart></c:chartSpace>`
}

func points(values ...string) string {
	var b strings.Builder
	for i, v := range values {
		if v != "" {
			b.WriteString(`<c:pt idx="` + string(rune('0'+i)) + `"><c:v>` + v + `</c:v></c:pt>`)
		}
	}
	return b.String()
}

func texts(sheet string, values ...string) string {
	return `<c:strRef><c:f>` + sheet + `!$A$1</c:f><c:strCache><c:ptCount val="9"/>` + points(values...) + `</c:strCache></c:strRef>`
}

func numbersOf(sheet, format string, values ...string) string {
	return `<c:numRef><c:f>` + sheet + `!$B$2:$B$9</c:f><c:numCache><c:formatCode>` + format + `</c:formatCode><c:ptCount val="9"/>` + points(values...) + `</c:numCache></c:numRef>`
}

func series(name, categories, values string) string {
	if name != "" {
		name = `<c:tx>` + texts("Sheet1", name) + `</c:tx>`
	}
	return `<c:ser><c:idx val="0"/>` + name + `<c:dLbls><c:dLbl><c:tx><c:rich><a:p><a:r><a:t>최고</a:t></a:r></a:p></c:rich></c:tx></c:dLbl></c:dLbls><c:cat>` + categories + `</c:cat><c:val>` + values + `</c:val></c:ser>`
}

func axis(kind, title string) string {
	return `<c:` + kind + `><c:title><c:tx><c:rich><a:p><a:r><a:t>` + title + `</a:t></a:r></a:p></c:rich></c:tx></c:title></c:` + kind + `>`
}

// salesChart is bars of two series over quarters.
func salesChart() string {
	quarters := texts("Sheet1", "1분기", "2분기")
	return chartOf("지역별 매출", `<c:barChart>`+series("서울", quarters, numbersOf("Sheet1", "General", "12.5", "14"))+series("부산", quarters, numbersOf("Sheet1", "0%", "0.25", ""))+`</c:barChart>`+axis("catAx", "분기")+axis("valAx", "억 원"))
}

const salesRows = "차트: 지역별 매출 (억 원) / 분기: 1분기 | 서울: 12.5 | 부산: 25% / 분기: 2분기 | 서울: 14"

func TestCharts(t *testing.T) {
	t.Parallel()
	months := `<c:multiLvlStrRef><c:f>S!$A$1:$B$4</c:f><c:multiLvlStrCache><c:ptCount val="4"/><c:lvl>` + points("1월", "2월", "1월", "2월") + `</c:lvl><c:lvl>` + points("2023", "", "2024", "") + `</c:lvl></c:multiLvlStrCache></c:multiLvlStrRef>`
	cloud := `<c:scatterChart><c:ser><c:xVal>` + numbersOf("S", "General", "1", "2") + `</c:xVal><c:yVal>` + numbersOf("S", "General", "10", "20") + `</c:yVal></c:ser></c:scatterChart>`
	for name, c := range map[string]struct{ chart, want string }{
		"series_share_their_categories":  {salesChart(), salesRows},
		"levels_of_categories":           {chartOf("월별", `<c:lineChart>`+series("방문", months, numbersOf("S", "General", "1", "2", "3", "4"))+`</c:lineChart>`), "차트: 월별 / 2023 1월 | 방문: 1 / 2023 2월 | 방문: 2 / 2024 1월 | 방문: 3 / 2024 2월 | 방문: 4"},
		"days":                           {chartOf("", `<c:lineChart>`+series("Price", numbersOf("S", "yyyy\\-mm\\-dd", "45292", "45293"), numbersOf("S", "General", "7", "8"))+`</c:lineChart>`), "2024-01-01 | Price: 7 / 2024-01-02 | Price: 8"},
		"a_cloud_has_two_axes_of_values": {chartOf("Price and demand", cloud+axis("valAx", "Price")+axis("valAx", "Demand")), "Chart: Price and demand (Demand) / Price: 1 | 10 / Price: 2 | 20"},
		"a_title_from_a_cell":            {strings.Replace(chartOf("", `<c:pieChart>`+series("몫", texts("S", "갑", "을"), numbersOf("S", "0.0%", "0.6", "0.4"))+`</c:pieChart>`), "<c:plotArea>", `<c:title><c:tx>`+texts("S", "지분")+`</c:tx></c:title><c:plotArea>`, 1), "차트: 지분 / 갑 | 몫: 60% / 을 | 몫: 40%"},
		"series_of_other_categories":     {chartOf("", `<c:barChart>`+series("A", texts("S", "x"), numbersOf("S", "General", "1"))+series("B", texts("S", "y"), numbersOf("S", "General", "2"))+`</c:barChart>`), "x | A: 1 / y | B: 2"},
		"a_point_that_is_far_off":        {chartOf("", `<c:barChart>`+series("A", texts("S", "x"), `<c:numLit><c:pt idx="0"><c:v>1</c:v></c:pt><c:pt idx="2000000000"><c:v>2</c:v></c:pt><c:pt idx="-1"><c:v>3</c:v></c:pt></c:numLit>`)+`</c:barChart>`), "x | A: 1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, chunks := mustLoad(t, "a.pptx", slideWithChart(t, c.chart))
			if got := show(chunks); got != "[a > 실적, p. 1] "+c.want {
				t.Errorf("%s\nwant\n%s", got, c.want)
			}
		})
	}
}

const chartFrame = `<a:graphic xmlns:a="a"><a:graphicData><c:chart xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" xmlns:r="` + officeRelation + `" r:id="rId7"/></a:graphicData></a:graphic>`

func slideWithChart(t *testing.T, chart string) []byte {
	return zipOf(t, "[Content_Types].xml", officeTypes, "ppt/presentation.xml", xmlHead+`<p:presentation`+slideHead+`/>`,
		"ppt/slides/slide1.xml", xmlHead+`<p:sld`+slideHead+`><p:cSld><p:spTree>`+shape(`type="title"`, "실적")+`<p:graphicFrame>`+chartFrame+`</p:graphicFrame></p:spTree></p:cSld></p:sld>`,
		"ppt/slides/_rels/slide1.xml.rels", relationsHead+`<Relationship Id="rId7" Type="`+officeRelation+`/chart" Target="../charts/chart1.xml"/></Relationships>`,
		"ppt/charts/chart1.xml", chart)
}

// TestChartsInDocuments: a chart follows its paragraph, or the row of the table that it lies in.
func TestChartsInDocuments(t *testing.T) {
	t.Parallel()
	text := func(s string) string { return paragraph("", run("", s)) }
	drawing := `<w:p><w:r><w:drawing>` + chartFrame + `</w:drawing></w:r></w:p>`
	hidden := `<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:drawing>` + chartFrame + `</w:drawing></w:r></w:p>`
	table := `<w:tbl><w:tr>` + wordCell("", text("구분")) + wordCell("", text("그림")) + `</w:tr><w:tr>` + wordCell("", text("매출")) + wordCell("", drawing) + `</w:tr></w:tbl>`
	for name, c := range map[string]struct{ body, want string }{
		"behind_its_paragraph": {text("앞글") + drawing + text("뒷글"), "앞글 / " + salesRows + " / 뒷글"},
		"in_a_table":           {table + text("뒷글"), "구분: 매출 / " + salesRows + " / 뒷글"},
		"hidden":               {hidden + text("뒷글"), "뒷글"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, chunks := mustLoad(t, "a.docx", zipOf(t, "[Content_Types].xml", officeTypes,
				"word/document.xml", xmlHead+`<w:document xmlns:w="w"><w:body>`+c.body+`</w:body></w:document>`,
				"word/_rels/document.xml.rels", relationsHead+`<Relationship Id="rId7" Type="`+officeRelation+`/chart" Target="charts/chart1.xml"/></Relationships>`,
				"word/charts/chart1.xml", salesChart()))
			if got := show(chunks); got != "[a] "+c.want {
				t.Errorf("%s\nwant\n%s", got, c.want)
			}
		})
	}
}

// TestChartsOfSheets: the values of a chart are on a sheet already, unless that one is hidden.
func TestChartsOfSheets(t *testing.T) {
	t.Parallel()
	const main = ` xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="` + officeRelation + `"`
	for sheet, want := range map[string]string{
		"'올해 매출'": "[a > 올해 매출] 지역: 서울 | 매출: 9\n[a > 그림] 차트: 매출",
		"계산":      "[a > 올해 매출] 지역: 서울 | 매출: 9\n[a > 그림] 차트: 매출 / 서울 | 매출: 7",
		"[1]다른":   "[a > 올해 매출] 지역: 서울 | 매출: 9\n[a > 그림] 차트: 매출 / 서울 | 매출: 7",
	} {
		chart := chartOf("매출", `<c:barChart>`+series("매출", texts(sheet, "서울"), numbersOf(sheet, "General", "7"))+`</c:barChart>`)
		_, chunks := mustLoad(t, "a.xlsx", zipOf(t, "[Content_Types].xml", officeTypes,
			"xl/workbook.xml", xmlHead+`<workbook`+main+`><sheets><sheet name="올해 매출" sheetId="1" r:id="rId1"/><sheet name="계산" sheetId="2" state="hidden" r:id="rId2"/><sheet name="그림" sheetId="3" r:id="rId3"/></sheets></workbook>`,
			"xl/_rels/workbook.xml.rels", relationsHead+`<Relationship Id="rId1" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Target="worksheets/sheet2.xml"/><Relationship Id="rId3" Target="chartsheets/sheet1.xml"/></Relationships>`,
			"xl/worksheets/sheet1.xml", xmlHead+`<worksheet`+main+`><sheetData>`+cells("1", "지역", "매출")+cells("2", "서울", "9")+`</sheetData></worksheet>`,
			"xl/worksheets/sheet2.xml", xmlHead+`<worksheet`+main+`><sheetData>`+cells("1", "숨김")+`</sheetData></worksheet>`,
			"xl/chartsheets/sheet1.xml", xmlHead+`<chartsheet`+main+`><drawing r:id="rId1"/></chartsheet>`,
			"xl/chartsheets/_rels/sheet1.xml.rels", relationsHead+`<Relationship Id="rId1" Type="`+officeRelation+`/drawing" Target="../drawings/drawing1.xml"/></Relationships>`,
			"xl/drawings/_rels/drawing1.xml.rels", relationsHead+`<Relationship Id="rId1" Type="`+officeRelation+`/chart" Target="/xl/charts/chart1.xml"/></Relationships>`,
			"xl/charts/chart1.xml", chart))
		if got := show(chunks); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", sheet, got, want)
		}
	}
}
