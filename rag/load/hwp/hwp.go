// Package hwp reads documents of the Hangul word processor in its binary format 5: text, tables, notes, text boxes,
// headers and footers, also of documents for distribution. It follows Hancom's published record format. Encrypted
// documents are refused.
package hwp

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/richardlehane/mscfb"

	"maru/rag/load/outline"
	"maru/rag/load/pack"
)

// Signature begins the header of such a document.
const Signature = "HWP Document File"

const (
	compressed  = 1 << 0 // bits of the header
	encrypted   = 1 << 1
	distributed = 1 << 2

	maxUnpacked = 64 << 20 // bytes of one stream
	maxSections = 1000
)

// Read passes the blocks of a document on. The error is one of add, or wraps one of [pack].
func Read(data []byte, add outline.Add) error {
	streams, err := open(data)
	if err != nil {
		return err
	}
	header := streams["FileHeader"]
	if len(header) < 40 || !bytes.HasPrefix(header, []byte(Signature)) {
		return fmt.Errorf("%w: no header of a Hangul document", pack.ErrBroken)
	}
	flags := binary.LittleEndian.Uint32(header[36:])
	if flags&encrypted != 0 {
		return pack.ErrEncrypted
	}
	r := &reader{add: add, seen: map[string]bool{}}
	unpack := func(b []byte) ([]byte, error) {
		if flags&compressed == 0 {
			return b, nil
		}
		return inflate(b)
	}
	info, err := unpack(streams["DocInfo"])
	if err != nil {
		return err
	}
	if r.levels, err = outlineLevels(info); err != nil {
		return err
	}
	folder := "BodyText"
	if flags&distributed != 0 {
		folder = "ViewText"
	}
	for i := range maxSections {
		raw, ok := streams[folder+"/Section"+strconv.Itoa(i)]
		if !ok {
			break
		}
		if flags&distributed != 0 {
			if raw, err = released(raw); err != nil {
				return err
			}
		}
		body, err := unpack(raw)
		if err != nil {
			return err
		}
		tree, err := records(body)
		if err != nil {
			return err
		}
		if err := r.paragraphs(tree); err != nil {
			return err
		}
		notes := r.notes
		for r.notes = nil; len(notes) > 0; notes = notes[1:] {
			if err := add(notes[0]); err != nil {
				return err
			}
		}
	}
	return nil
}

// open reads the streams that have text, by their path.
func open(data []byte) (map[string][]byte, error) {
	file, err := mscfb.New(bytes.NewReader(data))
	if err != nil {
		return nil, errors.Join(pack.ErrBroken, err)
	}
	out := map[string][]byte{}
	for e, err := file.Next(); !errors.Is(err, io.EOF); e, err = file.Next() {
		if err != nil {
			return nil, errors.Join(pack.ErrBroken, err)
		}
		name := path.Join(append(slices.Clone(e.Path), e.Name)...)
		if name != "FileHeader" && name != "DocInfo" && !strings.HasPrefix(name, "BodyText/") && !strings.HasPrefix(name, "ViewText/") {
			continue
		}
		if out[name], err = io.ReadAll(io.LimitReader(e, maxUnpacked)); err != nil {
			return nil, errors.Join(pack.ErrBroken, err)
		}
	}
	return out, nil
}

func inflate(b []byte) ([]byte, error) {
	out, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(b)), maxUnpacked+1))
	if len(out) > maxUnpacked {
		return nil, fmt.Errorf("%w: unpacks to too much", pack.ErrLimit)
	}
	if err != nil && len(out) == 0 && len(b) > 0 { // streams are padded: what was read before counts
		return nil, errors.Join(pack.ErrBroken, err)
	}
	return out, nil
}
