package markdown

// Resolve is resolve, for tests that read Markdown.
func Resolve(src string) string { return resolve(src) }
