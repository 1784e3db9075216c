package config

import (
	"fmt"
	"log/slog"
	"math"
	"strconv"
	"strings"
	"time"

	"maru/config/network"
)

// apiType parses OPENAI_API_TYPE.
type apiType struct{ azure *bool }

// everyApproval parses ENABLE_HITL.
type everyApproval struct{ into *Approvals }

// assign parses value into the field that into points to. It returns the expected form; "" means success. It never
// repeats value.
func assign(into any, value string) (expected string) {
	switch p := into.(type) {
	case *string:
		*p = value
	case *Secret:
		*p = Secret(value)
	case *[]string:
		*p = list(value)
	case *bool:
		return parsed(p, value, parseBool, "true or false")
	case *int:
		return parsed(p, value, strconv.Atoi, "a whole number")
	case *int64:
		return parsed(p, value, parseSize, "a size such as 20MiB")
	case *float64:
		return parsed(p, value, parseFloat, "a number such as 0.5")
	case **float64:
		*p = new(float64)
		return parsed(*p, value, parseFloat, "a number such as 0.5")
	case *time.Duration:
		return parsed(p, value, parseDuration, "a time such as 30s or 5m")
	case *slog.Level:
		return parsed(p, value, parseLevel, "debug, info, warn or error")
	case *map[string]Price:
		return parsed(p, value, parsePrices, "model=input/output or model=input/output/cached, separated by commas")
	case *network.Set:
		return parsed(p, value, network.Parse, "addresses and networks, separated by commas")
	case apiType:
		*p.azure = value == "azure"
	case everyApproval:
		var on bool
		expected = parsed(&on, value, parseBool, "true or false")
		*p.into = Approvals{on, on, on}
	default:
		panic(fmt.Sprintf("config: no parser for %T", into))
	}
	return expected
}

// parsed stores the result of parse, or returns the expected form.
func parsed[T any](into *T, value string, parse func(string) (T, error), expected string) string {
	v, err := parse(value)
	if err != nil {
		return expected
	}
	*into = v
	return ""
}

func list(value string) []string {
	var out []string
	for part := range strings.SplitSeq(value, ",") {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, part)
		}
	}
	return out
}

func parseBool(value string) (bool, error) {
	switch strings.ToLower(value) {
	case "yes", "on":
		return true, nil
	case "no", "off":
		return false, nil
	}
	return strconv.ParseBool(strings.ToLower(value))
}

func parseFloat(value string) (float64, error) {
	f, err := strconv.ParseFloat(value, 64)
	if err == nil && (math.IsNaN(f) || math.IsInf(f, 0)) {
		return 0, strconv.ErrRange
	}
	return f, err
}

// parseDuration parses Go's notation, and a bare number as seconds, as most people mean TOOL_CHECK_INTERVAL=300.
func parseDuration(value string) (time.Duration, error) {
	if n, err := strconv.Atoi(value); err == nil {
		if n < 0 || n > int(math.MaxInt64/time.Second) {
			return 0, strconv.ErrRange
		}
		return time.Duration(n) * time.Second, nil
	}
	return time.ParseDuration(value)
}

func parseLevel(value string) (slog.Level, error) {
	var level slog.Level
	err := level.UnmarshalText([]byte(value))
	return level, err
}

// units are the suffixes of sizes, the longest first.
var units = []struct {
	suffix string
	bytes  float64
}{
	{"kib", 1 << 10}, {"mib", 1 << 20}, {"gib", 1 << 30}, {"kb", 1e3}, {"mb", 1e6}, {"gb", 1e9},
	{"k", 1 << 10}, {"m", 1 << 20}, {"g", 1 << 30}, {"b", 1},
}

func parseSize(value string) (int64, error) {
	number, factor := strings.ToLower(value), 1.0
	for _, u := range units {
		if rest, ok := strings.CutSuffix(number, u.suffix); ok {
			number, factor = strings.TrimSpace(rest), u.bytes
			break
		}
	}
	f, err := parseFloat(number)
	if err != nil || f < 0 || f*factor > math.MaxInt64/2 {
		return 0, strconv.ErrRange
	}
	return int64(f * factor), nil
}

// parsePrices reads "gpt-4.1-mini=0.4/1.6/0.1,local=0/0".
func parsePrices(value string) (map[string]Price, error) {
	prices := map[string]Price{}
	for _, entry := range list(value) {
		model, amounts, ok := cutLast(entry, "=")
		if _, twice := prices[model]; !ok || model == "" || twice {
			return nil, strconv.ErrSyntax
		}
		price, err := parsePrice(strings.Split(amounts, "/"))
		if err != nil {
			return nil, err
		}
		prices[model] = price
	}
	return prices, nil
}

func parsePrice(amounts []string) (Price, error) {
	if len(amounts) < 2 || len(amounts) > 3 {
		return Price{}, strconv.ErrSyntax
	}
	var f [3]float64
	for i, a := range amounts {
		v, err := parseFloat(strings.TrimSpace(a))
		if err != nil || v < 0 {
			return Price{}, strconv.ErrRange
		}
		f[i] = v
	}
	if len(amounts) == 2 {
		f[2] = f[0] // no discount is known: cached tokens cost as the others
	}
	return Price{Input: f[0], Output: f[1], Cached: f[2]}, nil
}

// cutLast cuts s around the last sep.
func cutLast(s, sep string) (before, after string, ok bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return strings.TrimSpace(s[:i]), s[i+len(sep):], true
}
