package load

import "maru/rag"

// splitVersion is the version of the splitter, versions those of the parsers; a missing entry is 0. Increment the one
// whose output changes: indexed documents are then read again, see [rag.Versioned].
const splitVersion = 9

var versions = map[format]int{docx: 8, pptx: 8, xlsx: 8, hwpx: 6, htmlFile: 5, markdown: 7, csvFile: 5, odf: 2, rtf: 6, eml: 3, msg: 2, hwp5: 3, prose: 3, source: 2, rst: 3, xmlFile: 1, pdfFile: 6, jsonFile: 4, jsonLines: 4, archive: 1, calendarFile: 1}

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
