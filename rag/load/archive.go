package load

import (
	"archive/zip"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"golang.org/x/text/encoding/korean"

	"maru/phrase/fit"
	"maru/rag/load/pack"
	"maru/rag/load/talk"
)

// maxMembers limits the files read from an archive.
const maxMembers = 1000

// parseZip reads an archive as one document: each file is a part under its own name, in order of names. Hidden files
// and unsupported formats are skipped; damaged, protected and nested archives are listed with the reason, unless no
// file is readable: then the archive is refused for it.
func parseZip(data []byte, lim limits, out *sink) error {
	o, err := pack.Open(data)
	if err != nil {
		return err
	}
	members, err := readable(o)
	if err != nil {
		return err
	}
	if names, read := contents(o, members); talk.IsSlack(names) {
		return talk.Slack(names, read, out.add)
	}
	var first error
	read := 0
	for _, m := range members {
		err := error(fault(Nested, "", nil))
		if byExtension[extension(m.name)] != archive {
			err = coded(parseMember(o, m, lim, out))
		}
		var e *Error
		if errors.As(err, &e) && e.Code == TooComplex {
			return err // the limits apply to the archive, not the file
		}
		if err == nil {
			read++
			continue
		}
		if e != nil && e.Code == Unsupported {
			continue // resource forks and other program data
		}
		if first == nil {
			first = fmt.Errorf("%s: %w", m.name, err)
		}
		code := Broken
		if e != nil {
			code = e.Code
		}
		out.Unread = append(out.Unread, unread{Name: m.name, Code: code})
	}
	if read > 0 || first == nil {
		return nil
	}
	if e := new(Error); errors.As(first, &e) && (e.Code == Encrypted || e.Code == Nested) {
		return fault(e.Code, "", first)
	}
	return fault(Broken, "", first)
}

// member is a file of an archive with its display name.
type member struct {
	file *zip.File
	name string
}

func readable(o *pack.Package) ([]member, error) {
	var out []member
	for _, f := range o.Files() {
		name := memberName(f)
		if strings.HasSuffix(name, "/") || hiddenFile(name) || unreadable(name) != Unsupported {
			continue
		}
		out = append(out, member{f, name})
	}
	if len(out) > maxMembers {
		return nil, fault(TooComplex, "", fmt.Errorf("%w: %d files", pack.ErrLimit, len(out)))
	}
	slices.SortFunc(out, func(a, b member) int { return strings.Compare(a.name, b.name) })
	return out, nil
}

// contents returns the names of an archive's files, and what unpacks one of them.
func contents(o *pack.Package, members []member) (names []string, read func(string) ([]byte, error)) {
	files := map[string]*zip.File{}
	for _, m := range members {
		names, files[m.name] = append(names, m.name), m.file
	}
	return names, func(name string) ([]byte, error) { return o.Read(files[name]) }
}

// memberName decodes a non-UTF-8 name as Korean Windows writes it.
func memberName(f *zip.File) string {
	name := f.Name
	if f.NonUTF8 {
		if s, err := korean.EUCKR.NewDecoder().String(name); err == nil {
			name = s
		}
	}
	return fit.OneLine(strings.ToValidUTF8(strings.ReplaceAll(name, `\`, "/"), "\uFFFD"))
}

func hiddenFile(name string) bool {
	for p := range strings.SplitSeq(name, "/") {
		if strings.HasPrefix(p, ".") || p == "__MACOSX" {
			return true
		}
	}
	return false
}

func parseMember(o *pack.Package, m member, lim limits, out *sink) error {
	data, err := o.Read(m.file)
	if err != nil {
		return err
	}
	return within(m.name, data, 0, lim, out)
}

// within reads a file of another one below its own name, a heading of a level.
func within(name string, data []byte, level int, lim limits, out *sink) error {
	kind, err := detect(name, data)
	if err != nil {
		return err
	}
	if err := out.add(block{Kind: heading, Level: level, Text: strings.TrimSuffix(name, path.Ext(name))}); err != nil {
		return err
	}
	own := &sink{left: out.left}
	err = guarded(kind, data, lim, own)
	if err != nil {
		return err
	}
	for _, u := range own.Unread {
		out.Unread = append(out.Unread, unread{Name: name + u.Name, Code: u.Code})
	}
	for _, b := range own.Blocks {
		if b.Kind == heading {
			b.Level += max(level, 1) // below the file's name
		}
		if err := out.add(b); err != nil {
			return err
		}
	}
	return nil
}

// guarded parses one file of many: a parser's panic fails only its own file.
func guarded(kind format, data []byte, lim limits, out *sink) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fault(Broken, "", fmt.Errorf("parser panic: %.200v", p))
		}
	}()
	return parser(kind)(data, lim, out)
}
