package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

	"maru/phrase"
	zones "maru/phrase/zone"
)

// Letters returns the maximum length of k's value in characters, 0 if another bound applies.
func (k Key) Letters() int {
	if k.Kind == "text" || k.Kind == "list" {
		return k.Max
	}
	return 0
}

// Check validates a person's value for k, in any language's words, and returns the stored form.
func (k Key) Check(text string, offers Offers) (json.RawMessage, error) {
	text = strings.TrimSpace(text)
	switch k.Kind {
	case "text": // it stays as it was written
	case "list": // its items are read one by one
	default:
		text = k.meant(norm.NFKC.String(text), k.named(offers))
	}
	v, err := k.read(text, offers)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", k.Name, err)
	}
	return json.Marshal(v)
}

// read returns the value that a text is, by the kind of k.
func (k Key) read(text string, offers Offers) (any, error) {
	switch k.Kind {
	case "bool":
		on, err := parseBool(text)
		if err != nil {
			return nil, errors.New("use on or off")
		}
		return on, nil
	case "list":
		return k.readList(text, offers)
	case "time":
		return k.readTime(text)
	case "hours":
		h, err := ParseHours(text)
		return h.String(), err
	case "zone":
		return readZone(text)
	case "decimal":
		f, err := parseFloat(inDigits(text))
		if err != nil || f < 0 || f > float64(k.Max) {
			return nil, fmt.Errorf("use a number from 0 to %d", k.Max)
		}
		return f, nil
	case "choice":
		if values := k.offered(offers); !slices.Contains(values, text) {
			return nil, fmt.Errorf("use one of %s", strings.Join(values, ", "))
		}
		return text, nil
	case "number":
		n, err := strconv.Atoi(inDigits(text))
		if err != nil || n < 0 || n > k.Max {
			return nil, fmt.Errorf("use a whole number from 0 to %d", k.Max)
		}
		return n, nil
	}
	return text, k.fits(text)
}

// readZone returns the IANA name of a time zone, which may be given by a place in it.
func readZone(text string) (string, error) {
	name, ok := zones.Named(folded(text))
	if !ok {
		name = strings.TrimSpace(text)
	}
	if _, err := time.LoadLocation(name); err != nil || name == "" || name == "Local" {
		return "", errors.New("use a time zone such as Asia/Seoul, or a city in it")
	}
	return name, nil
}

// fits refuses a text that is longer than k takes.
func (k Key) fits(text string) error {
	if len([]rune(text)) > k.Max {
		return fmt.Errorf("use at most %d characters", k.Max)
	}
	return nil
}

func (k Key) readList(text string, offers Offers) ([]string, error) {
	if err := k.fits(text); err != nil {
		return nil, err
	}
	named := append([]string{}, list(text)...) // none is [], not null
	values := k.offered(offers)
	for i, one := range named {
		named[i] = k.meant(one, values)
		if values != nil && !slices.Contains(values, named[i]) {
			return nil, fmt.Errorf("use some of %s", strings.Join(values, ", "))
		}
	}
	return named, nil
}

func (k Key) readTime(text string) (string, error) {
	text = inUnits(text)
	if _, bare := strconv.Atoi(text); bare == nil && k.least() >= day { // seconds are never meant
		text += "d"
	}
	d, err := ParseSpan(text)
	if err != nil || d < 0 || d > time.Duration(k.Max)*day || d != 0 && d < k.least() || d == 0 && k.Name == "approval_expires" {
		return "", fmt.Errorf("use a time such as 30m, 72h or 7d, %d days at most", k.Max)
	}
	return d.String(), nil
}

// least returns the shortest time that k takes, beside none at all.
func (k Key) least() time.Duration {
	if k.Name == "retention" {
		return minRetention
	}
	return 0
}

// Choices returns the values that a form offers for k, nil if it is free.
func (k Key) Choices(offers Offers) []string {
	switch k.Kind {
	case "bool":
		return []string{"on", "off"}
	case "list":
		return nil
	}
	return k.offered(offers)
}

// Several returns the choices of a list key, nil if its items are free.
func (k Key) Several(offers Offers) []string {
	if k.Kind != "list" {
		return nil
	}
	return k.offered(offers)
}

// Blank reports whether nothing is a value of k: no words, or none of a list.
func (k Key) Blank() bool { return k.Kind == "text" || k.Kind == "list" }

// Text returns a value of k as people write it; [Key.Check] reads it.
func (k Key) Text(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case bool:
		if v {
			return "on"
		}
		return "off"
	case []string:
		return strings.Join(v, ", ")
	case time.Duration:
		return SpanText(v)
	case float64: // 1000000 and not 1e+06
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return fmt.Sprint(value)
}

// Takes describes k's values in a person's language.
func (k Key) Takes(offers Offers, language string) string {
	if c := k.Choices(offers); len(c) > 0 {
		return phrase.Say(language, "setting.takes_choice", strings.Join(c, ", "))
	}
	if values := k.offered(offers); k.Kind == "list" && values != nil {
		return phrase.Say(language, "setting.takes_some", strings.Join(values, ", "))
	}
	if k.Kind == "choice" { // the operator has named none
		return phrase.Say(language, "setting.takes_none")
	}
	switch k.Kind {
	case "time":
		if k.Name == "retention" {
			return phrase.Say(language, "setting.takes_days", k.Max)
		}
		return phrase.Say(language, "setting.takes_time")
	case "hours":
		return phrase.Say(language, "setting.takes_hours")
	case "zone":
		return phrase.Say(language, "setting.takes_zone")
	case "decimal":
		return phrase.Say(language, "setting.takes_decimal", k.Max)
	case "number":
		return phrase.Say(language, "setting.takes_number", k.Max)
	}
	return phrase.Say(language, "setting.takes_text", k.Max)
}
