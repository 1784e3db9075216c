package load

import (
	"maru/rag/load/outline"
	"strings"
)

// parseText reads paragraphs between empty lines. The splitter finds chapter and article lines.
func parseText(data []byte, _ limits, out *sink) error {
	text, err := decodeText(data)
	if err != nil {
		return err
	}
	for _, p := range strings.Split(strings.ReplaceAll(text, "\f", "\n\n"), "\n\n") {
		if err := out.add(block{Kind: para, Text: p}); err != nil {
			return err
		}
	}
	return nil
}

// textual returns the parser for a reader of decoded text.
func textual(read func(string, outline.Add) error) func([]byte, limits, *sink) error {
	return func(data []byte, _ limits, out *sink) error {
		text, err := decodeText(data)
		if err != nil {
			return err
		}
		return read(text, out.add)
	}
}

// parseMarkup returns the parser for a reader of decoded text that knows its title.
func parseMarkup(read func(string, outline.Add) (string, error)) func([]byte, limits, *sink) error {
	return func(data []byte, _ limits, out *sink) error {
		text, err := decodeText(data)
		if err != nil {
			return err
		}
		out.Title, err = read(text, out.add)
		return err
	}
}

// outlined returns the parser for a reader of bytes.
func outlined(read func([]byte, outline.Add) error) func([]byte, limits, *sink) error {
	return func(data []byte, _ limits, out *sink) error { return read(data, out.add) }
}
