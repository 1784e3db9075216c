package load

import "strings"

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
