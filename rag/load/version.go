package load

import "maru/rag"

// splitVersion is the version of the splitter, versions those of the parsers; a missing entry is 0. Increment the one
// whose output changes: indexed documents are then read again, see [rag.Versioned].
const splitVersion = 8

var versions = map[format]int{docx: 7, pptx: 6, xlsx: 7, hwpx: 5, htmlFile: 5, markdown: 5, csvFile: 5, odf: 2, rtf: 4, eml: 2, msg: 1, hwp5: 3, prose: 3, source: 1, rst: 2, xmlFile: 1, pdfFile: 6, jsonFile: 3, jsonLines: 3, archive: 1}

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
