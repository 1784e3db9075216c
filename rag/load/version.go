package load

import "maru/rag"

// splitVersion numbers what the splitter makes of blocks, versions what each parser makes of
// bytes; no entry counts as 0. Who changes what a file becomes raises the number that it
// falls under: then documents that are indexed are read again, see [rag.Versioned].
const splitVersion = 8

var versions = map[format]int{docx: 4, pptx: 4, xlsx: 4, hwpx: 2, htmlFile: 2, markdown: 2, csvFile: 2, plain: 2, pdfFile: 4, jsonFile: 2, jsonLines: 2}

var _ rag.Versioned = (*Loader)(nil)

// Version implements [rag.Versioned].
func (l *Loader) Version(mime string) int {
	n := splitVersion
	for f, v := range versions {
		if f.mime() == mime || mime == archive.mime() {
			n += v
		}
	}
	return n
}
