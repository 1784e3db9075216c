package load

import "maru/rag"

// splitVersion numbers what the splitter makes of blocks, versions what each parser makes of
// bytes; no entry counts as 0. Who changes what a file becomes raises the number that it
// falls under: then documents that are indexed are read again, see [rag.Versioned].
const splitVersion = 4

var versions = map[format]int{docx: 2, pptx: 2, xlsx: 2, hwpx: 1, htmlFile: 1, markdown: 1, csvFile: 1, plain: 1, pdfFile: 1, jsonFile: 1, jsonLines: 1}

var _ rag.Versioned = (*Loader)(nil)

// Version implements [rag.Versioned]. PDFium reads PDFs better than the own extractor.
func (l *Loader) Version(mime string) int {
	n := splitVersion
	for f, v := range versions {
		if f.mime() == mime || mime == archive.mime() {
			n += v
		}
	}
	n *= 2
	if l.cfg.PDFium.Module != "" && len(l.cfg.Command) > 0 && (mime == pdfFile.mime() || mime == archive.mime()) {
		n++
	}
	return n
}
