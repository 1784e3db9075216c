package plain

import (
	"encoding/json"
	"fmt"
	"html"
	"strings"

	"maru/phrase/pattern"
	"maru/rag/load/outline"
)

// notebook is a notebook of Jupyter: nbformat 4, or 3 with its sheets.
type notebook struct {
	Cells  []cell `json:"cells"`
	Sheets []struct {
		Cells []cell `json:"cells"`
	} `json:"worksheets"`
}

type cell struct {
	Kind    string   `json:"cell_type"`
	Level   int      `json:"level"` // of a heading of nbformat 3
	Source  lines    `json:"source"`
	Input   lines    `json:"input"` // of code in nbformat 3
	Outputs []output `json:"outputs"`
}

type output struct {
	Data    map[string]json.RawMessage `json:"data"`
	Text    lines                      `json:"text"`
	Name    string                     `json:"ename"`
	Value   string                     `json:"evalue"`
	Picture json.RawMessage            `json:"png"` // of nbformat 3
}

// lines is a text, or a list of its lines.
type lines string

// UnmarshalJSON implements [json.Unmarshaler].
func (l *lines) UnmarshalJSON(b []byte) error {
	var list []string
	if json.Unmarshal(b, &list) == nil {
		*l = lines(strings.Join(list, ""))
		return nil
	}
	var text string
	if err := json.Unmarshal(b, &text); err != nil {
		return fmt.Errorf("a cell of a notebook: %w", err)
	}
	*l = lines(text)
	return nil
}

// unshown matches what a page does not show of its HTML.
var unshown = pattern.New(`(?is)<!--.*?-->|<style\b.*?</style>|<script\b.*?</script>`)

// Notebook reads a notebook of Jupyter: its texts as Markdown, its code, and what the code printed. Pictures are left out, with what
// stands for them. Other JSON is read as it is.
func Notebook(text string, add outline.Add) (title string, err error) {
	var n notebook
	if err := json.Unmarshal([]byte(text), &n); err != nil || n.Cells == nil && n.Sheets == nil {
		return "", Source(text, add)
	}
	cells := n.Cells
	for _, s := range n.Sheets {
		cells = append(cells, s.Cells...)
	}
	for _, c := range cells {
		said := ""
		switch source := string(c.Source); c.Kind {
		case "code", "raw":
			err = add(outline.Block{Kind: outline.Code, Text: strings.TrimSpace(source + string(c.Input))})
			for _, o := range c.Outputs {
				if err == nil {
					err = add(outline.Block{Kind: outline.Code, Text: o.text()})
				}
			}
		case "heading":
			said, err = Markdown(strings.Repeat("#", min(max(c.Level, 1), 6))+" "+source, add)
		default:
			said, err = Markdown(source, add)
		}
		if err != nil {
			return title, err
		}
		if title == "" {
			title = said
		}
	}
	return title, nil
}

// text returns what an output shows of text.
func (o output) text() string {
	if len(o.Picture) > 0 {
		return ""
	}
	out := string(o.Text)
	for kind := range o.Data {
		if strings.HasPrefix(kind, "image/") {
			return out
		}
	}
	for _, kind := range []string{"text/markdown", "text/plain", "text/html"} {
		var said lines
		if out == "" && o.Data[kind] != nil && json.Unmarshal(o.Data[kind], &said) == nil {
			if out = string(said); kind == "text/html" {
				out = html.UnescapeString(strings.Join(strings.Fields(mdTag.ReplaceAllString(unshown.ReplaceAllString(out, ""), " ")), " "))
			}
		}
	}
	if o.Name != "" {
		out = o.Name + ": " + o.Value
	}
	return strings.TrimRight(Shown(out), " \n")
}
