package load_test

import (
	"archive/zip"
	"bytes"
	"strings"
	"testing"
)

// TestPackagesOfManyPrograms: programs name the parts of a package as they like, with any prefix, case and separator. What
// counts are its relationships.
func TestPackagesOfManyPrograms(t *testing.T) {
	t.Parallel()
	const rels = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="TARGET"/></Relationships>`
	const main = `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>WORDS</w:t></w:r></w:p></w:body></w:document>`
	type part struct{ name, text string }
	word := func(target, at, words string, change ...string) []part {
		text := strings.NewReplacer(change...).Replace(strings.ReplaceAll(main, "WORDS", words))
		return []part{{"_rels/.rels", strings.ReplaceAll(rels, "TARGET", target)}, {at, text}}
	}
	const ko, en = "방문증은 안내 데스크에서 받아요", "the desk opens at nine"
	for name, c := range map[string]struct {
		file  string
		parts []part
		want  string
	}{
		"보통 이름":            {"a.docx", word("word/document.xml", "word/document.xml", ko), ko},
		"두 번째 문서 이름":       {"a.docx", word("word/document2.xml", "word/document2.xml", ko), ko},
		"빗금으로 시작하는 대상":     {"a.docx", word("/word/document.xml", "word/document.xml", ko), ko},
		"한글 폴더 이름":         {"a.docx", word("문서/본문.xml", "문서/본문.xml", ko), ko},
		"퍼센트로 적은 이름":       {"a.docx", word("word/my%20doc.xml", "word/my doc.xml", ko), ko},
		"대문자 이름":           {"a.docx", word("word/document.xml", "Word/Document.XML", ko), ko},
		"역슬래시 이름":          {"a.docx", word("word/document.xml", `word\document.xml`, ko), ko},
		"역슬래시 관계":          {"a.docx", append(word("word/document.xml", "word/document.xml", ko)[1:], part{`_rels\.rels`, strings.ReplaceAll(rels, "TARGET", "word/document.xml")}), ko},
		"다른 접두사":           {"a.docx", word("word/document.xml", "word/document.xml", ko, "w:", "ns0:", "xmlns:w=", "xmlns:ns0="), ko},
		"접두사 없음":           {"a.docx", word("word/document.xml", "word/document.xml", ko, "<w:", "<", "</w:", "</", "xmlns:w=", "xmlns="), ko},
		"strict":           {"a.docx", word("word/document.xml", "word/document.xml", en, "http://schemas.openxmlformats.org/wordprocessingml/2006/main", "http://purl.oclc.org/ooxml/wordprocessingml/main"), en},
		"root":             {"a.docx", word("document.xml", "document.xml", en), en},
		"deep":             {"a.docx", word("a/b/c/d.xml", "a/b/c/d.xml", en), en},
		"dot in target":    {"a.docx", word("./word/document.xml", "word/document.xml", en), en},
		"macro":            {"a.docm", word("word/document.xml", "word/document.xml", en), en},
		"template":         {"a.dotx", word("word/document.xml", "word/document.xml", en), en},
		"slash in names":   {"a.docx", word("word/document.xml", "/word/document.xml", en), en},
		"upper extension":  {"A.DOCX", word("word/document.xml", "word/document.xml", en), en},
		"byte order mark":  {"a.docx", word("word/document.xml", "word/document.xml", en, "<w:document", "\ufeff<w:document"), en},
		"with declaration": {"a.docx", word("word/document.xml", "word/document.xml", en, "<w:document", `<?xml version="1.0" encoding="UTF-8" standalone="yes"?><w:document`), en},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var b bytes.Buffer
			z := zip.NewWriter(&b)
			for _, p := range c.parts {
				w, err := z.CreateHeader(&zip.FileHeader{Name: p.name, Method: zip.Deflate})
				if err != nil {
					t.Fatal(err)
				}
				_, _ = w.Write([]byte(p.text))
			}
			if err := z.Close(); err != nil {
				t.Fatal(err)
			}
			_, chunks, err := newLoader().Load(t.Context(), c.file, b.Bytes())
			if err != nil {
				t.Fatal(err)
			}
			if got := show(chunks); !strings.Contains(got, c.want) {
				t.Errorf("%q has no %q", got, c.want)
			}
		})
	}
}
