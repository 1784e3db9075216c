// Package pack reads packages of parts: ZIP files of XML, as Office, Hangul, OpenDocument and EPUB write them. It bounds
// what they unpack to and how deep they nest. It must not know what the parts say.
package pack

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path"
	"strings"
)

// Reasons why a package cannot be read.
var (
	ErrBroken    = errors.New("broken package")
	ErrEncrypted = errors.New("package is encrypted")
	ErrLimit     = errors.New("package over a limit")
)

const (
	// MaxFiles bounds the files of a package.
	MaxFiles = 10_000

	maxRatio = 200      // compression ratio; real documents stay below 60
	free     = 4 << 20  // unpacked bytes allowed at any ratio
	maxPart  = 64 << 20 // bytes of one part, unpacked
	maxDepth = 256      // of XML
)

// Package is an opened package. It counts unpacked bytes, because sizes in a ZIP's directory are untrusted.
type Package struct {
	files  []*zip.File
	parts  map[string]*zip.File // by key
	packed int
	read   int
}

// Open opens a package.
func Open(data []byte) (*Package, error) {
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, errors.Join(ErrBroken, err)
	}
	if len(r.File) > MaxFiles {
		return nil, fmt.Errorf("%w: %d files", ErrLimit, len(r.File))
	}
	p := &Package{files: r.File, parts: map[string]*zip.File{}, packed: len(data)}
	for _, f := range r.File {
		if f.Flags&1 != 0 {
			return nil, ErrEncrypted
		}
		p.parts[key(f.Name)] = f
	}
	return p, nil
}

// key compares part names as the packaging standards do, without case (ECMA-376-2, 6.2.2.3), and takes the backslashes
// of old Windows libraries for slashes.
func key(name string) string {
	return strings.ToLower(strings.TrimPrefix(path.Clean(strings.ReplaceAll(name, `\`, "/")), "/"))
}

// Files returns the files of the package as they were written.
func (p *Package) Files() []*zip.File { return p.files }

// Has reports whether there is a part of this name.
func (p *Package) Has(name string) bool { return p.parts[key(name)] != nil }

// Part unpacks a part; nil if it is missing.
func (p *Package) Part(name string) ([]byte, error) {
	f := p.parts[key(name)]
	if f == nil {
		return nil, nil
	}
	return p.Read(f)
}

// Read unpacks a file of the package.
func (p *Package) Read(f *zip.File) ([]byte, error) {
	r, err := f.Open()
	if err != nil {
		return nil, errors.Join(ErrBroken, err)
	}
	allowed := min(maxPart, max(free, p.packed*maxRatio)-p.read)
	b, err := io.ReadAll(io.LimitReader(r, int64(allowed)+1))
	p.read += len(b)
	if len(b) > allowed {
		return nil, errors.Join(fmt.Errorf("%w: unpacks to too much", ErrLimit), r.Close())
	}
	if err = errors.Join(err, r.Close()); err != nil {
		return nil, errors.Join(ErrBroken, err)
	}
	return b, nil
}

// Relation leads from a part to another one.
type Relation struct {
	ID   string
	Kind string // last word of its type, as "styles"
	Part string
}

// Relations returns the relations of a part in the order of its file; "" is the package itself.
func (p *Package) Relations(part string) ([]Relation, error) {
	dir, file := path.Split(part)
	b, err := p.Part(dir + "_rels/" + file + ".rels")
	if err != nil || b == nil {
		return nil, err
	}
	var out []Relation
	err = Walk(b, func(e xml.StartElement) error {
		if e.Name.Local == "Relationship" && Attr(e, "TargetMode") != "External" {
			out = append(out, Relation{ID: Attr(e, "Id"), Kind: path.Base(Attr(e, "Type")), Part: Resolve(dir, Attr(e, "Target"))})
		}
		return nil
	}, func(string) error { return nil }, func(string) {})
	return out, err
}

// ByID returns the parts to which a part relates, by the relations' IDs.
func (p *Package) ByID(part string) (map[string]string, error) {
	all, err := p.Relations(part)
	out := make(map[string]string, len(all))
	for _, r := range all {
		out[r.ID] = r.Part
	}
	return out, err
}

// Related returns the parts of one kind to which a part relates.
func (p *Package) Related(part, kind string) (names []string, err error) {
	all, err := p.Relations(part)
	for _, r := range all {
		if r.Kind == kind {
			names = append(names, r.Part)
		}
	}
	return names, err
}

// One unpacks the part of one kind to which a part relates, or the one of the usual name where nothing relates to it.
func (p *Package) One(part, kind, usual string) ([]byte, error) {
	names, err := p.Related(part, kind)
	if err != nil {
		return nil, err
	}
	return p.Part(append(names, usual)[0])
}

// Main returns the name and content of the main part; nil if there is none. The package's relations name it, and its
// outermost element is root; usual is its name where they do not.
func (p *Package) Main(root, usual string) (string, []byte, error) {
	names, err := p.Related("", "officeDocument")
	if err != nil {
		return "", nil, err
	}
	for _, name := range names {
		if b, err := p.Part(name); err != nil || outermost(b) == root {
			return name, b, err
		}
	}
	b, err := p.Part(usual)
	return usual, b, err
}

// outermost returns the local name of the outermost element; "" if there is none.
func outermost(b []byte) string {
	d := xml.NewDecoder(bytes.NewReader(b))
	for {
		t, err := d.RawToken()
		if err != nil {
			return ""
		}
		if e, ok := t.(xml.StartElement); ok {
			return e.Name.Local
		}
	}
}

// Resolve resolves a reference in a part of dir to a part's name.
func Resolve(dir, target string) string {
	target = strings.ReplaceAll(target, `\`, "/")
	if plain, err := url.PathUnescape(target); err == nil {
		target = plain
	}
	if !path.IsAbs(target) {
		target = path.Join("/", dir, target)
	}
	return strings.TrimPrefix(path.Clean(target), "/")
}
