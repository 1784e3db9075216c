package outline

import (
	"slices"
	"strings"
	"unicode"

	"maru/phrase/fit"
	"maru/phrase/pattern"
)

// layout is what the rows of a table are.
type layout uint8

const (
	headed layout = iota // records below the names of their columns
	form                 // labels, each with its value beside it
	bare                 // records without names
)

const (
	maxPairs = 4  // labels in one row of a form
	maxLabel = 40 // width of a label
)

// pair is a label of a form and its value.
type pair struct{ label, value string }

// layoutOf decides by the words of a table what it is. Without a sign of another layout the first row has the names of
// columns: a form shows by labels that end in a colon, by a first value that no column is called (a date, an address, a
// sentence), or by labels that forms have.
func layoutOf(rows [][]string) layout {
	var first []pair
	var all []pair
	lone, read, begins := 0, 0, false // rows with a cell alone, and whether the first has one
	for i, r := range rows {
		f := readFormRow(r, i > 0 && shares(rows[i-1], r) || i+1 < len(rows) && shares(r, rows[i+1]))
		list, rest := f.pairs, f.rest != ""
		if len(list) > maxPairs {
			return recordsOf(rows)
		}
		if len(list) == 0 {
			continue // a heading between rows
		}
		if read++; rest {
			lone++
		}
		if first == nil {
			first, begins = list, rest
		}
		all = append(all, list...)
	}
	switch {
	case read == 0 || titles(first):
		return recordsOf(rows)
	case coloned(first) && coloned(all):
		return form
	case begins || 2*lone >= read || !labelled(all):
		return recordsOf(rows)
	}
	one := len(first) == 1 && len(all) == read
	if valued(first) && (one && !underName(all) || !one && recordsOf(rows) == headed) || known(first, all) && !(one && !isLabel(first[0].label) && underName(all)) {
		return form
	}
	return recordsOf(rows)
}

// formRow is a row of a form.
type formRow struct {
	group string // label of several rows or pairs
	pairs []pair
	rest  string // a cell without a partner
}

// readFormRow reads a row as labels with their values. Merged cells count once, and empty columns between pairs do not.
// A label in front of labels is of a group, also one that the row shares with its neighbour.
func readFormRow(values []string, shared bool) (f formRow) {
	cells := Once(values)
	for len(cells) > 0 && strings.TrimSpace(cells[0]) == "" {
		cells = cells[1:]
	}
	if len(cells) > 2 && (shared || isLabel(cells[0]) && isLabel(cells[1])) {
		f.group, cells = fit.OneLine(cells[0]), cells[1:]
	}
	for len(cells)%2 == 1 && strings.TrimSpace(cells[len(cells)-1]) == "" {
		cells = cells[:len(cells)-1]
	}
	for i := 0; i < len(cells); i++ {
		label := fit.OneLine(cells[i])
		switch {
		case label == "":
		case i+1 == len(cells), len(cells) == 2 && fit.OneLine(cells[1]) == "" && fit.Width(label) > maxLabel:
			f.rest = label
		default:
			f.pairs = append(f.pairs, pair{label, fit.OneLine(cells[i+1])})
			i++
		}
	}
	return f
}

// shares reports whether two rows begin with the same merged cell.
func shares(a, b []string) bool {
	return len(a) > 2 && len(b) > 2 && a[0] != "" && a[0] == b[0] && (a[1] != b[1] || a[1] != a[0])
}

// labelled reports whether what is in the place of labels can be labels: short words, hardly any of them twice.
func labelled(list []pair) bool {
	seen, odd := map[string]bool{}, 0
	for _, p := range list {
		name := plain(p.label)
		if seen[name] || !strings.ContainsFunc(name, unicode.IsLetter) || strong(p.label) != "" || number.MatchString(p.label) || fit.Width(p.label) > maxLabel {
			odd++
		}
		seen[name] = true
	}
	return 10*odd <= len(list)
}

// titles reports whether the first row names columns: a value's place has the name of one, or it begins with a word for
// things in general.
func titles(first []pair) bool {
	if s := plain(first[0].label); general[s] || general[strings.TrimSuffix(s, " name")] {
		return true
	}
	return slices.ContainsFunc(first, func(p pair) bool { return isLabel(p.value) || named[plain(p.value)] })
}

// valued reports whether a first row has a value that is no name of a column.
func valued(first []pair) bool {
	return slices.ContainsFunc(first, func(p pair) bool {
		return strong(p.value) != "" ||
			counted.MatchString(p.label) && strings.ContainsFunc(p.value, unicode.IsDigit) && !year.MatchString(p.value) ||
			len(first) == 1 && number.MatchString(p.value) && !year.MatchString(p.value)
	})
}

// underName reports whether the values of one column are all of a kind that the first is not of: "users | 2024-03-01"
// above numbers.
func underName(all []pair) bool {
	below := map[string]int{}
	for _, p := range all[1:] {
		below[kindOf(p.value)]++
	}
	return len(all) > 2 && len(below) == 1 && below[""] == 0 && below[kindOf(all[0].value)] == 0
}

// coloned reports whether labels end in a colon.
func coloned(all []pair) bool {
	n := 0
	for _, p := range all {
		if strings.HasSuffix(p.label, ":") || strings.HasSuffix(p.label, "：") {
			n++
		}
	}
	return 10*n >= 6*len(all)
}

// known reports whether the places of labels have labels that forms have, also below the first row, and those of
// values have none. A person's role is no label below a word for roles, or beside an amount: "직책 | 한도" above
// "팀장 | 100만원".
func known(first, all []pair) bool {
	below, labels, others := 0, 0, 0
	ofRoles := roles[plain(first[0].label)]
	for i, p := range all {
		kind := kindOf(p.value)
		if isLabel(p.label) && !(persons[plain(p.label)] && (ofRoles || kind == "number" || kind == "quantity")) {
			labels++
			if i >= len(first) {
				below++
			}
		}
		if isLabel(p.value) {
			others++
		}
	}
	return below >= 1 && labels >= 2 && 5*labels >= 2*len(all) && 7*others <= len(all)
}

// recordsOf reports whether records have names above them: the first row is one of the records if each of its values
// that no column is called is of the kind of those below.
func recordsOf(rows [][]string) layout {
	if len(rows) < 2 {
		return headed
	}
	found := false
	for i, v := range rows[0] {
		kind := strong(v)
		if kind == "" {
			if isLabel(v) || named[plain(v)] {
				return headed
			}
			continue
		}
		same := 0
		for _, r := range rows[1:] {
			if i < len(r) && strong(r[i]) == kind {
				same++
			}
		}
		if 10*same < 8*(len(rows)-1) {
			return headed
		}
		found = true
	}
	if !found {
		return headed
	}
	return bare
}

var (
	number   = pattern.New(`^[-+(]?\d[\d,.]*\)?$`)
	year     = pattern.New(`^(?:19|20)\d\d$`)
	counted  = pattern.New(`(?i)(?:번호|코드|\bno\.?|\bid|number|code|#):?$`)
	mail     = pattern.New(`^[\w.+-]+@[\w-]+\.[\w.-]+$`)
	address  = pattern.New(`^(?:https?://|www\.)\S+$`)
	day      = pattern.New(`(?i)^(?:(?:19|20)\d\d ?[-./년] ?\d{1,2} ?[-./월] ?\d{1,2}|\d{1,2}(?:st|nd|rd|th)?[-./ ](?:\d{1,2}|[a-z]{3,9})[-./ ,]+(?:19|20)\d\d|[a-z]{3,9}\.? \d{1,2}(?:st|nd|rd|th)?,? (?:19|20)\d\d)`)
	phone    = pattern.New(`^(?:\+|0|\()[\d ().-]{7,}$`)
	quantity = pattern.New(`(?i)^(?:금 ?)?(?:[€$£₩¥] ?-?\d[\d,.]*|-?\d[\d,.]* ?(?:원|만 ?원|억 ?원|[€$£₩¥]|krw|usd|eur|kg|g|mg|km|m|cm|mm|㎡|m²|㎏|㎝|㎜|ml|l|kw|w|v|mah|hz|ghz|mhz|gb|mb|tb|h|°c|℃))(?:정)?$`)
)

// strong returns the kind of a value that no column is called; "" for all others.
func strong(v string) string {
	v = fit.OneLine(v)
	switch {
	case mail.MatchString(v):
		return "mail"
	case address.MatchString(v):
		return "address"
	case day.MatchString(v):
		return "day"
	case phone.MatchString(v):
		return "phone"
	case quantity.MatchString(v):
		return "quantity"
	case fit.Width(v) > 60:
		return "sentence"
	}
	return ""
}

// kindOf returns the kind of a value, "" of words.
func kindOf(v string) string {
	if number.MatchString(v) {
		return "number"
	}
	return strong(v)
}

// text writes a row of a form.
func (f formRow) text() string {
	var parts []string
	for _, p := range f.pairs {
		label, value := strings.TrimRight(p.label, ":： "), p.value
		if value == "" {
			value = "–"
		}
		parts = append(parts, label+": "+value)
	}
	if f.rest != "" {
		parts = append(parts, f.rest)
	}
	if f.group != "" {
		parts = append([]string{f.group}, parts...)
	}
	return strings.Join(parts, " | ")
}
