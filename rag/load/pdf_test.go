package load_test

import (
	"bytes"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/encoding/korean"

	"maru/datatest"
	"maru/rag/load"
	"maru/rag/load/loadtest"
	"maru/rag/load/pdf"
)

// pdfOf writes a small PDF: each page a list of lines set in Helvetica.
func pdfOf(pages ...[]string) []byte {
	var b bytes.Buffer
	var offsets []int
	object := func(s string) {
		offsets = append(offsets, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", len(offsets), s)
	}
	b.WriteString("%PDF-1.4\n")
	object("<</Type/Catalog/Pages 2 0 R>>")
	var kids strings.Builder
	for i := range pages {
		fmt.Fprintf(&kids, "%d 0 R ", 4+2*i)
	}
	object(fmt.Sprintf("<</Type/Pages/Count %d/Kids[%s]>>", len(pages), kids.String()))
	widths := strings.Repeat("500 ", 224)
	object("<</Type/Font/Subtype/Type1/BaseFont/Helvetica/FirstChar 32/LastChar 255/Widths[" + widths + "]/Encoding/WinAnsiEncoding>>")
	for i, lines := range pages {
		object(fmt.Sprintf("<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F1 3 0 R>>>>/Contents %d 0 R>>", 5+2*i))
		var s strings.Builder
		s.WriteString("BT /F1 12 Tf 14 TL 50 780 Td ")
		for _, l := range lines {
			fmt.Fprintf(&s, "(%s) Tj T* ", l)
		}
		s.WriteString("ET")
		object(fmt.Sprintf("<</Length %d>>\nstream\n%s\nendstream", s.Len(), s.String()))
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, o := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&b, "trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(offsets)+1, start)
	return b.Bytes()
}

func TestPDFPages(t *testing.T) {
	t.Parallel()
	data := pdfOf([]string{"Annual leave is fifteen days.", "It grows with the years of service here."}, []string{"Sick leave is ten days."}, nil)
	want := "[rules, p. 1] Annual leave is fifteen days. It grows with the years of service here.\n[rules, p. 2] Sick leave is ten days."
	if got := pdfText(t, data); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestPDFLimits(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("its children compile and run WebAssembly or Tesseract, which the race detector slows down and does not see")
	}
	var pages [][]string
	for range 12 {
		pages = append(pages, []string{"text"})
	}
	const kids = "/Count 12/Kids[4 0 R 6 0 R 8 0 R" // as long as what takes its place: the table of objects holds
	most := strings.Replace(string(pdfOf(pages...)), kids, fmt.Sprintf("%-*s", len(kids), "/Count 2000000000/Kids[4 0 R"), 1)
	deep := strings.Replace(string(pdfOf(nil)), "/Kids[4 0 R ]", "/Kids["+strings.Repeat("[", 100_000), 1)
	l := pdfLoader(load.Config{MaxPages: 10})
	for _, c := range []struct {
		name string
		data []byte
		want []load.Code
	}{
		{"pages.pdf", pdfOf(pages...), []load.Code{load.TooComplex}},
		{"most.pdf", []byte(most), []load.Code{load.TooComplex, ""}}, // PDFium believes the pages, not the number
		{"scan.pdf", pdfOf(nil, nil), []load.Code{load.NoText}},
		{"cut.pdf", pdfOf(pages...)[:400], []load.Code{load.Broken, load.NoText}}, // PDFium mends what it can
		{"garbage.pdf", append([]byte("%PDF-1.7\n"), bytes.Repeat([]byte("\xff\x00("), 100_000)...), []load.Code{load.Broken}},
		{"deep.pdf", []byte(deep), []load.Code{load.Broken, load.NoText, load.Crashed}},
	} {
		_, _, err := l.Load(t.Context(), c.name, c.data)
		e := &load.Error{}
		if (err != nil) != errors.As(err, &e) || !slices.Contains(c.want, e.Code) {
			t.Errorf("%s: got %v, want %s", c.name, err, c.want)
		}
	}
}

// TestPDFBomb unpacks to a thousand times its size: the text limit ends it in the child.
func TestPDFBomb(t *testing.T) {
	if testing.Short() {
		t.Skip("as TestBombs")
	}
	t.Parallel()
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	if _, err := z.Write([]byte("BT /F1 12 Tf ")); err != nil {
		t.Fatal(err)
	}
	for range 4 {
		if _, err := z.Write(bytes.Repeat([]byte("(bomb) Tj "), 100_000)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	data := pdfOf([]string{"x"})
	at := bytes.Index(data, []byte("5 0 obj"))
	bomb := append(bytes.Clone(data[:at]), fmt.Sprintf("5 0 obj\n<</Filter/FlateDecode/Length %d>>\nstream\n", packed.Len())...)
	bomb = append(append(bomb, packed.Bytes()...), "\nendstream\nendobj\n"...)
	start := len(bomb)
	table := data[bytes.Index(data, []byte("xref\n")):bytes.Index(data, []byte("startxref"))]
	bomb = append(append(bomb, table...), fmt.Sprintf("startxref\n%d\n%%%%EOF\n", start)...)
	_, _, err := pdfLoader(load.Config{MaxText: 1 << 20, Timeout: 20 * time.Second}).Load(t.Context(), "bomb.pdf", bomb)
	var e *load.Error
	if !errors.As(err, &e) || (e.Code != load.TooComplex && e.Code != load.Timeout) {
		t.Errorf("got %v, want too_complex", err)
	}
}

const koreanPage = `<html lang="ko"><head><meta charset="utf-8"><title>휴가 규정</title></head><body>
<h1>휴가 규정</h1><p>제1조(목적) 이 규정은 직원의 휴가를 정하는 것을 목적으로 한다.</p>
<p>1년 이상 근무한 직원은 해마다 15일의 연차를 받는다. 3년차부터는 2년마다 하루씩 늘어나며 최대 25일까지 받는다. 남은 연차는 다음 해 3월 말까지 5일을 이월할 수 있다.</p>
<table border="1"><tr><td>근속</td><td>일수</td></tr><tr><td>3년</td><td>16일</td></tr></table>
<table border="1" width="500"><tr><td>근속</td><td>일수</td></tr></table>
<p style="page-break-before: always">둘째 쪽에는 병가를 적는다. The second page is about sick leave.</p></body></html>`

// printed returns a page as a browser prints it. Chromium sets fonts with PostScript
// outlines (Noto CJK) as Type 3, others as embedded CID fonts.
func printed(t *testing.T, html string) []byte {
	t.Helper()
	browser, err := exec.LookPath("chromium")
	if err != nil {
		if os.Getenv("MARU_TEST_REQUIRE") == "1" {
			t.Fatal("chromium is missing")
		}
		t.Skip("chromium is missing: the PDF of a real producer is not tested")
	}
	dir := t.TempDir()
	page, out := filepath.Join(dir, "page.html"), filepath.Join(dir, "page.pdf")
	if err := os.WriteFile(page, []byte(html), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, browser, "--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer", "--user-data-dir="+dir, "--print-to-pdf="+out, "file://"+page)
	if log, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("chromium: %v\n%s", err, log)
	}
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestPDFKorean reads what Chromium prints: embedded CID fonts with their own character codes.
func TestPDFKorean(t *testing.T) {
	t.Parallel()
	data := printed(t, koreanPage)
	got := pdfText(t, data)
	for _, want := range []string{
		"1년 이상 근무한 직원은 해마다 15일의 연차를 받는다. 3년차부터는 2년마다 하루씩 늘어나며 최대 25일까지 받는다.",
		"제1조(목적)", "3년 16일", "근속 | 일수", "p. 2] 둘째 쪽에는 병가를 적는다. The second page is about sick leave.",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
}

// columnSentences are in a page of two columns, in the order of reading.
var columnSentences = []string{
	"첫째 단은 왼쪽에 있습니다.", "조사와 어미를 떼면 찾을 수 있는 낱말이 늘어납니다.", "두 음절씩 나눈 조각은 띄어쓰기가 달라도 찾아냅니다.",
	"오른쪽 단의 문장은 왼쪽 단과 섞이면 안 됩니다.", "약한 벡터를 섞으면 순위가 나빠집니다.", "그래서 문을 두어 확실할 때만 말하게 합니다.",
}

// TestPDFColumns: no line of one column is among those of the other, whichever
// kind of font the producer chose.
func TestPDFColumns(t *testing.T) {
	t.Parallel()
	for name, font := range map[string]string{"cid": "NanumGothic", "type3": "Noto Serif CJK KR"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			half := len(columnSentences) / 2
			page := fmt.Sprintf(`<html lang="ko"><head><meta charset="utf-8"></head><body style="font-family:'%s'"><div style="columns:2;width:560px;word-break:keep-all"><p>%s</p><p>%s</p></div></body></html>`,
				font, strings.Join(columnSentences[:half], " "), strings.Join(columnSentences[half:], " "))
			data := printed(t, page)
			text := pdfText(t, data)
			for _, want := range columnSentences {
				got := text
				if !strings.Contains(got, want) {
					t.Errorf("%q is not in\n%s", want, text)
				}
			}
		})
	}
}

// TestPDFWithoutItsFont reads Korean in a font that the file does not hold: the
// codes are those of the Unified Hangul Code, and nothing in the file says what they mean.
func TestPDFWithoutItsFont(t *testing.T) {
	t.Parallel()
	const text = "글꼴이 들어 있지 않은 문서입니다. 연차는 15일이고 똠방각하도 읽습니다."
	codes, err := korean.EUCKR.NewEncoder().String(text)
	if err != nil {
		t.Fatal(err)
	}
	show1 := fmt.Sprintf("BT /F1 12 Tf 50 700 Td <%x> Tj ET", codes)
	var b bytes.Buffer
	var offsets []int
	b.WriteString("%PDF-1.4\n")
	for i, s := range []string{
		"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
		"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
		fmt.Sprintf("<</Length %d>>\nstream\n%s\nendstream", len(show1), show1),
		"<</Type/Font/Subtype/Type0/BaseFont/HYSMyeongJo-Medium-KSCms-UHC-H/Encoding/KSCms-UHC-H/DescendantFonts[6 0 R]>>",
		"<</Type/Font/Subtype/CIDFontType0/BaseFont/HYSMyeongJo-Medium/CIDSystemInfo<</Registry(Adobe)/Ordering(Korea1)/Supplement 1>>/DW 1000>>",
	} {
		offsets = append(offsets, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, s)
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, o := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&b, "trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(offsets)+1, start)
	if got := pdfText(t, b.Bytes()); !strings.Contains(got, text) {
		t.Errorf("%q is not in %q", text, got)
	}
}

// TestHostilePDFs feeds every file that crashed a parser elsewhere to the child, with
// -short one in sixteen. Each ends as text or as a typed error, in bounded time, and this
// process lives.
func TestHostilePDFs(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("its children compile and run WebAssembly or Tesseract, which the race detector slows down and does not see")
	}
	files, err := filepath.Glob(filepath.Join(datatest.Dir(t), "pdf-hostile", "*", "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no hostile files: %v", err)
	}
	command, held := watched(t)
	l := load.New(load.Config{Command: command, Timeout: patient, PDF: pdf.Config{Cache: loadtest.PDFCache()}})
	read, refused := 0, map[load.Code]int{}
	for _, f := range datatest.Sample(files, 3) { // each file takes two processes
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		// Half of them lack the mark of a PDF and are refused unread: with one
		// put in front they reach the parser.
		for _, d := range [][]byte{data, append([]byte("%PDF-1.7\n"), append(data, "\nstartxref\n9\n%%EOF\n"...)...)} {
			_, _, err = l.Load(t.Context(), filepath.Base(f)+".pdf", d)
			var e *load.Error
			switch {
			case err == nil:
				read++
			case errors.As(err, &e):
				refused[e.Code]++
			default:
				t.Errorf("%s: untyped error %v", filepath.Base(f), err)
			}
		}
	}
	largest, children := held.largest(t)
	t.Logf("deaths of this process 0 over %d files, two ways: %d read, %d timeouts, refused %v; largest of %d children %d MiB", len(files), read, refused[load.Timeout], refused, children, largest>>10)
}
