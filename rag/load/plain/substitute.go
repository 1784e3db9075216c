package plain

import (
	"bytes"
	"encoding/json"
	"strings"
)

// wrapped are the first bytes of files that document security programs encrypt, under the name of the document: Fasoo, SoftCamp
// (SCDSA002, SCDSA004) and NASCA.
var wrapped = [][]byte{[]byte("\x9b DRMONE  "), []byte("SCDSA0"), []byte("<## NASCA DRM FILE")}

// Substitute returns why a file is not the document that its name says: "rights" where a document security program has locked it,
// "pointer" where it only says where the document is kept (Git LFS, shortcuts of Google Drive and of browsers), "web_page" where it is
// HTML, which says nothing of a file whose name is that of HTML or text; "" otherwise. extension has its dot and is in lower case.
func Substitute(extension string, data []byte) string {
	for _, w := range wrapped {
		if bytes.HasPrefix(data, w) {
			return "rights"
		}
	}
	switch short := len(data) <= 4<<10; {
	case short && bytes.HasPrefix(data, []byte("version https://git-lfs.github.com/spec/v1\n")),
		short && strings.HasPrefix(extension, ".g") && driveLink(data),
		short && extension == ".url" && bytes.HasPrefix(data, []byte("[InternetShortcut]")):
		return "pointer"
	case IsHTML(data):
		return "web_page"
	}
	return ""
}

// driveLink reports whether a file is a shortcut of Google Drive's desktop program: .gdoc, .gsheet, .gslides and others.
func driveLink(data []byte) bool {
	var link struct {
		URL string `json:"url"`
		ID  string `json:"doc_id"`
	}
	return json.Unmarshal(data, &link) == nil && (link.ID != "" || strings.HasPrefix(link.URL, "https://docs.google.com/"))
}

// Foreign returns the kind of an unsupported format of which people can save a readable copy: "hwp", "old_office" or "picture"; ""
// for others. extension is as in [Substitute].
func Foreign(extension string) string {
	switch extension {
	case ".hwp", ".hwt", ".hwtx", ".hml":
		return "hwp"
	case ".doc", ".dot", ".xls", ".xlt", ".ppt", ".pps":
		return "old_office"
	case ".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".tif", ".tiff", ".heic":
		return "picture"
	}
	return ""
}
