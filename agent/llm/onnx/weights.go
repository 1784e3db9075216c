//go:build !race

package onnx

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"github.com/gomlx/onnx-gomlx/onnx"
)

// fetchWeights reads the tensors of a model that lie in files beside it, as exporters write
// them, and adds those to sum.
func fetchWeights(m *onnx.Model, dir string, sum io.Writer) error {
	files := map[string]*os.File{}
	defer func() {
		for _, f := range files {
			_ = f.Close() // it was only read
		}
	}()
	for _, t := range m.Proto.Graph.GetInitializer() {
		if len(t.ExternalData) == 0 {
			continue
		}
		said := map[string]string{}
		for _, e := range t.ExternalData {
			said[e.Key] = e.Value
		}
		name := said["location"]
		f, ok := files[name]
		if !ok {
			if !filepath.IsLocal(name) {
				return fmt.Errorf("the weights %s lie in %q, which is not beside it", t.Name, name)
			}
			var err error
			if f, err = os.Open(filepath.Join(dir, name)); err != nil {
				return fmt.Errorf("its weights lie in a file of their own: %w", err)
			}
			files[name] = f
		}
		raw, err := section(f, said)
		if err != nil {
			return fmt.Errorf("the weights %s in %s: %w", t.Name, name, err)
		}
		if _, err := sum.Write(raw); err != nil {
			return err
		}
		t.RawData, t.ExternalData, t.DataLocation = raw, nil, 0
	}
	return nil
}

// section reads the part of a file that a tensor says it is: without an offset from its
// beginning, without a length to its end.
func section(f *os.File, said map[string]string) ([]byte, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	offset, length := int64(0), int64(-1)
	for name, n := range map[string]*int64{"offset": &offset, "length": &length} {
		if s, ok := said[name]; ok {
			if *n, err = strconv.ParseInt(s, 10, 64); err != nil || *n < 0 {
				return nil, fmt.Errorf("%s %q", name, s)
			}
		}
	}
	if length < 0 {
		length = info.Size() - offset
	}
	if length < 0 || offset > info.Size() || length > info.Size()-offset {
		return nil, fmt.Errorf("bytes %d to %d of %d: the file is not whole", offset, offset+length, info.Size())
	}
	raw := make([]byte, length)
	_, err = f.ReadAt(raw, offset)
	if err == io.EOF && length == 0 {
		err = nil
	}
	return raw, err
}
