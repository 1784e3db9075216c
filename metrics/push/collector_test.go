package push_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// taken is a request as a strict collector reads it: a member that OTLP does not have is an error.
type taken struct {
	ResourceMetrics []struct {
		Resource struct {
			Attributes []pair `json:"attributes"`
		} `json:"resource"`
		ScopeMetrics []struct {
			Scope   struct{ Name, Version string } `json:"scope"`
			Metrics []figure                       `json:"metrics"`
		} `json:"scopeMetrics"`
	} `json:"resourceMetrics"`
}

type pair struct {
	Key   string `json:"key"`
	Value struct {
		StringValue string `json:"stringValue"`
	} `json:"value"`
}

type figure struct {
	Name        string  `json:"name"`
	Description string  `json:"description"`
	Unit        string  `json:"unit"`
	Sum         *points `json:"sum"`
	Gauge       *points `json:"gauge"`
	Histogram   *points `json:"histogram"`
	Summary     *points `json:"summary"`
}

type points struct {
	AggregationTemporality int  `json:"aggregationTemporality"`
	IsMonotonic            bool `json:"isMonotonic"`
	DataPoints             []struct {
		Attributes        []pair    `json:"attributes"`
		StartTimeUnixNano string    `json:"startTimeUnixNano"`
		TimeUnixNano      string    `json:"timeUnixNano"`
		AsDouble          *number   `json:"asDouble"`
		Count             string    `json:"count"`
		Sum               *number   `json:"sum"`
		BucketCounts      []string  `json:"bucketCounts"`
		ExplicitBounds    []float64 `json:"explicitBounds"`
		QuantileValues    []struct {
			Quantile number `json:"quantile"`
			Value    number `json:"value"`
		} `json:"quantileValues"`
	} `json:"dataPoints"`
}

// number is a number, or one of the words that the JSON of Protocol Buffers has for those that JSON lacks.
type number string

func (n *number) UnmarshalJSON(raw []byte) error {
	s := strings.Trim(string(raw), `"`)
	if _, err := strconv.ParseFloat(s, 64); err != nil || string(raw) != s && !slices.Contains([]string{"NaN", "Infinity", "-Infinity"}, s) {
		return errors.New("no number: " + string(raw))
	}
	*n = number(s)
	return nil
}

// collector is a strict endpoint: it refuses what OTLP does not allow.
type collector struct {
	*httptest.Server

	mu     sync.Mutex
	answer func(http.ResponseWriter, *http.Request) bool // true: it has answered
	got    []taken
	header http.Header
}

func newCollector(t *testing.T) *collector {
	t.Helper()
	c := &collector{}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.mu.Lock()
		defer c.mu.Unlock()
		body, err := plain(r)
		if c.answer != nil && c.answer(w, r) {
			return
		}
		var one taken
		strict := json.NewDecoder(bytes.NewReader(body))
		strict.DisallowUnknownFields()
		if err = errors.Join(err, strict.Decode(&one)); err != nil || r.Method != http.MethodPost || r.URL.Path != "/v1/metrics" || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s %s: %v", r.Method, r.URL.Path, err)
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		for _, m := range one.ResourceMetrics[0].ScopeMetrics[0].Metrics {
			check(t, m)
		}
		c.got, c.header = append(c.got, one), r.Header
		_, _ = io.WriteString(w, `{"partialSuccess":{}}`)
	}))
	t.Cleanup(c.Close)
	return c
}

// plain reads a body, which may be compressed.
func plain(r *http.Request) ([]byte, error) {
	switch as := r.Header.Get("Content-Encoding"); as {
	case "":
		return io.ReadAll(r.Body)
	case "gzip":
		z, err := gzip.NewReader(r.Body)
		if err != nil {
			return nil, err
		}
		return io.ReadAll(z)
	default:
		return nil, errors.New("unknown encoding " + as)
	}
}

var nanos = regexp.MustCompile(`^[0-9]{19}$`)

// check holds a metric against the data model of OTLP.
func check(t *testing.T, m figure) {
	t.Helper()
	kinds := 0
	for _, p := range []*points{m.Sum, m.Gauge, m.Histogram, m.Summary} {
		if p == nil {
			continue
		}
		kinds++
		sums := m.Sum != nil || m.Histogram != nil
		if (p.AggregationTemporality == 1 || p.AggregationTemporality == 2) != sums || p.IsMonotonic != (m.Sum != nil) || len(p.DataPoints) == 0 {
			t.Errorf("%s: %+v", m.Name, p)
		}
		seen := map[string]bool{}
		for _, one := range p.DataPoints {
			series := ""
			for _, a := range one.Attributes {
				if a.Value.StringValue == "" {
					t.Errorf("%s has an empty %s", m.Name, a.Key)
				}
				series += a.Key + "=" + a.Value.StringValue + " "
			}
			if seen[series] {
				t.Errorf("%s has %stwice", m.Name, series)
			}
			seen[series] = true
			if !nanos.MatchString(one.TimeUnixNano) || m.Gauge == nil && one.StartTimeUnixNano > one.TimeUnixNano {
				t.Errorf("%s: from %s to %s", m.Name, one.StartTimeUnixNano, one.TimeUnixNano)
			}
			if m.Histogram == nil {
				continue
			}
			sum := 0
			for _, n := range one.BucketCounts {
				count, err := strconv.Atoi(n)
				if err != nil {
					t.Error(err)
				}
				sum += count
			}
			if strconv.Itoa(sum) != one.Count || len(one.BucketCounts) != len(one.ExplicitBounds)+1 || !slices.IsSorted(one.ExplicitBounds) {
				t.Errorf("%s: buckets %v of %v, count %s", m.Name, one.BucketCounts, one.ExplicitBounds, one.Count)
			}
		}
	}
	if kinds != 1 || m.Name == "" {
		t.Errorf("%q has %d kinds of data", m.Name, kinds)
	}
}

func (c *collector) requests(t *testing.T, n int) []taken {
	t.Helper()
	for range 4000 {
		c.mu.Lock()
		if len(c.got) >= n {
			defer c.mu.Unlock()
			return slices.Clone(c.got)
		}
		c.mu.Unlock()
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatalf("the collector has not got %d requests", n)
	return nil
}

// values returns the points of a request: name, attributes, unit and value or buckets.
func values(r taken) map[string]string {
	out := map[string]string{}
	for _, m := range r.ResourceMetrics[0].ScopeMetrics[0].Metrics {
		for _, p := range []*points{m.Sum, m.Gauge, m.Histogram, m.Summary} {
			if p == nil {
				continue
			}
			for _, one := range p.DataPoints {
				name := m.Name
				for _, a := range one.Attributes {
					name += " " + a.Key + "=" + a.Value.StringValue
				}
				switch {
				case one.AsDouble != nil:
					out[name] = string(*one.AsDouble) + m.Unit
				case one.Sum != nil:
					out[name] = one.Count + " of " + string(*one.Sum) + m.Unit
				}
			}
		}
	}
	return out
}
