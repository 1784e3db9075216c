// Package loadtest provides files that every entry point must refuse: locked, broken, oversized, or under a wrong
// extension, made as common programs make them.
//
// It must know the codes of rag/load as strings only.
package loadtest

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode/utf16"
)

// File is a file and the code of its refusal.
type File struct {
	Name string
	Data []byte
	Code string
}

// Refused returns the files to refuse, each for a different reason. The caller must not change them.
func Refused() []File { return slices.Clone(refused()) }

// refused builds them once: the oversized ones are large before compression.
var refused = sync.OnceValue(func() []File {
	return []File{
		{"locked.pdf", pdf("/Filter/Standard/V 2/R 3/Length 128/P -4/O<" + strings.Repeat("61", 32) + ">/U<" + strings.Repeat("62", 32) + ">"), "encrypted"},
		{"locked-aes.pdf", pdf("/Filter/Standard/V 5/R 6/Length 256/P -4/CF<</StdCF<</CFM/AESV3/AuthEvent/DocOpen/Length 32>>>>/StmF/StdCF/StrF/StdCF/O<" +
			strings.Repeat("61", 48) + ">/U<" + strings.Repeat("62", 48) + ">/OE<" + strings.Repeat("63", 32) + ">/UE<" + strings.Repeat("64", 32) + ">/Perms<" + strings.Repeat("65", 16) + ">"), "encrypted"},
		{"locked.docx", compound("EncryptionInfo", "EncryptedPackage"), "encrypted"},
		{"locked.xlsx", compound("EncryptionInfo", "EncryptedPackage"), "encrypted"},
		{"old-word.docx", compound("WordDocument", "1Table"), "wrong_type"},
		{"old.doc", compound("WordDocument", "1Table"), "old_office"},
		{"계약.hwp", compound("FileHeader", "BodyText"), "hwp"},
		{"locked.hwpx", archive(0, "META-INF/manifest.xml", `<odf:manifest xmlns:odf="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><odf:file-entry odf:full-path="Contents/section0.xml"><odf:encryption-data/></odf:file-entry></odf:manifest>`), "encrypted"},
		{"broken.hwpx", []byte("PK\x03\x04 cut"), "broken"},
		{"other.hwpx", archive(0, "a.txt", "text"), "wrong_type"},
		{"scan.PNG", []byte("\x89PNG\r\n"), "picture"},
		{"locked.zip", archive(1, "a.md", "# 휴가\n\n연차는 15일이다."), "encrypted"},
		{"locked-inside.zip", archive(0, "a.docx", string(compound("EncryptionInfo", "EncryptedPackage"))), "encrypted"},
		{"broken.pdf", []byte("%PDF-1.7\nnonsense\n%%EOF"), "broken"},
		{"broken.docx", []byte("PK\x03\x04 cut"), "broken"},
		{"bomb.zip", archive(0, "a.txt", strings.Repeat("가", 3<<20)), "too_complex"},
		{"bomb.docx", archive(0, "word/document.xml", `<w:document xmlns:w="w">`+strings.Repeat(" ", 6<<20)+`</w:document>`), "too_complex"},
		{"text.pdf", []byte("just text"), "wrong_type"},
		{"virus.exe", []byte("MZ\x90\x00"), "unsupported"},
		{"empty.md", nil, "empty"},
	}
})

// pdf returns one empty page, encrypted as its dictionary declares.
func pdf(encrypt string) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n")
	var at []int
	for i, object := range []string{"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Count 1/Kids[3 0 R]>>", "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]>>"} {
		at = append(at, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	start := b.Len()
	b.WriteString("xref\n0 4\n0000000000 65535 f \n")
	for _, n := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", n)
	}
	fmt.Fprintf(&b, "trailer\n<</Size 4/Root 1 0 R/ID[<61><61>]/Encrypt<<%s>>>>\nstartxref\n%d\n%%%%EOF\n", encrypt, start)
	return b.Bytes()
}

// archive returns a ZIP of one file with these flags; bit 0 declares encryption.
func archive(flags uint16, name, text string) []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	f, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Flags: flags})
	if err == nil {
		_, err = f.Write([]byte(text))
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		panic("loadtest: " + err.Error()) // a buffer takes all
	}
	return b.Bytes()
}

const sector = 512

// compound returns a compound file (MS-CFB, version 3) with streams of these names: a locked DOCX, XLSX or PPTX has
// EncryptionInfo and EncryptedPackage (MS-OFFCRYPTO). The streams are empty: only their names matter.
func compound(streams ...string) []byte {
	const free, end, table = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD
	b := make([]byte, 3*sector) // header, allocation table, directory
	put16, put32 := binary.LittleEndian.PutUint16, binary.LittleEndian.PutUint32
	copy(b, "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1")
	for at, v := range map[int]uint16{24: 0x3E, 26: 3, 28: 0xFFFE, 30: 9, 32: 6} {
		put16(b[at:], v)
	}
	for at, v := range map[int]uint32{44: 1, 48: 1, 56: 4096, 60: end, 68: end} {
		put32(b[at:], v)
	}
	for at := 80; at < sector; at += 4 {
		put32(b[at:], free)
	}
	for at := sector; at < 2*sector; at += 4 {
		put32(b[at:], free)
	}
	put32(b[sector:], table)
	put32(b[sector+4:], end)
	for i, name := range append([]string{"Root Entry"}, streams...) {
		e := b[2*sector+128*i:]
		units := utf16.Encode([]rune(name))
		for j, u := range units {
			put16(e[2*j:], u)
		}
		put16(e[64:], uint16(2*len(units)+2)) //nolint:gosec // G115: names of a few letters
		e[66], e[67] = 2, 1                   // a stream, black
		for _, at := range []int{68, 72, 76} {
			put32(e[at:], free)
		}
		put32(e[116:], end)
	}
	b[2*sector+66] = 5            // the root
	put32(b[2*sector+76:], 1)     // its first stream,
	put32(b[2*sector+128+72:], 2) // and the next
	return b
}
