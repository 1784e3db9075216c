package notion

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// texts is rich text.
type texts []struct {
	Plain string `json:"plain_text"`
}

// plain returns the text without its looks. Mentions of people, pages and dates have their names in it.
func (t texts) plain() string {
	var b strings.Builder
	for _, part := range t {
		b.WriteString(part.Plain)
	}
	return b.String()
}

// block is a block of a page.
type block struct {
	ID       string
	Type     string
	Children bool // there are blocks in it
	content  content
	inner    []block
}

// content is what is in a block.
type content struct {
	Text       texts   `json:"rich_text"`
	Caption    texts   `json:"caption"`
	Checked    bool    `json:"checked"`
	Expression string  `json:"expression"`
	Title      string  `json:"title"`
	URL        string  `json:"url"`
	Name       string  `json:"name"`
	ColumnHead bool    `json:"has_column_header"`
	RowHead    bool    `json:"has_row_header"`
	Cells      []texts `json:"cells"`
	Icon       struct {
		Emoji string `json:"emoji"`
	} `json:"icon"`
}

// UnmarshalJSON reads a block: what is in it is under the name of its type. A block of a type that this program does
// not know has no text.
func (b *block) UnmarshalJSON(data []byte) error {
	var head struct {
		ID       string `json:"id"`
		Type     string `json:"type"`
		Children bool   `json:"has_children"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return err
	}
	b.ID, b.Type, b.Children = head.ID, head.Type, head.Children
	var all map[string]json.RawMessage
	if err := json.Unmarshal(data, &all); err != nil {
		return err
	}
	if json.Unmarshal(all[head.Type], &b.content) != nil {
		b.content = content{}
	}
	return nil
}

// size is about how many bytes the text of a block has.
func (b block) size() int {
	n := len(b.content.Text.plain()) + len(b.content.Caption.plain()) + len(b.content.Expression) + len(b.content.Title)
	for _, c := range b.content.Cells {
		n += len(c.plain())
	}
	return n
}

// property is the value of a page in a database's column.
type property struct {
	Type        string    `json:"type"`
	Title       texts     `json:"title"`
	Text        texts     `json:"rich_text"`
	Number      *float64  `json:"number"`
	Select      *named    `json:"select"`
	Status      *named    `json:"status"`
	Multi       []named   `json:"multi_select"`
	People      []named   `json:"people"`
	Files       []named   `json:"files"`
	Date        *dates    `json:"date"`
	Checkbox    bool      `json:"checkbox"`
	URL         string    `json:"url"`
	Email       string    `json:"email"`
	Phone       string    `json:"phone_number"`
	Formula     *computed `json:"formula"`
	Rollup      *computed `json:"rollup"`
	Unique      *uniqueID `json:"unique_id"`
	CreatedBy   *named    `json:"created_by"`
	CreatedTime string    `json:"created_time"`
}

// UnmarshalJSON reads a property. One of a shape that this program does not know is empty: it must not cost the page.
func (p *property) UnmarshalJSON(data []byte) error {
	type plain property
	if json.Unmarshal(data, (*plain)(p)) != nil {
		*p = property{}
	}
	return nil
}

// named is something with a name.
type named struct {
	Name string `json:"name"`
}

// dates is a day or a time, or a span of them.
type dates struct {
	Start string `json:"start"`
	End   string `json:"end"`
}

func (d *dates) text() string {
	if d == nil {
		return ""
	}
	if d.End != "" {
		return d.Start + " – " + d.End
	}
	return d.Start
}

// computed is the value of a formula or rollup.
type computed struct {
	Type   string     `json:"type"`
	String string     `json:"string"`
	Number *float64   `json:"number"`
	Bool   *bool      `json:"boolean"`
	Date   *dates     `json:"date"`
	Array  []property `json:"array"`
}

func (c *computed) text() string {
	switch {
	case c == nil:
		return ""
	case c.Number != nil:
		return number(c.Number)
	case c.Bool != nil:
		return strconv.FormatBool(*c.Bool)
	case c.Date != nil:
		return c.Date.text()
	case len(c.Array) > 0:
		var list []string
		for _, p := range c.Array {
			list = append(list, p.text())
		}
		return joined(list)
	}
	return c.String
}

// uniqueID is a number that a database gives its pages.
type uniqueID struct {
	Prefix string `json:"prefix"`
	Number *int   `json:"number"`
}

func number(n *float64) string {
	if n == nil {
		return ""
	}
	return strconv.FormatFloat(*n, 'f', -1, 64)
}

func joined(list []string) string {
	return strings.Join(slices.DeleteFunc(list, func(s string) bool { return strings.TrimSpace(s) == "" }), ", ")
}

func names(list []named) string {
	var out []string
	for _, n := range list {
		out = append(out, n.Name)
	}
	return joined(out)
}

// text returns the value of a property as people read it, "" if it is empty.
func (p property) text() string {
	one := func(n *named) string {
		if n == nil {
			return ""
		}
		return n.Name
	}
	switch p.Type {
	case "title":
		return p.Title.plain()
	case "rich_text":
		return p.Text.plain()
	case "number":
		return number(p.Number)
	case "select":
		return one(p.Select)
	case "status":
		return one(p.Status)
	case "multi_select":
		return names(p.Multi)
	case "people":
		return names(p.People)
	case "files":
		return names(p.Files)
	case "date":
		return p.Date.text()
	case "url":
		return p.URL
	case "email":
		return p.Email
	case "phone_number":
		return p.Phone
	case "formula":
		return p.Formula.text()
	case "rollup":
		return p.Rollup.text()
	case "created_by":
		return one(p.CreatedBy)
	case "checkbox":
		if p.Checkbox {
			return "✅"
		}
		return "❌"
	case "unique_id":
		if p.Unique == nil || p.Unique.Number == nil {
			return ""
		}
		if p.Unique.Prefix != "" {
			return p.Unique.Prefix + "-" + strconv.Itoa(*p.Unique.Number)
		}
		return strconv.Itoa(*p.Unique.Number)
	}
	return ""
}
