package load_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestForms reads tables of labels and values, which have no names of columns, in each format that has tables.
func TestForms(t *testing.T) {
	t.Parallel()
	form := [][]string{{"성명", "홍길동", "부서", "개발팀"}, {"직급", "대리", "입사일", "2021-03-02"}, {"비고", "", "연락처", "010-1234-5678"}}
	list := [][]string{{"이름", "부서"}, {"홍길동", "개발팀"}}
	const (
		ofForm = "성명: 홍길동 | 부서: 개발팀 / 직급: 대리 | 입사일: 2021-03-02 / 비고: – | 연락처: 010-1234-5678"
		ofList = "이름: 홍길동 | 부서: 개발팀"
	)
	cell := func(begin, end string) func([][]string, string) string {
		return func(rows [][]string, wrap string) string {
			var b strings.Builder
			for _, r := range rows {
				var cells strings.Builder
				for _, c := range r {
					cells.WriteString(begin + c + end)
				}
				fmt.Fprintf(&b, wrap, cells.String())
			}
			return b.String()
		}
	}
	for name, of := range map[string]func(rows [][]string) []byte{
		"a.docx": func(rows [][]string) []byte {
			return zipOf(t, "word/document.xml", wordMain+"<w:tbl>"+cell("<w:tc><w:p><w:r><w:t>", "</w:t></w:r></w:p></w:tc>")(rows, "<w:tr>%s</w:tr>")+"</w:tbl></w:body></w:document>")
		},
		"a.pptx": func(rows [][]string) []byte {
			return zipOf(t, "ppt/presentation.xml", "<p/>", "ppt/slides/slide1.xml", `<p:sld xmlns:p="p" xmlns:a="a"><a:tbl>`+
				cell("<a:tc><a:p><a:r><a:t>", "</a:t></a:r></a:p></a:tc>")(rows, "<a:tr>%s</a:tr>")+"</a:tbl></p:sld>")
		},
		"a.odt": func(rows [][]string) []byte {
			return zipOf(t, "mimetype", "application/vnd.oasis.opendocument.text", "content.xml", `<office:document-content xmlns:office="o" xmlns:text="t" xmlns:table="b"><office:body><office:text><table:table>`+
				cell("<table:table-cell><text:p>", "</text:p></table:table-cell>")(rows, "<table:table-row>%s</table:table-row>")+`</table:table></office:text></office:body></office:document-content>`)
		},
		"a.hwpx": func(rows [][]string) []byte {
			var b strings.Builder
			for _, r := range rows {
				b.WriteString("<hp:tr>")
				for i, c := range r {
					b.WriteString(box(i, 1, 1, line(0, said(c))))
				}
				b.WriteString("</hp:tr>")
			}
			return hwpxOf(t, "a", line(0, hwpxSection+"<hp:tbl>"+b.String()+"</hp:tbl>"))
		},
		"a.xlsx": func(rows [][]string) []byte {
			var b strings.Builder
			for i, r := range rows {
				b.WriteString(cells(fmt.Sprint(i+1), r...))
			}
			return workbook(t, "", b.String()+"</sheetData>")
		},
		"a.html": func(rows [][]string) []byte {
			return []byte("<html><body><table>" + cell("<td>", "</td>")(rows, "<tr>%s</tr>") + "</table></body></html>")
		},
		"a.md": func(rows [][]string) []byte {
			head, rest, _ := strings.Cut(cell("| ", " ")(rows, "%s|\n"), "\n")
			return []byte(head + "\n" + strings.Repeat("|---", len(rows[0])) + "|\n" + rest)
		},
		"a.csv": func(rows [][]string) []byte { return []byte(cell("", ",")(rows, "%s\n")) },
		"a.rtf": func(rows [][]string) []byte {
			text := cell("", `\cell `)(rows, `\trowd %s\row `)
			var b strings.Builder
			for _, r := range text {
				if r < 128 {
					b.WriteRune(r)
				} else {
					fmt.Fprintf(&b, `\u%d?`, int16(r)) //nolint:gosec // letters of RTF are signed
				}
			}
			return []byte(`{\rtf1 ` + b.String() + `}`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for i, rows := range [][][]string{form, list} {
				_, chunks := mustLoad(t, name, of(rows))
				got := show(chunks)
				_, got, _ = strings.Cut(got, "] ")
				if want := []string{ofForm, ofList}[i]; got != want {
					t.Errorf("%q\nwant\n%q", got, want)
				}
			}
		})
	}
}

// TestFormsOfDocuments reads what is around the labels of forms.
func TestFormsOfDocuments(t *testing.T) {
	t.Parallel()
	const th = `<w:trPr><w:tblHeader/></w:trPr>`
	row := func(properties string, texts ...string) string {
		var b strings.Builder
		for _, c := range texts {
			text, span, _ := strings.Cut(c, "*")
			if span != "" {
				span = `<w:tcPr><w:gridSpan w:val="` + span + `"/></w:tcPr>`
			}
			b.WriteString("<w:tc>" + span + "<w:p><w:r><w:t>" + text + "</w:t></w:r></w:p></w:tc>")
		}
		return "<w:tr>" + properties + b.String() + "</w:tr>"
	}
	word := func(rows ...string) []byte {
		return zipOf(t, "word/document.xml", wordMain+"<w:tbl>"+strings.Join(rows, "")+"</w:tbl></w:body></w:document>")
	}
	hangul := func(rows ...string) []byte { // a cell that begins with "*" is marked as a name
		var b strings.Builder
		for _, r := range rows {
			b.WriteString("<hp:tr>")
			for i, c := range strings.Split(r, "|") {
				text, marked := strings.CutPrefix(c, "*")
				cell := box(i, 1, 1, line(0, said(text)))
				if marked {
					cell = strings.Replace(cell, `header="0"`, `header="1"`, 1)
				}
				b.WriteString(cell)
			}
			b.WriteString("</hp:tr>")
		}
		return hwpxOf(t, "a", line(0, hwpxSection+"<hp:tbl>"+b.String()+"</hp:tbl>"))
	}
	open := func(names string, rows ...string) []byte {
		row := func(r string) string {
			return "<table:table-row><table:table-cell><text:p>" + strings.ReplaceAll(r, "|", "</text:p></table:table-cell><table:table-cell><text:p>") + "</text:p></table:table-cell></table:table-row>"
		}
		var b strings.Builder
		for _, r := range rows {
			b.WriteString(row(r))
		}
		return zipOf(t, "mimetype", "application/vnd.oasis.opendocument.text", "content.xml", `<office:document-content xmlns:office="o" xmlns:text="t" xmlns:table="b"><office:body><office:text><table:table>`+
			"<table:table-header-rows>"+row(names)+"</table:table-header-rows>"+b.String()+`</table:table></office:text></office:body></office:document-content>`)
	}
	for name, c := range map[string]struct {
		file string
		data []byte
		want string
	}{
		"names_that_hangul_marks":       {"a.hwpx", hangul("*성명|*홍길동", "부서|개발팀", "연락처|없음"), "성명: 부서 | 홍길동: 개발팀 / 성명: 연락처 | 홍길동: 없음"},
		"labels_that_hangul_marks":      {"a.hwpx", hangul("*성명|홍길동|*부서|개발팀", "*직급|대리|*입사일|2021-03-02", "*주소|서울시|*연락처|없음"), "성명: 홍길동 | 부서: 개발팀 / 직급: 대리 | 입사일: 2021-03-02 / 주소: 서울시 | 연락처: 없음"},
		"names_and_labels_marked":       {"a.hwpx", hangul("*분기|*서울|*부산", "*1분기|120|80", "*2분기|130|90"), "분기: 1분기 | 서울: 120 | 부산: 80 / 분기: 2분기 | 서울: 130 | 부산: 90"},
		"all_cells_marked":              {"a.hwpx", hangul("*성명|*홍길동", "*부서|*개발팀", "*연락처|*없음"), "성명: 홍길동 / 부서: 개발팀 / 연락처: 없음"},
		"all_rows_marked":               {"a.docx", word(row(th, "성명", "홍길동"), row(th, "부서", "개발팀"), row(th, "연락처", "없음")), "성명: 홍길동 / 부서: 개발팀 / 연락처: 없음"},
		"names_that_opendocument_marks": {"a.odt", open("성명|홍길동", "부서|개발팀", "연락처|없음"), "성명: 부서 | 홍길동: 개발팀 / 성명: 연락처 | 홍길동: 없음"},
		"a_title_and_merged_values":     {"a.docx", word(row("", "휴가 신청서*4"), row("", "성명", "홍길동", "부서", "개발팀"), row("", "주소", "서울시 강남구*3")), "휴가 신청서 / 성명: 홍길동 | 부서: 개발팀 / 주소: 서울시 강남구"},
		"a_title_above_names":           {"a.docx", word(row("", "명단*2"), row("", "이름", "부서"), row("", "홍길동", "개발팀")), "명단 / 이름: 홍길동 | 부서: 개발팀"},
		"names_that_the_file_marks":     {"a.docx", word(row(th, "성명", "홍길동"), row("", "부서", "개발팀"), row("", "연락처", "없음")), "성명: 부서 | 홍길동: 개발팀 / 성명: 연락처 | 홍길동: 없음"},
		"labels_of_a_group":             {"a.csv", []byte("대표자,성명,김하나,연락처,010-1111-2222\n회사,상호,마루,업종,소프트웨어\n"), "대표자 | 성명: 김하나 | 연락처: 010-1111-2222 / 회사 | 상호: 마루 | 업종: 소프트웨어"},
		"a_form_above_a_table": {"a.xlsx", workbook(t, "", cells("1", "견적번호", "Q-2024-7", "견적일", "2024-05-01")+cells("2", "거래처", "하늘상사", "담당자", "김하나")+cells("3", "", "")+
			cells("4", "품목", "수량", "단가")+cells("5", "노트북", "2", "1200")+"</sheetData>"), "견적번호: Q-2024-7 | 견적일: 2024-05-01 / 거래처: 하늘상사 | 담당자: 김하나 / 품목: 노트북 | 수량: 2 | 단가: 1200"},
		"records_without_names": {"a.csv", []byte("홍길동,hong@example.com,02-123-4567\n김하나,kim@example.com,02-345-6789\n"), "홍길동 | hong@example.com | 02-123-4567 / 김하나 | kim@example.com | 02-345-6789"},
		"names_alone_in_front":  {"a.md", []byte("| | |\n|---|---|\n| 성명 | 홍길동 |\n| 부서 | 개발팀 |\n"), "성명: 홍길동 / 부서: 개발팀"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, chunks := mustLoad(t, c.file, c.data)
			_, got, _ := strings.Cut(show(chunks), "] ")
			if got != c.want {
				t.Errorf("%q\nwant\n%q", got, c.want)
			}
		})
	}
}
