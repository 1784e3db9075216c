package load

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
)

const (
	maxZipFiles = 10_000
	maxZipRatio = 200      // compression ratio; real documents stay below 60
	zipFree     = 4 << 20  // unpacked bytes allowed at any ratio
	maxPart     = 64 << 20 // bytes of one part, unpacked
	maxXMLDepth = 256
)

// office is an opened OOXML file that counts unpacked bytes, because sizes in a zip's directory are untrusted.
type office struct {
	files  map[string]*zip.File
	packed int
	read   int
}

func openOffice(data []byte) (*office, error) {
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, fault(Broken, "", err)
	}
	if len(r.File) > maxZipFiles {
		return nil, fault(TooComplex, "", fmt.Errorf("%w: %d files", errRatioLimit, len(r.File)))
	}
	o := &office{files: map[string]*zip.File{}, packed: len(data)}
	for _, f := range r.File {
		if f.Flags&1 != 0 {
			return nil, fault(Encrypted, "", nil)
		}
		o.files[f.Name] = f
	}
	return o, nil
}

// part unpacks one file of the zip; nil if it is missing.
func (o *office) part(name string) ([]byte, error) {
	f := o.files[name]
	if f == nil {
		return nil, nil
	}
	r, err := f.Open()
	if err != nil {
		return nil, fault(Broken, "", err)
	}
	allowed := min(maxPart, max(zipFree, o.packed*maxZipRatio)-o.read)
	b, err := io.ReadAll(io.LimitReader(r, int64(allowed)+1))
	o.read += len(b)
	if len(b) > allowed {
		return nil, errors.Join(fault(TooComplex, "", errRatioLimit), r.Close())
	}
	if err = errors.Join(err, r.Close()); err != nil {
		return nil, fault(Broken, "", err)
	}
	return b, nil
}

// walkXML calls start, text and end for the elements of b by local name. It expands only XML's own five entities and
// bounds nesting. Of alternate content for newer and older readers it skips the fallback.
func walkXML(b []byte, start func(xml.StartElement) error, end func(name string) error, text func(string)) error {
	d := xml.NewDecoder(bytes.NewReader(b))
	d.Strict = true
	for depth, older := 0, 0; ; {
		t, err := d.RawToken()
		if errors.Is(err, io.EOF) {
			if depth > 0 {
				return fault(Broken, "", io.ErrUnexpectedEOF)
			}
			return nil
		}
		if err != nil {
			return fault(Broken, "", err)
		}
		switch t := t.(type) {
		case xml.StartElement:
			if depth++; depth > maxXMLDepth {
				return fault(TooComplex, "", errDepthLimit)
			}
			if older == 0 && t.Name == (xml.Name{Space: "mc", Local: "Fallback"}) {
				older = depth
			}
			if older == 0 {
				err = start(t)
			}
		case xml.EndElement:
			if older == 0 {
				err = end(t.Name.Local)
			} else if older == depth {
				older = 0
			}
			depth--
		case xml.CharData:
			if older == 0 {
				text(string(t))
			}
		}
		if err != nil {
			return err
		}
	}
}

func attr(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// on parses an Office boolean.
func on(v string) bool { return v == "1" || v == "true" || v == "on" }
