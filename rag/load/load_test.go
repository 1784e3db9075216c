package load_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/unicode"

	"maru/rag"
	"maru/rag/load"
)

// TestMain lets this binary be its own child, as cmd/maru is.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "parse-child":
			tell := func() {}
			if len(os.Args) > 2 {
				tell = tellPeak(os.Args[2])
			}
			err := load.Child(os.Stdin, os.Stdout)
			tell()
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			os.Exit(0)
		case "print-environment":
			_ = json.NewEncoder(os.Stdout).Encode(map[string]any{"end": map[string]string{"code": "broken", "detail": strings.Join(os.Environ(), " ")}})
			_, _ = io.Copy(io.Discard, os.Stdin)
			os.Exit(0)
		case "print-forever":
			for {
				if _, err := fmt.Printf("{\"p\":{\"t\":%q}}\n", strings.Repeat("x", 1<<10)); err != nil {
					os.Exit(0)
				}
			}
		}
	}
	if err := compilePDFium(); err != nil { // before the time of a child runs
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func child(mode string) []string { return []string{os.Args[0], mode} }

// newLoader returns the loader of default limits that the tests share: each loader checks the PDF engine's cache in a child.
var newLoader = sync.OnceValue(func() *load.Loader { return pdfLoader(load.Config{}) })

func mustLoad(t *testing.T, name string, data []byte) (rag.Document, []rag.Chunk) {
	t.Helper()
	doc, chunks, err := newLoader().Load(t.Context(), name, data)
	if err != nil {
		t.Fatalf("load %s: %v", name, err)
	}
	return doc, chunks
}

// show writes chunks as "context | p. page | text" for comparison.
func show(chunks []rag.Chunk) string {
	var b strings.Builder
	for _, c := range chunks {
		fmt.Fprintf(&b, "[%s", c.Context)
		if c.Page > 0 {
			fmt.Fprintf(&b, ", p. %d", c.Page)
		}
		fmt.Fprintf(&b, "] %s\n", strings.ReplaceAll(c.Text, "\n", " / "))
	}
	return strings.TrimSpace(b.String())
}

func zipOf(t testing.TB, files ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i+1 < len(files); i += 2 {
		f, err := w.Create(files[i])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(files[i+1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

const docxBody = `<?xml version="1.0"?><w:document xmlns:w="w"><w:body>
<w:p><w:pPr><w:pStyle w:val="H1"/></w:pPr><w:r><w:t>출장 규정</w:t></w:r></w:p>
<w:p><w:r><w:t>출장은 </w:t></w:r><w:r><w:t>1주 전까지 신청한다.</w:t></w:r><w:del><w:r><w:t>지운 글</w:t></w:r></w:del></w:p>
<w:p><w:pPr><w:numPr/></w:pPr><w:r><w:t>영수증을 낸다</w:t></w:r></w:p>
<w:tbl><w:tr><w:tc><w:p><w:r><w:t>구분</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>한도</w:t></w:r></w:p></w:tc></w:tr>
<w:tr><w:tc><w:p><w:r><w:t>숙박비</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>12만 원</w:t></w:r></w:p></w:tc></w:tr></w:tbl>
</w:body></w:document>`

const docxStyles = `<w:styles xmlns:w="w"><w:style w:styleId="H1"><w:name w:val="heading 1"/></w:style></w:styles>`

func docxFile(t testing.TB) []byte {
	return zipOf(t, "word/document.xml", docxBody, "word/styles.xml", docxStyles, "docProps/core.xml", `<c><title>규정집</title></c>`)
}

func TestFormats(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"guide.md", []byte("---\ntitle: 안내\n---\n# 연차\n\n**15일**을 [규정](http://x)에 따라 받는다.\n\n## 이월\n- 5일까지\n- 3월까지\n\n| 근속 | 일수 |\n|---|---|\n| 3년 | 16일 |\n\n```go\nfmt.Println(\"# no heading\")\n```\n"),
			"[안내 > 연차] 15일을 규정에 따라 받는다.\n[안내 > 연차 > 이월] 5일까지 / 3월까지 / 근속: 3년 | 일수: 16일 / fmt.Println(\"# no heading\")"},
		{"escaped.md", []byte("---\ntitle: Get set up <em>before</em> day one\n---\n1\\. 손해 \\*주의\\* \\[1\\] \\\\ `a\\*b` C:\\dir"), `[Get set up before day one] 1. 손해 *주의* [1] \ a\*b C:\dir`},
		{"Leave days.md", []byte("---\npermalink: x\n---\nNotes on [[Leave#Carry over|leave]] and [[Parking]], [[1, 2]], [[3]](http://x).\n\n> [!tip] Ask first\n> It is quick.\n\n> [!WARNING]\n> No.\n\n## Sick\nCall."),
			"[Leave days] Notes on leave and Parking, [[1, 2]], [[3]](http://x). / Ask first / It is quick. / WARNING / No.\n[Leave days > Sick] Call."},
		{"start.mdx", []byte("import Tabs from '@theme/Tabs';\nimport \"./x.css\"\n\n# Start\n\n:::note Read this\nimport taxes from abroad\n:::\n\n<Video\n  id=\"9z\"\n  onPlay={() => go()}\n/>\n\n!!! danger \"Hot\"\n\na <b\nc"),
			"[Start] Read this / import taxes from abroad / Hot / a <b / c"},
		{"tags.md", []byte("<a href=\"http://x\"\n  target=\"_blank\">Guide for the boiler</a>\n\n<img src=\"x>y\"\n alt=\"Logo\"> Maru listens on port 8080.\nCall 3391 for help.<br>\n\n<Valve K9 must be shut\nfirst.\nAsk Kim <kim@a.example>\n\n<K9 shuts at\n> 5 bar"),
			"[tags] Guide for the boiler / Maru listens on port 8080. / Call 3391 for help. / <Valve K9 must be shut / first. / Ask Kim kim@a.example / <K9 shuts at / 5 bar"},
		{"code.md", []byte("`df[[\"price\"]]` and x[[name]], ``[[servers]]``, [[$a == b]], see 규정[[Leave]]."), `[code] df[["price"]] and x[[name]], [[servers]], [[$a == b]], see 규정Leave.`},
		{"Setup.md", []byte("Intro\n\n## Steps\nOne.\n\n# Appendix\nTwo.\n\n::: Hello, world\n\n::: tip Read on\n\n:::info\n"), "[Setup] Intro\n[Setup > Steps] One.\n[Setup > Appendix] Two. / Hello, world / Read on / info"},
		{"etc/hosts/README.md", []byte("The file <https://a.example/x> or <mailto:kim@a.example>:\n\n[[servers]]\nhost = \"a\"\n\n## Use\nSee [[Leave]]."), "[README] The file https://a.example/x or mailto:kim@a.example: / [[servers]] / host = \"a\"\n[README > Use] See Leave."},
		{"logo.md", []byte("<h1 align=\"center\">\n  <img src=\"a.png\"><br>\n  Maru &amp; friends\n</h1>\nA floor.\n\n<h2>Use</h2> Ask it.\n\n<h3>no end"), "[Maru & friends] A floor.\n[Maru & friends > Use] Ask it. / no end"},
		{"open.md", []byte("<h3> opens a section.\n\n# Fees\n\nThe fee is 3,000 won.\n\n```html\n<h3>Example</h3>\n```\n\n## Next\n\n1. Write:\n\n    <h1>Hello</h1>\n\n<H4>Big</H4>\n<h3>Prices\n\n| item | price |\n|---|---|\n| ink | 3 |\n</h3>\n\n<h2>One\n<h2>Two</h2>\n<h5>" + strings.Repeat("long ", 50) + "</h5>"),
			"[Fees] opens a section.\n[Fees] The fee is 3,000 won. / <h3>Example</h3>\n[Fees > Next] 1. Write: / Hello\n[Fees > Next > Big] Prices / item: ink | price: 3 / One\n[Fees > Two] " + strings.TrimSpace(strings.Repeat("long ", 50))},
		{"setext.md", []byte("Title\n=====\ntext with a_name_b and *stress*\n\nPart\n----\nmore"), "[Title] text with a_name_b and stress\n[Title > Part] more"},
		{"law.txt", []byte("제1장 총칙\n제1조(목적) 이 규정은 휴가를 정한다.\n제2조(정의) 연차란 쉬는 날이다. 제1조에 따라 정한다.\n제2조의2(이월) 이월한다.\n"),
			"[law > 제1장 총칙 > 제1조(목적)] 이 규정은 휴가를 정한다.\n[law > 제1장 총칙 > 제2조(정의)] 연차란 쉬는 날이다. 제1조에 따라 정한다.\n[law > 제1장 총칙 > 제2조의2(이월)] 이월한다."},
		{"contract.txt", []byte("Article 5. Term\nThe term is one year.\n\nArticle 6. Fees\nFees are due monthly."),
			"[contract > Article 5. Term] The term is one year.\n[contract > Article 6. Fees] Fees are due monthly."},
		{"hidden.txt", []byte("Call\x01 Kim\u202E \u200Bnow\x7f.\rSoon\U000E0041."), "[hidden] Call Kim now. / Soon."},
		{"parted.txt", []byte("Fee:\v3,000 won\vDue Monday.\x1cCall\x1fKim.\n\n\x1b[1;31mERROR\x1b[0m \x1b]8;;https://a.example\x07here\x1b]8;;\x07 \x1b[?25lends"), "[parted] Fee: / 3,000 won / Due Monday. / Call / Kim. / ERROR here ends"},
		{"parted.md", []byte("# Fee\vlist\n\nInk:\f3,000 won"), "[Fee list] Ink: / 3,000 won"},
		{"parted.json", []byte(`{"fee":"Ink:\u000b3,000\u000cwon"}`), "[parted] fee: Ink: / 3,000 / won"},
		{"zero.rtf", []byte(`{\rtf1\ansi Leave\'00 is \u0?15 days.\par}`), "[zero] Leave is 15 days."},
		{"prices.csv", []byte("이름,가격\n커피,\"3,000\"\n차,2500\n"), "[prices] 이름: 커피 | 가격: 3,000 / 이름: 차 | 가격: 2500"},
		{"tab.tsv", []byte("a\tb\n1\t2\n"), "[tab] a: 1 | b: 2"},
		{"one.json", []byte(`{"service":{"name":"번역","price":10},"tags":["ai","text"],"none":null}`), "[one] service.name: 번역 / service.price: 10 / tags: ai, text"},
		{"list.json", []byte(`[{"q":"가"},{"q":"나"}]`), "[list] q: 가 / q: 나"},
		{"lines.jsonl", []byte("{\"q\":\"가\"}\n{\"q\":\"나\"}\n"), "[lines] q: 가 / q: 나"},
		{"page.html", []byte(`<html><head><title>안내</title><style>x{}</style></head><body><nav>menu</nav><h1>주차</h1><p>지하 <b>2층</b>에 있다.</p><script>alert(1)</script><ul><li>하나<li>둘</ul><table><tr><th>층</th><th>자리</th></tr><tr><td>B2</td><td>50</td></tr></table><p style="display: none">숨김</p></body></html>`),
			"[안내 > 주차] 지하 2층에 있다. / 하나 / 둘 / 층: B2 | 자리: 50"},
		{"rules.docx", docxFile(t), "[규정집 > 출장 규정] 출장은 1주 전까지 신청한다. / 영수증을 낸다 / 구분: 숙박비 | 한도: 12만 원"},
		{"talk.pptx", zipOf(t, "ppt/presentation.xml", "<p/>", "ppt/slides/slide1.xml", `<p:sld xmlns:p="p" xmlns:a="a"><p:sp><p:ph type="title"/><a:p><a:r><a:t>계획</a:t></a:r></a:p></p:sp><p:sp><a:p><a:r><a:t>첫째 줄</a:t></a:r></a:p></p:sp></p:sld>`), "[talk > 계획, p. 1] 첫째 줄"},
		{"sheet.xlsx", zipOf(t, "xl/workbook.xml", `<workbook xmlns:r="r"><sheets><sheet name="예산" r:id="r1"/></sheets></workbook>`,
			"xl/_rels/workbook.xml.rels", `<R><Relationship Id="r1" Target="worksheets/sheet1.xml"/></R>`,
			"xl/sharedStrings.xml", `<sst><si><t>항목</t></si><si><t>금액</t></si><si><t>식대</t></si></sst>`,
			"xl/worksheets/sheet1.xml", `<s><row><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c></row><row><c r="A2" t="s"><v>2</v></c><c r="B2"><v>200000</v></c></row></s>`),
			"[sheet > 예산] 항목: 식대 | 금액: 200000"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			doc, chunks := mustLoad(t, c.name, c.data)
			if got := show(chunks); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
			if doc.Source != c.name || doc.Hash == "" || doc.MIME == "" || doc.Size != int64(len(c.data)) || doc.Chunks != len(chunks) {
				t.Errorf("document %+v", doc)
			}
		})
	}
}

func TestEncodings(t *testing.T) {
	t.Parallel()
	const text = "연차는 15일입니다.\r\n병가는 10일입니다."
	want := "[note] 연차는 15일입니다. / 병가는 10일입니다."
	enc := func(b []byte, err error) []byte {
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	for name, data := range map[string][]byte{
		"utf8":         []byte(text),
		"utf8_bom":     []byte("\xEF\xBB\xBF" + text),
		"utf16le_bom":  enc(unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().Bytes([]byte(text))),
		"utf16be_bom":  enc(unicode.UTF16(unicode.BigEndian, unicode.UseBOM).NewEncoder().Bytes([]byte(text))),
		"utf16le_bare": enc(unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM).NewEncoder().Bytes([]byte(text))),
		"cp949":        enc(korean.EUCKR.NewEncoder().Bytes([]byte(text))),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, chunks := mustLoad(t, "note.txt", data); show(chunks) != want {
				t.Errorf("got %q, want %q", show(chunks), want)
			}
		})
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	deepHTML := []byte(strings.Repeat("<div>", 100_000))
	deepXML := `<w:document xmlns:w="w">` + strings.Repeat("<a>", 5000) + strings.Repeat("</a>", 5000) + `</w:document>`
	small := load.New(load.Config{Command: child("parse-child"), MaxBytes: 1 << 20, MaxText: 1 << 16})
	for _, c := range []struct {
		name   string
		data   []byte
		loader *load.Loader
		want   load.Code
	}{
		{"huge.txt", bytes.Repeat([]byte("a"), 2<<20), small, load.TooLarge},
		{"long.txt", bytes.Repeat([]byte("word "), 40_000), small, load.TooComplex},
		{"long.html", append([]byte("<p>"), bytes.Repeat([]byte("word "), 40_000)...), small, load.TooComplex},
		{"picture.txt", []byte("\x89PNG\r\n\x1a\n"), nil, load.WrongType},
		{"slides.docx", zipOf(t, "ppt/presentation.xml", "<p/>"), nil, load.WrongType},
		{"zip.md", zipOf(t, "a", "b"), nil, load.WrongType},
		{"ascii.txt", []byte("SQLite format 3\x00"), nil, load.Encoding},
		{"binary.txt", []byte("a\x00\x01\x02\x03b\x00\xff\xfec\x07d"), nil, load.Encoding},
		{"cut.docx", zipOf(t, "word/document.xml", docxBody[:300]), nil, load.Broken},
		{"broken.json", []byte(`{"a":`), nil, load.Broken},
		{"deep.json", []byte(strings.Repeat("[", 100_000)), nil, load.TooComplex},
		{"deep.html", deepHTML, nil, load.TooComplex},
		{"deep.docx", zipOf(t, "word/document.xml", deepXML), nil, load.TooComplex},
		{"blank.md", []byte(" \n\n "), nil, load.Blank},
		{"moved.md", []byte("---\ntitle: Open source policy\nredirect_to: https://example.com/\n---\n"), nil, load.Blank},
		{"blank.html", []byte("<html><body><img></body></html>"), nil, load.NoText},
		{"drawn.webpage", []byte("<html><head><script src=app.js></script></head><body><div id=root></div></body></html>"), nil, load.BlankPage},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l := c.loader
			if l == nil {
				l = newLoader()
			}
			_, _, err := l.Load(t.Context(), c.name, c.data)
			var e *load.Error
			if !errors.As(err, &e) || e.Code != c.want {
				t.Fatalf("got %v, want %s", err, c.want)
			}
			for _, language := range []string{"ko", "en"} {
				if s := e.PeopleText(language); !strings.Contains(s, strings.TrimSuffix(c.name, ".webpage")) || strings.Contains(s, "%!") {
					t.Errorf("%s sentence: %q", language, s)
				}
			}
		})
	}
}

func TestChildIsBounded(t *testing.T) {
	t.Parallel()
	page := []byte("<p>hello</p>")
	for _, c := range []struct {
		name    string
		command []string
		want    load.Code
	}{
		{"hangs", []string{"sleep", "60"}, load.Timeout},
		{"leaves_a_grandchild", []string{"sh", "-c", "sleep 60 & sleep 60"}, load.Timeout},
		{"prints_passages_forever", child("print-forever"), load.TooComplex},
		{"prints_nonsense_forever", []string{"yes"}, load.Crashed},
		{"dies", []string{"sh", "-c", "exit 3"}, load.Crashed},
		{"talks_nonsense", []string{"echo", "hello"}, load.Crashed},
		{"is_not_there", []string{"/nonexistent/maru"}, load.Crashed},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			limit := 2 * time.Minute
			if c.want == load.Timeout {
				limit = time.Second
			}
			l := load.New(load.Config{Command: c.command, Timeout: limit, MaxText: 1 << 16})
			_, _, err := l.Load(t.Context(), "page.html", page)
			var e *load.Error
			if !errors.As(err, &e) || e.Code != c.want {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

func TestChildGetsNoSecrets(t *testing.T) {
	t.Setenv("SLACK_BOT_TOKEN", "xoxb-secret")
	_, _, err := load.New(load.Config{Command: child("print-environment")}).Load(t.Context(), "page.html", []byte("<p>x</p>"))
	var e *load.Error
	if !errors.As(err, &e) || e.Err == nil {
		t.Fatalf("got %v", err)
	}
	if strings.Contains(e.Err.Error(), "secret") || strings.Contains(e.Err.Error(), "HOME=") {
		t.Errorf("the child was given %s", e.Err)
	}
}

func TestPassageSizes(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("# 긴 글\n\n")
	for i := range 200 {
		fmt.Fprintf(&b, "이것은 %d번째 문장입니다. ", i)
	}
	_, chunks := mustLoad(t, "long.md", []byte(b.String()))
	if len(chunks) < 5 {
		t.Fatalf("%d passages", len(chunks))
	}
	for i, c := range chunks {
		if c.Ordinal != i || len(c.Text) != c.End-c.Start || len([]rune(c.Text)) > 900 {
			t.Errorf("passage %d: ordinal %d, span %d-%d, %d bytes", i, c.Ordinal, c.Start, c.End, len(c.Text))
		}
		if i > 0 && (c.Start >= chunks[i-1].End || !strings.HasPrefix(c.Text, "이것은")) {
			t.Errorf("passage %d begins %q and does not overlap its neighbour", i, c.Text[:30])
		}
	}
}

func FuzzSplitKeepsGraphemes(f *testing.F) {
	f.Add("가나다라마바사 각각 👩‍👩‍👧 é")
	l := load.New(load.Config{Passage: 20, Overlap: 5})
	f.Fuzz(func(t *testing.T, s string) {
		_, chunks, err := l.Load(t.Context(), "x.txt", []byte(s))
		var e *load.Error
		if err != nil && !errors.As(err, &e) {
			t.Fatalf("untyped error %v", err)
		}
		for _, c := range chunks {
			if strings.ToValidUTF8(c.Text, "") != c.Text {
				t.Fatalf("a passage is not valid UTF-8: %q", c.Text)
			}
		}
	})
}

func FuzzMarkdown(f *testing.F) {
	f.Add("# a\n\n|x|y|\n|-|-|\n|1|2|\n\n```\ncode")
	l := load.New(load.Config{})
	f.Fuzz(func(t *testing.T, s string) {
		_, _, err := l.Load(t.Context(), "x.md", []byte(s))
		var e *load.Error
		if err != nil && !errors.As(err, &e) {
			t.Fatalf("untyped error %v", err)
		}
	})
}

// TestTrustedFilesNeedNoChild reads files of the program itself where no child can be started.
func TestTrustedFilesNeedNoChild(t *testing.T) {
	t.Parallel()
	l := load.New(load.Config{Command: []string{filepath.Join(t.TempDir(), "none")}})
	data := []byte("# Leave\n\nEverybody has 15 days of leave.\n")
	var e *load.Error
	if _, _, err := l.Load(t.Context(), "leave.md", data); !errors.As(err, &e) || e.Code != load.Crashed {
		t.Errorf("a file of a person: %v, want the fault of its child", err)
	}
	in, done := rag.Ingester{Loader: l}.Trusted().Batch()
	defer done()
	if doc, chunks, err := in.Loader.Load(t.Context(), "leave.md", data); err != nil || doc.Title != "Leave" || len(chunks) != 1 {
		t.Errorf("%+v, %d passages, %v", doc, len(chunks), err)
	}
}
