package load

import (
	"bytes"
	"cmp"
	"errors"
	"path"
	"strings"

	"maru/rag/load/charset"
	"maru/rag/load/hwp"
	"maru/rag/load/mail"
	"maru/rag/load/plain"
)

type format string

const (
	markdown     format = "markdown"
	prose        format = "text"
	csvFile      format = "csv"
	jsonFile     format = "json"
	jsonLines    format = "jsonl"
	htmlFile     format = "html"
	webPage      format = "webpage" // HTML of a website
	pdfFile      format = "pdf"
	docx         format = "docx"
	pptx         format = "pptx"
	xlsx         format = "xlsx"
	hwpx         format = "hwpx"
	archive      format = "zip"
	source       format = "source" // programs, settings, logs
	rst          format = "rst"
	xmlFile      format = "xml"
	hwp5         format = "hwp"
	odf          format = "odf"
	epub         format = "epub"
	rtf          format = "rtf"
	eml          format = "eml"
	msg          format = "msg"
	picture      format = "picture"
	notebook     format = "notebook"
	calendarFile format = "calendar"
)

// pageExtension marks the page of a website, whose name has none that counts.
const pageExtension = ".webpage"

var byExtension = map[string]format{
	".md": markdown, ".markdown": markdown, ".mdx": markdown, ".txt": prose, ".text": prose, ".log": prose, ".csv": csvFile, ".tsv": csvFile,
	".odt": odf, ".ott": odf, ".ods": odf, ".odp": odf, ".epub": epub, ".rtf": rtf, ".eml": eml, ".mbox": eml, ".mbx": eml, ".mht": eml, ".mhtml": eml, ".msg": msg,
	".ipynb": notebook, ".ics": calendarFile, ".vcs": calendarFile, ".ifb": calendarFile,
	".hwp": hwp5, ".hwt": hwp5,
	".rst": rst, ".rest": rst, ".xml": xmlFile,
	".json": jsonFile, ".jsonl": jsonLines, ".ndjson": jsonLines, ".html": htmlFile, ".htm": htmlFile, ".xhtml": htmlFile, pageExtension: webPage,
	".pdf": pdfFile, ".hwpx": hwpx, ".zip": archive,
	".docx": docx, ".docm": docx, ".dotx": docx, ".dotm": docx, ".xlsx": xlsx, ".xlsm": xlsx, ".xltx": xlsx, ".xltm": xlsx,
	".pptx": pptx, ".pptm": pptx, ".ppsx": pptx, ".ppsm": pptx, ".potx": pptx, ".potm": pptx,
}

const openXML = "application/vnd.openxmlformats-officedocument."

func (f format) mime() string { return mimes[f] }

var mimes = map[format]string{
	markdown: "text/markdown", prose: "text/plain", csvFile: "text/csv", jsonFile: "application/json", jsonLines: "application/jsonl",
	htmlFile: "text/html", webPage: "text/html", pdfFile: "application/pdf", docx: openXML + "wordprocessingml.document",
	source: "text/x-source", notebook: "application/x-ipynb+json", calendarFile: "text/calendar", rst: "text/x-rst", xmlFile: "application/xml", hwp5: "application/x-hwp",
	odf: "application/vnd.oasis.opendocument", epub: "application/epub+zip", rtf: "application/rtf", eml: "message/rfc822", msg: "application/vnd.ms-outlook",
	picture: "image/x-recognised", archive: "application/zip", hwpx: "application/hwp+zip",
	pptx: openXML + "presentationml.presentation", xlsx: openXML + "spreadsheetml.sheet",
}

func extension(name string) string { return strings.ToLower(path.Ext(name)) }

// detect derives the format from the name and verifies it by the first bytes. Without a known extension the content
// decides.
func detect(name string, data []byte) (format, error) {
	want, magic := byExtension[extension(name)], format(plain.Sniff(data))
	if magic == "" && (want == pdfFile || want == "") && bytes.Contains(data[:min(len(data), pdfWithin)], []byte(pdfMark)) {
		magic = pdfFile
	}
	switch why := Code(plain.Substitute(extension(name), data)); {
	case why != "" && (why != WebPage || want == pdfFile && magic != pdfFile || want == hwp5 || want.zipped()):
		return "", fault(why, name, nil)
	case bytes.HasPrefix(data, []byte("\xD0\xCF\x11\xE0")):
		if bytes.Contains(data, []byte(hwpHeader)) && (want == hwp5 || want == "") {
			return hwp5, nil
		}
		if bytes.Contains(data, []byte(outlookMark)) && (want == msg || want == "") {
			return msg, nil
		}
		return "", compoundFault(name, want, data)
	case want == "" && magic == pdfFile:
		return pdfFile, nil
	case want == "" && magic == "" && plain.IsHTML(data):
		return htmlFile, nil
	case want == "" && magic == "" && extension(name) == "":
		return prose, nil
	case want == "" && magic == "" && unreadable(name) == Unsupported && plain.Is(data):
		return source, nil
	case want == "":
		return "", fault(unreadable(name), name, nil)
	case want == hwp5 && bytes.HasPrefix(data, []byte(hwp.Signature)): // HWP 3
		return "", fault(Hangul, name, nil)
	case want == hwp5 && magic == "zip": // saved as HWPX under the old name
		return hwpx, nil
	case want == hwp5, want == msg, want == rtf && !bytes.HasPrefix(data, []byte("{\\rtf")), want == pdfFile && magic != pdfFile, want.zipped() && magic != "zip":
		return "", fault(WrongType, name, nil)
	case want != pdfFile && !want.zipped() && magic != "":
		return "", fault(WrongType, name, nil)
	}
	return want, nil
}

// hwpHeader begins the header of a Hangul document in its container.
const hwpHeader = hwp.Signature + "\x00"

// outlookMark occurs in every message saved by Outlook, in UTF-16.
var outlookMark = strings.Join(strings.Split(mail.Mark, ""), "\x00")

// encryptedPackage is the directory entry of a locked OOXML file's stream in its container, verbatim.
const encryptedPackage = "E\x00n\x00c\x00r\x00y\x00p\x00t\x00e\x00d\x00P\x00a\x00c\x00k\x00a\x00g\x00e\x00"

// compoundFault identifies a compound file: a locked OOXML file, an old Office format, or one under a wrong
// extension.
func compoundFault(name string, want format, data []byte) error {
	switch {
	case bytes.Contains(data, []byte(encryptedPackage)):
		return fault(Encrypted, name, nil)
	case want == hwp5:
		return fault(Hangul, name, errors.New("compound file without a Hangul header"))
	case want != "":
		return fault(WrongType, name, errors.New("compound file of an old program under another name"))
	}
	return fault(unreadable(name), name, errors.New("compound file of an old Office or HWP program"))
}

// unreadable returns the error for an unsupported format, with the conversion to try if its program offers one.
func unreadable(name string) Code { return cmp.Or(Code(plain.Foreign(extension(name))), Unsupported) }

func (f format) zipped() bool {
	return f == docx || f == pptx || f == xlsx || f == hwpx || f == archive || f == odf || f == epub
}

// pdfMark starts a PDF. Readers accept it anywhere in the first 1,024 bytes (ISO 32000-1, annex H, note 13); there a
// text may mention it, and a ZIP may contain it.
const (
	pdfMark   = "%PDF-"
	pdfWithin = 1024
)

// maxLines limits the lines of a text: each costs more memory than its characters.
const maxLines = 2_000_000

// decodeText decodes text to UTF-8 with \n line ends.
func decodeText(data []byte) (string, error) {
	out, err := charset.Decode(data)
	if err != nil {
		return "", fault(Encoding, "", err)
	}
	s := strings.ReplaceAll(out, "\r\n", "\n")
	if s = strings.ReplaceAll(s, "\r", "\n"); strings.Count(s, "\n") > maxLines {
		return "", fault(Lines, "", nil)
	}
	return s, nil
}

// isFileName reports whether a title is a file name, as some programs and site generators set it.
func isFileName(title string) bool {
	title = strings.TrimSpace(title)
	return !strings.Contains(title, " ") && byExtension[extension(title)] != ""
}
