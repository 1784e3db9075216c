package builtin

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode"

	"maru/agent/tool"
	"maru/phrase"
)

// weather asks OpenWeather.
type weather struct {
	base string
	key  string
	api  *service
}

// NewWeather returns the weather tool. base is OpenWeather's address; trusted
// says that the operator has chosen it.
func NewWeather(base, key string, trusted bool, proxy func(*http.Request) (*url.URL, error)) tool.Tool {
	return weather{base, key, &service{
		name: "OpenWeather", people: phrase.Of("builtin.service.weather"), key: "OPENWEATHER_API_KEY", secret: key,
		client: newHTTPClient(base, trusted, proxy),
	}}
}

const weatherWords = `Tells the weather of a place: now, or with days the forecast of so many days in the place's own time, today being the first. Give the city in English with its country code where there could be several, e.g. "Seoul,KR", "Portland,US".`

// Spec implements tool.Tool.
func (weather) Spec() tool.Spec {
	return tool.Spec{
		Name:        "weather",
		Title:       phrase.Of("builtin.doing.weather"),
		Description: weatherWords,
		Parameters: json.RawMessage(`{"type":"object","properties":{
			"place":{"type":"string","minLength":1,"maxLength":100,"description":"the city that the request names, best in English with its country code"},
			"days":{"type":"integer","minimum":0,"maximum":5,"description":"0 or left out: now; 1: the rest of today; 2: until tomorrow; at most 5"},
			"units":{"enum":["metric","imperial"],"description":"metric unless the person uses Fahrenheit"}},
			"required":["place"],"additionalProperties":false}`),
		Policy:  tool.Policy{ReadOnly: true, Idempotent: true, Egress: true},
		Timeout: 20 * time.Second,
	}
}

// inOpenWeather returns a language by OpenWeather's own codes, which are ISO 639's but
// for two. It says everything in English in a language that it does not know.
func inOpenWeather(language string) string {
	own := map[string]string{"ko": "kr", "cs": "cz"}
	return cmp.Or(own[language], language, phrase.Fallback)
}

// weatherArgs are the tool's arguments.
type weatherArgs struct {
	Place string `json:"place"`
	Days  int    `json:"days"`
	Units string `json:"units"`
}

// conditions are the parts of an answer that now and forecast share.
type conditions struct {
	At      int64 `json:"dt"` // seconds
	Weather []struct {
		Description string `json:"description"`
	} `json:"weather"`
	Main *struct {
		Temp      float64 `json:"temp"`
		FeelsLike float64 `json:"feels_like"`
		Min       float64 `json:"temp_min"`
		Max       float64 `json:"temp_max"`
		Humidity  float64 `json:"humidity"` // percent
	} `json:"main"`
	Wind struct {
		Speed float64 `json:"speed"`
	} `json:"wind"`
	Chance float64 `json:"pop"` // of rain, 0 to 1
	Rain   struct {
		Hour  float64 `json:"1h"` // mm
		Three float64 `json:"3h"` // mm
	} `json:"rain"`
}

// Call implements tool.Tool.
func (w weather) Call(ctx context.Context, call tool.Call) (tool.Result, error) {
	args := weatherArgs{Units: "metric"}
	if err := json.Unmarshal(call.Arguments, &args); err != nil {
		return tool.Result{}, fmt.Errorf("decode arguments: %w", err)
	}
	query := url.Values{"q": {strings.TrimSpace(args.Place)}, "units": {args.Units}, "lang": {inOpenWeather(call.Language)}, "appid": {w.key}}
	result, err := tool.Result{}, w.locate(ctx, args.Place, query)
	if err != nil {
		return result, err
	}
	if args.Days > 0 {
		result, err = w.forecast(ctx, query, args)
	} else {
		result, err = w.now(ctx, query, args)
	}
	var known *tool.Error
	if errors.As(err, &known) && known.Code == "not_found" {
		return result, &tool.Error{
			Code:   "not_found",
			Model:  fmt.Sprintf("OpenWeather knows no place %q. Try its English name with the country code, or a larger city nearby.", args.Place),
			People: phrase.Of("builtin.weather.nothing", args.Place),
			Err:    known.Err,
		}
	}
	return result, err
}

// locate puts coordinates into the query for a place written in Hangul, which
// the weather endpoints themselves hardly know. Without a hit they are asked all
// the same.
func (w weather) locate(ctx context.Context, place string, query url.Values) error {
	if !strings.ContainsFunc(place, func(r rune) bool { return unicode.Is(unicode.Hangul, r) }) {
		return nil
	}
	var found []struct {
		Lat float64 `json:"lat"`
		Lon float64 `json:"lon"`
	}
	search := url.Values{"q": {strings.TrimSpace(place)}, "limit": {"1"}, "appid": {w.key}}
	err := w.api.ask(ctx, join(w.base, "/geo/1.0/direct", search), nil, nil, &found)
	var known *tool.Error
	if errors.As(err, &known) && known.Code == "not_found" {
		return nil
	}
	if err == nil && len(found) > 0 {
		query.Del("q")
		query.Set("lat", fmt.Sprint(found[0].Lat))
		query.Set("lon", fmt.Sprint(found[0].Lon))
	}
	return err
}

func (w weather) now(ctx context.Context, query url.Values, args weatherArgs) (tool.Result, error) {
	var answer struct {
		conditions
		Name     string `json:"name"`
		TimeZone int    `json:"timezone"` // seconds east of UTC
		Sys      struct {
			Country string `json:"country"`
		} `json:"sys"`
	}
	if err := w.api.ask(ctx, join(w.base, "/data/2.5/weather", query), nil, nil, &answer); err != nil {
		return tool.Result{}, err
	}
	if answer.Main == nil {
		return tool.Result{}, w.api.garbled(errors.New("no readings"))
	}
	degree, speed := unitsOf(args.Units)
	at := time.Unix(answer.At, 0).In(time.FixedZone("", answer.TimeZone))
	m := answer.Main
	text := fmt.Sprintf("%s, %s at %s local time: %s, %.1f%s (feels like %.1f%s), humidity %.0f%%, wind %.1f %s", answer.Name, answer.Sys.Country,
		at.Format("2006-01-02 15:04"), described(answer.conditions), m.Temp, degree, m.FeelsLike, degree, m.Humidity, answer.Wind.Speed, speed)
	if answer.Rain.Hour > 0 {
		text += fmt.Sprintf(", rain %.1f mm in the last hour", answer.Rain.Hour)
	}
	data, err := json.Marshal(map[string]any{"place": answer.Name, "temp": m.Temp, "feels_like": m.FeelsLike, "humidity": m.Humidity, "units": args.Units})
	if err != nil {
		return tool.Result{}, fmt.Errorf("encode result: %w", err)
	}
	return tool.Result{Text: text, Data: data, Sources: openWeather}, nil
}

// openWeather is where results come from.
var openWeather = []tool.Source{{Title: "OpenWeather", URL: "https://openweathermap.org"}}

func unitsOf(units string) (degree, speed string) {
	if units == "imperial" {
		return "°F", "mph"
	}
	return "°C", "m/s"
}

func described(c conditions) string {
	var parts []string
	for _, w := range c.Weather {
		parts = append(parts, tool.Bound(w.Description, 100))
	}
	return strings.Join(parts, ", ")
}

func (w weather) forecast(ctx context.Context, query url.Values, args weatherArgs) (tool.Result, error) {
	var answer struct {
		List []conditions `json:"list"` // every three hours
		City struct {
			Name     string `json:"name"`
			Country  string `json:"country"`
			TimeZone int    `json:"timezone"`
		} `json:"city"`
	}
	if err := w.api.ask(ctx, join(w.base, "/data/2.5/forecast", query), nil, nil, &answer); err != nil {
		return tool.Result{}, err
	}
	if len(answer.List) == 0 {
		return tool.Result{}, w.api.garbled(errors.New("no forecast"))
	}
	degree, _ := unitsOf(args.Units)
	lines := []string{fmt.Sprintf("%s, %s, by local day:", answer.City.Name, answer.City.Country)}
	for _, d := range daily(answer.List, time.FixedZone("", answer.City.TimeZone)) {
		if len(lines) > args.Days {
			break
		}
		lines = append(lines, fmt.Sprintf("%s: %s, %.1f to %.1f%s, chance of rain %.0f%%, rain %.1f mm", d.date, d.described, d.low, d.high, degree, 100*d.chance, d.rain))
	}
	return tool.Result{Text: strings.Join(lines, "\n"), Sources: openWeather}, nil
}

// dayOf is the weather of one day.
type dayOf struct {
	date, described         string
	low, high, chance, rain float64
	noon                    int // hours between the described reading and noon
}

// daily gathers readings of three hours into days, in the order they come; the
// words are those of the reading closest to noon.
func daily(list []conditions, zone *time.Location) []dayOf {
	var out []dayOf
	for _, c := range list {
		if c.Main == nil {
			continue
		}
		at := time.Unix(c.At, 0).In(zone)
		date := at.Format("2006-01-02 (Mon)")
		if len(out) == 0 || out[len(out)-1].date != date {
			out = append(out, dayOf{date: date, low: c.Main.Min, high: c.Main.Max, noon: 99})
		}
		d := &out[len(out)-1]
		d.low, d.high = min(d.low, c.Main.Min), max(d.high, c.Main.Max)
		d.chance, d.rain = max(d.chance, c.Chance), d.rain+c.Rain.Three
		if off := max(at.Hour()-12, 12-at.Hour()); off < d.noon {
			d.noon, d.described = off, described(c)
		}
	}
	return out
}
