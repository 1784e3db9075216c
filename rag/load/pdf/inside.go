package pdf

import "bytes"

// In reports whether an archive or a mail may contain a PDF. Archives do not compress the names of their files; mails name them in
// many encodings or not at all, but the beginning of a PDF is in them as it is, or in Base64. Only the child parses the file itself.
func In(data []byte) bool {
	if bytes.Contains(data, []byte("%PDF-")) || bytes.Contains(data, []byte("JVBERi0")) {
		return true
	}
	for rest := data; ; {
		i := bytes.IndexByte(rest, '.')
		if i < 0 || len(rest) < i+4 {
			return false
		}
		if bytes.EqualFold(rest[i:i+4], []byte(".pdf")) {
			return true
		}
		rest = rest[i+1:]
	}
}
