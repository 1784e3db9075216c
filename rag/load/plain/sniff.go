package plain

import "bytes"

// Sniff names what a file is by its first bytes: "pdf", "zip", "image", "gzip", "program" or "archive"; "" may be text.
func Sniff(data []byte) string {
	for _, m := range []struct{ magic, name string }{
		{"%PDF-", "pdf"}, {"PK\x03\x04", "zip"}, {"PK\x05\x06", "zip"}, {"\x89PNG", "image"}, {"\xFF\xD8\xFF", "image"}, {"GIF8", "image"},
		{"\x1f\x8b", "gzip"}, {"\x7fELF", "program"}, {"7z\xBC\xAF", "archive"}, {"Rar!", "archive"}, {"MZ\x90", "program"},
	} {
		if bytes.HasPrefix(data, []byte(m.magic)) {
			return m.name
		}
	}
	return ""
}
