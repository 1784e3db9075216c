package load

import (
	"strings"

	"maru/phrase"
)

// label names formats for people. A name in lower case is in the catalogue.
type label struct {
	name string
	of   []format
}

// labels are in the order in which they are listed.
var labels = []label{
	{"Markdown", []format{markdown}},
	{"text", []format{prose}},
	{"code", []format{source, rst}},
	{"HTML", []format{htmlFile, webPage}},
	{"XML", []format{xmlFile}},
	{"JSON", []format{jsonFile, jsonLines}},
	{"CSV", []format{csvFile}},
	{"PDF", []format{pdfFile}},
	{"DOCX", []format{docx}},
	{"PPTX", []format{pptx}},
	{"XLSX", []format{xlsx}},
	{"HWP", []format{hwp5}},
	{"HWPX", []format{hwpx}},
	{"ODT", []format{odf}},
	{"ODS", []format{odf}},
	{"ODP", []format{odf}},
	{"RTF", []format{rtf}},
	{"EPUB", []format{epub}},
	{"EML", []format{eml}},
	{"MBOX", []format{eml}},
	{"MSG", []format{msg}},
	{"ICS", []format{calendarFile}},
	{"IPYNB", []format{notebook}},
	{"ZIP", []format{archive}},
}

// Formats lists the formats that are read, for people. pictures is whether text in pictures is recognised.
func Formats(language string, pictures bool) string {
	var names []string
	for _, l := range labels {
		name := l.name
		if strings.ToLower(name) == name {
			name = phrase.Say(language, "load.format."+name)
		}
		names = append(names, name)
	}
	if pictures {
		names = append(names, phrase.Say(language, "load.format.pictures"))
	}
	return strings.Join(names, ", ")
}
