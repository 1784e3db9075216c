package remark

import (
	"encoding/xml"
	"strings"

	"maru/rag/load/outline"
	"maru/rag/load/pack"
)

// Boxes returns the paragraphs in the shapes of a sheet, none of a broken drawing.
func Boxes(p *pack.Package, sheet string) (out []outline.Block, err error) {
	drawings, err := p.Related(sheet, "drawing")
	if err != nil {
		return nil, err
	}
	for _, name := range drawings {
		b, err := p.Part(name)
		if err = leftOut(err); err != nil {
			return nil, err
		}
		var words strings.Builder
		body, in := 0, false
		broken := pack.Walk(b, func(e xml.StartElement) error {
			switch in = e.Name.Local == "t" && body > 0; e.Name.Local {
			case "txBody":
				body++
			case "br":
				words.WriteByte('\n')
			}
			return nil
		}, func(name string) error {
			switch in = false; name {
			case "txBody":
				body--
			case "p":
				if text := strings.TrimSpace(words.String()); text != "" {
					out = append(out, outline.Block{Text: text})
				}
				words.Reset()
			}
			return nil
		}, func(s string) {
			if in {
				words.WriteString(s)
			}
		})
		if leftOut(broken) != nil {
			return nil, broken
		}
	}
	return out, nil
}
