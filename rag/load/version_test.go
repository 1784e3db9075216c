package load_test

import (
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/unicode"
)

// samples has something for the parser of each format and for the splitter.
func samples(t *testing.T) map[string][]byte {
	text := func(s string) string { return paragraph("", run("", s)) }
	return map[string][]byte{
		"a.md":    []byte("---\ntitle: 규정\n---\n# 제1장 총칙\n\n제1조(목적) 이 규정은 **휴가**를 정한다.\n\n1. 하나\n2. 둘\n\n- 점\n\n| 이름 | 값 |\n|---|---|\n| 김 | 1 |\n\n```\ncode\n```\n"),
		"a.txt":   []byte("제1장 총칙\n제1조(목적) 이 규정은 휴가를 정한다.\n제2조\n(정의)\n1. \"직원\"이란\n2. 그 밖\n부 칙\n시행한다.\n\nARTICLE V\nTERMINATION\nEither party.\n\n" + strings.Repeat("긴 글은 문장에서 나뉜다. ", 90)),
		"a.csv":   []byte("보고서\n이름,값\n김,\"1\n2\"\n"),
		"a.json":  []byte(`[{"이름":"김","값":{"a":[1,2]}},{"이름":"박"}]`),
		"a.jsonl": []byte("{\"이름\":\"김\"}\n{broken\n{\"이름\":\"박\"}\n"),
		"a.html": []byte("<title>규정</title><nav>홈</nav><h1>휴가</h1><p>연차는 <b>15일</b>.</p><ol><li>하나</li></ol><table><caption>표</caption><tr><th>이름</th><th colspan=2>값</th></tr>" +
			"<tr><td rowspan=2>김</td><td>1</td><td>2</td></tr><tr><td>3</td><td>4</td></tr></table><pre>code</pre>"),
		"a.pdf":      pdfOf([]string{"Annual leave", "Annual leave is fifteen days.", "", "name    value", "kim    1"}, []string{"The second page."}),
		"a.docx":     numbered(t, inList("1", "0", "(목적) 정한다.")+inList("1", "1", "하나")+`<w:tbl><w:tr>`+wordCell("", text("이름"))+wordCell("", text("값"))+`</w:tr><w:tr>`+wordCell("", text("김"))+wordCell("", text("1"))+`</w:tr></w:tbl>`),
		"a.pptx":     zipOf(t, "ppt/presentation.xml", "<p/>", "ppt/slides/slide1.xml", `<p:sld xmlns:p="p" xmlns:a="a"><p:sp><p:ph type="title"/><a:p><a:r><a:t>계획</a:t></a:r></a:p></p:sp><p:sp><a:p><a:r><a:t>첫째 줄</a:t></a:r></a:p></p:sp></p:sld>`),
		"a.xlsx":     workbook(t, "", cells("1", "이름", "값", "날")+`<row r="2"><c r="A2" t="inlineStr"><is><t>김</t></is></c><c r="B2" s="1"><v>0.125</v></c><c r="C2" s="4"><v>45000.5</v></c></row></sheetData>`),
		"a.hwpx":     hwpxOf(t, "규정", line(1, hwpxSection+said("총칙"))+line(3, said("정한다."))+line(4, said("점"))+line(0, `<hp:tbl><hp:tr>`+box(0, 1, 1, line(0, said("이름")))+box(1, 1, 1, line(0, said("값")))+`</hp:tr><hp:tr>`+box(0, 1, 1, line(0, said("김")))+box(1, 1, 1, line(0, said("1")))+`</hp:tr></hp:tbl>`)),
		"chart.pptx": slideWithChart(t, salesChart()),
		"a.rst":      []byte("규정\n====\n\n연차는 **15일**\\ 이다.\n"),
		"a.go":       []byte("// Package a says hello.\npackage a\n\nfunc A() {}\n"),
		"a.xml":      []byte("<doc><p>휴가는 15일</p></doc>"),
		"jis.txt":    encoded(t, japanese.ShiftJIS, "有給休暇は年に十五日です。申請は前日までにしてください。"),
		"jis.json":   encoded(t, japanese.ShiftJIS, `{"休暇": "有給休暇は年に十五日です"}`),
		"euc.rst":    encoded(t, japanese.EUCJP, "有給休暇は年に十五日です。申請は前日までにしてください。むり、めも、もの、やま、よる、りす、るす、れい、わたし。"),
		"latin.go":   encoded(t, charmap.Windows1252, "// Größe der Straße: schöne Grüße aus Köln, für über fünf.\n"),
		"utf16.txt":  encoded(t, unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), "연차는 열닷새입니다. 하루 전에 신청합니다."),
		"utf16.xml":  encoded(t, unicode.UTF16(unicode.BigEndian, unicode.UseBOM), "<doc><p>휴가는 15일</p></doc>"),
		"a.zip":      zipOf(t, "b.txt", "둘째 파일.", "a.md", "# 첫째\n\n파일.", "c.pdf", "none"),
	}
}

func encoded(t *testing.T, e encoding.Encoding, s string) []byte {
	t.Helper()
	out, err := e.NewEncoder().Bytes([]byte(s))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestVersion: who changes what a file becomes raises the number of its format, or that of the splitter, in
// version.go and writes the new sums here; then documents are read again. A version only grows.
func TestVersion(t *testing.T) {
	t.Parallel()
	want := map[string]string{
		"a.csv":      "version 14, 44b11d4980486803",
		"a.docx":     "version 17, 960177a72f7b68b5",
		"a.hwpx":     "version 15, 91b0f7198fae8bb8",
		"a.html":     "version 14, 22a6e9357b9086dc",
		"a.json":     "version 13, c49db454dbf6956b",
		"a.jsonl":    "version 13, da195e87b1dde57b",
		"a.md":       "version 16, a7529f9eab25ab56",
		"a.pdf":      "version 15, e8c474fffc6c2b2a",
		"a.pptx":     "version 17, ec102843c22495e1",
		"a.txt":      "version 12, 595bccd988a494f5",
		"a.xlsx":     "version 17, d069a8a80912c0d1",
		"chart.pptx": "version 17, 90580889ca20e8e4",
		"a.go":       "version 11, 37c03cc1e51707dd",
		"a.rst":      "version 12, 914f30a77f1ec8f9",
		"a.xml":      "version 10, 8546f800cc1c7bb8",
		"euc.rst":    "version 12, c4af38aa174f9a72",
		"jis.json":   "version 13, 3aadcdee340f5f62",
		"jis.txt":    "version 12, b2c64f4486a45b44",
		"latin.go":   "version 11, 453e7e0e428d1624",
		"utf16.txt":  "version 12, 2783d94b5e1338ac",
		"utf16.xml":  "version 10, 9b779ec4e8768351",
		"a.zip":      "version 97, f2745fe52de9407d",
	}
	files := samples(t)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		doc, chunks := mustLoad(t, name, files[name])
		h := fnv.New64a()
		_, _ = fmt.Fprintf(h, "%s %v\n%s\n%+v", doc.Title, doc.Unread, show(chunks), chunks) // a hash does not fail
		got := fmt.Sprintf("version %d, %016x", newLoader().Version(doc.MIME), h.Sum64())
		if got != want[name] {
			t.Errorf("%q: %q,", name, got)
		}
	}
}
