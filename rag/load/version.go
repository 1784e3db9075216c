package load

import "maru/rag"

// splitVersion is the version of the splitter, versions those of the parsers; a missing entry is 0. Increment the one
// whose output changes: indexed documents are then read again, see [rag.Versioned].
const splitVersion = 8

var versions = map[format]int{docx: 5, pptx: 5, xlsx: 5, hwpx: 3, htmlFile: 4, markdown: 3, csvFile: 4, odf: 1, rtf: 1, hwp5: 1, prose: 3, source: 1, rst: 1, xmlFile: 1, pdfFile: 5, jsonFile: 3, jsonLines: 3, archive: 1}

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
