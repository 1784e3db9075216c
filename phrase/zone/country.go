package zone

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

// IsCountry reports whether a text is the name of a country in Korean or English.
func IsCountry(name string) bool { return countries()[closed(name)] }

// Within reports whether a time zone is one of a country: of those of a few countries with several, or the country's own.
func Within(zone, country string) bool {
	if own, ok := Named(closed(country)); ok && IsCountry(country) {
		return own == zone
	}
	return slices.Contains(several()[closed(country)], zone)
}

func closed(name string) string { return strings.ToLower(strings.Join(strings.Fields(name), "")) }

// several are countries with more than one time zone that have places in the table of [Named], and names of countries that the
// Unicode CLDR lacks.
var several = sync.OnceValue(func() map[string][]string {
	out := map[string][]string{}
	for line := range strings.Lines(`
unitedstates usa 미국: America/New_York America/Chicago America/Denver America/Phoenix America/Los_Angeles America/Anchorage Pacific/Honolulu
canada 캐나다: America/Toronto America/Vancouver
mexico 멕시코: America/Mexico_City
brazil 브라질: America/Sao_Paulo
chile 칠레: America/Santiago
australia 오스트레일리아 호주: Australia/Sydney Australia/Brisbane Australia/Perth Australia/Adelaide
russia 러시아: Europe/Moscow Asia/Vladivostok
indonesia 인도네시아: Asia/Jakarta Asia/Makassar
kazakhstan 카자흐스탄: Asia/Almaty
korea 한국: Asia/Seoul
uk 영국: Europe/London
`) {
		names, zones, _ := strings.Cut(strings.TrimSpace(line), ": ")
		for name := range strings.FieldsSeq(names) {
			out[name] = strings.Fields(zones)
		}
	}
	return out
})

// cldr has the names of countries in the Unicode CLDR 32 (Unicode-3.0 licence), English and Korean, as golang.org/x/text v0.43's
// language/display has them; that package would add 2.7 MB of other languages to the program. A test compares them.
//
//go:embed countries.tsv
var cldr string

// countries are the names of the CLDR, and those above.
var countries = sync.OnceValue(func() map[string]bool {
	out := map[string]bool{}
	for name := range several() {
		out[name] = true
	}
	for name := range strings.FieldsFuncSeq(cldr, func(r rune) bool { return r == '\t' || r == '\n' }) {
		out[closed(name)] = true
	}
	return out
})
