// Package handbook holds a small employee handbook of an invented company, in
// Korean and English, written for this project: something to ask about from the
// first minute. Both languages say the same. It is only files; the program
// indexes them at its first start into the public scope.
package handbook

import (
	"embed"
	"io/fs"
)

//go:embed ko/*.md en/*.md
var files embed.FS

// Files holds ko/*.md and en/*.md.
func Files() fs.FS { return files }
