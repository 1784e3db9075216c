package plain

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Substitute returns why a file is not the document that its name says: "rights" where a document security program has locked it,
// "pointer" where it only says where the document is kept (Git LFS, shortcuts of Google Drive and of browsers), "web_page" where it is
// HTML, which says nothing of a file whose name is that of HTML or text; "" otherwise. extension has its dot and is in lower case.
func Substitute(extension string, data []byte) string {
	switch short := len(data) <= 4<<10; {
	case isLocked(data):
		return "rights"
	case short && bytes.HasPrefix(data, []byte("version https://git-lfs.github.com/spec/v1")) && bytes.Contains(data, []byte("\noid sha256:")),
		short && driveShortcuts[extension] && driveLink(data),
		short && extension == ".url" && bytes.Contains(data, []byte("[InternetShortcut]")):
		return "pointer"
	case IsHTML(data):
		return "web_page"
	}
	return ""
}

// isLocked knows the first bytes of files that document security programs encrypt under the name of the document: Fasoo's,
// SoftCamp's (SCDSA002, SCDSA004) and NASCA's.
func isLocked(data []byte) bool {
	return bytes.HasPrefix(data, []byte("\x9b DRMONE  ")) || bytes.HasPrefix(data, []byte("<## NASCA DRM FILE")) ||
		bytes.HasPrefix(data, []byte("SCDSA0")) && len(data) > 8 && data[8] == 0
}

// driveShortcuts are the extensions of shortcuts that Google Drive's desktop program leaves in a folder.
var driveShortcuts = map[string]bool{".gdoc": true, ".gsheet": true, ".gslides": true, ".gdraw": true, ".gform": true, ".gmap": true, ".gsite": true, ".gjam": true, ".gscript": true}

// driveLink reports whether a file is such a shortcut.
func driveLink(data []byte) bool {
	var link struct {
		URL string `json:"url"`
		ID  string `json:"doc_id"`
	}
	return json.Unmarshal(data, &link) == nil && (link.ID != "" || strings.HasPrefix(link.URL, "https://docs.google.com/") || strings.HasPrefix(link.URL, "https://drive.google.com/"))
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
