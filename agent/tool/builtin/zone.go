package builtin

import (
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"maru/phrase/zone"
)

// fold drops what people write differently in the same name, accents included.
func fold(name string) string {
	bare := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFD.String(name))
	name = norm.NFC.String(bare) // puts the letters of Hangul together again
	return strings.NewReplacer(" ", "", "-", "", "_", "", ".", "", ",", "", "'", "", "’", "").Replace(strings.ToLower(name))
}

var offset = regexp.MustCompile(`^(?:utc|gmt)([+-])(\d{1,2})(?::?(\d{2}))?$`)

// regions are tried in front of a bare city for the zones that no table lists.
var regions = []string{"Asia/", "Europe/", "America/", "Africa/", "Australia/", "Pacific/", "Atlantic/", "Indian/", "America/Argentina/", "America/Indiana/"}

// zoneOf finds the time zone of a place. Of "Austin, Texas" the city is enough, where
// the whole is no place that is known.
func zoneOf(place string) (*time.Location, bool) {
	place = strings.TrimSpace(place)
	if len(place) > 64 || strings.EqualFold(place, "local") {
		return nil, false
	}
	if found, ok := named(place); ok {
		return found, true
	}
	if city, _, ok := strings.Cut(place, ","); ok {
		return named(strings.TrimSpace(city))
	}
	return nil, false
}

// named finds the zone of a city, a country, an abbreviation, an offset or the zone's own name.
func named(place string) (*time.Location, bool) {
	name := fold(place)
	for _, n := range []string{name, strings.TrimSuffix(name, "시"), strings.TrimSuffix(name, "특별시"), strings.TrimSuffix(name, "광역시"), strings.TrimSuffix(name, "time"), strings.TrimSuffix(name, "시간"), strings.TrimSuffix(name, "city")} {
		if name, ok := zone.Named(n); ok {
			return load(name)
		}
	}
	if m := offset.FindStringSubmatch(strings.ReplaceAll(strings.ToLower(place), " ", "")); m != nil {
		return fixed(m[1], m[2], m[3])
	}
	if strings.Contains(place, "/") {
		if loc, ok := load(place); ok {
			return loc, true
		}
		return load(capital(place)) // asia/seoul
	}
	city := capital(place)
	for _, region := range regions {
		if loc, ok := load(region + city); ok {
			return loc, true
		}
	}
	return nil, false
}

// capital writes a name as the zone database does: America/New_York.
func capital(name string) string {
	parts := strings.Split(name, "/")
	for i, part := range parts {
		words := strings.FieldsFunc(part, func(r rune) bool { return r == ' ' || r == '_' })
		for j, w := range words {
			words[j] = strings.ToUpper(w[:1]) + strings.ToLower(w[1:])
		}
		parts[i] = strings.Join(words, "_")
	}
	return strings.Join(parts, "/")
}

func load(name string) (*time.Location, bool) {
	loc, err := time.LoadLocation(name)
	return loc, err == nil
}

// fixed makes a zone of an offset such as UTC+9 or UTC-03:30.
func fixed(sign, hours, minutes string) (*time.Location, bool) {
	h, _ := strconv.Atoi(hours)
	m, _ := strconv.Atoi("0" + minutes)
	if h > 14 || m > 59 {
		return nil, false
	}
	seconds := h*3600 + m*60
	name := "UTC" + sign + hours
	if minutes != "" {
		name += ":" + minutes
	}
	if sign == "-" {
		seconds = -seconds
	}
	return time.FixedZone(name, seconds), true
}
