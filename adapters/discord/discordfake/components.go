package discordfake

import "fmt"

const flagV2 = 1 << 15

// counted holds the totals of a message's components.
type counted struct {
	all, text int
	ids       map[string]bool
}

// checkComponents returns the fault of a message's components, "" if there is none: classic messages have rows of
// buttons and menus, component messages any component.
func checkComponents(v any, v2 bool) string {
	list, _ := v.([]any)
	n := counted{ids: map[string]bool{}}
	if v2 && len(list) == 0 {
		return "a message of components has none"
	}
	if !v2 && len(list) > 5 {
		return "more than 5 rows"
	}
	for _, e := range list {
		el, _ := e.(map[string]any)
		var why string
		if v2 {
			why = n.block(el, true)
		} else {
			why = n.row(el)
		}
		if why != "" {
			return why
		}
	}
	switch {
	case n.all > 40:
		return fmt.Sprintf("%d components", n.all)
	case n.text > 4000:
		return fmt.Sprintf("%d characters in the text displays", n.text)
	}
	return ""
}

// block validates a component at the top level or in a container.
func (n *counted) block(el map[string]any, top bool) string {
	switch el["type"] {
	case 1.0:
		return n.row(el)
	case 10.0:
		return n.display(el)
	case 14.0:
		n.all++
		return ""
	case 17.0:
		n.all++
		inner, _ := el["components"].([]any)
		if !top || len(inner) == 0 {
			return "a container that is empty or within another"
		}
		for _, e := range inner {
			in, _ := e.(map[string]any)
			if why := n.block(in, false); why != "" {
				return why
			}
		}
		return ""
	}
	return fmt.Sprintf("component type %v", el["type"])
}

func (n *counted) display(v any) string {
	el, _ := v.(map[string]any)
	text, _ := el["content"].(string)
	n.all++
	n.text += runes(text)
	if el["type"] != 10.0 || runes(text) < 1 {
		return "an empty text display"
	}
	return ""
}

// row checks an action row: up to five buttons, or one list.
func (n *counted) row(row map[string]any) string {
	n.all++
	els, _ := row["components"].([]any)
	if row["type"] != 1.0 || len(els) < 1 || len(els) > 5 {
		return "a row is not an action row of 1 to 5 components"
	}
	for _, e := range els {
		n.all++
		el, _ := e.(map[string]any)
		check := checkButton
		if el["type"] == 3.0 {
			check = checkSelect
			if len(els) != 1 {
				return "a list beside something else"
			}
		}
		if why := check(el, n.ids); why != "" {
			return why
		}
	}
	return ""
}

func checkButton(el map[string]any, ids map[string]bool) string {
	label, _ := el["label"].(string)
	id, _ := el["custom_id"].(string)
	link, _ := el["url"].(string)
	style, _ := el["style"].(float64)
	switch {
	case el["type"] != 2.0:
		return "something that is no button"
	case runes(label) < 1 && el["emoji"] == nil || runes(label) > 80:
		return fmt.Sprintf("button label has %d characters", runes(label))
	case style == 5 && (link == "" || len(link) > 512 || id != ""):
		return "link button without a good url"
	case style == 5:
		return ""
	case style < 1 || style > 5:
		return "button style"
	}
	return checkID(id, ids)
}

func checkSelect(el map[string]any, ids map[string]bool) string {
	id, _ := el["custom_id"].(string)
	placeholder, _ := el["placeholder"].(string)
	options, _ := el["options"].([]any)
	if len(options) < 1 || len(options) > 25 || runes(placeholder) > 150 {
		return "a list has not 1 to 25 options"
	}
	values := map[string]bool{}
	for _, o := range options {
		opt, _ := o.(map[string]any)
		label, _ := opt["label"].(string)
		value, _ := opt["value"].(string)
		if runes(label) < 1 || runes(label) > 100 || runes(value) < 1 || runes(value) > 100 || values[value] {
			return "option " + label
		}
		values[value] = true
	}
	least, most := wholeOf(el, "min_values", 1), wholeOf(el, "max_values", 1)
	chosen := 0
	for _, o := range options {
		if opt, _ := o.(map[string]any); opt["default"] == true {
			chosen++
		}
	}
	if least < 0 || least > 25 || most < 1 || most > len(options) || least > most || chosen > most {
		return "a list of which " + fmt.Sprint(least, " to ", most) + " are taken"
	}
	return checkID(id, ids)
}

// wholeOf returns an integer field of a component, or its default.
func wholeOf(el map[string]any, field string, otherwise int) int {
	if n, ok := el[field].(float64); ok {
		return int(n)
	}
	return otherwise
}

func checkID(id string, ids map[string]bool) string {
	switch {
	case runes(id) < 1 || runes(id) > 100:
		return fmt.Sprintf("custom_id has %d characters", runes(id))
	case ids[id]:
		return "custom_id twice in one message"
	}
	ids[id] = true
	return ""
}
