package llmtest

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"hash/fnv"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Handler says what the endpoint answers to a chat request that was found to be
// correct. It is called from several goroutines.
type Handler func(Request) Reply

// Config is how a [Server] behaves. The zero value serves everything, answers
// "ok" and asks for no key.
type Config struct {
	Handler    Handler  // nil: "ok", or the least value that fits a schema
	Key        string   // API key to ask for, "" for none
	Without    []string // refuse these: "stream_options", "json_schema", "json_object", "tools", "temperature", "max_tokens", "max_completion_tokens", "stream", "pictures"
	Dimensions int      // of embeddings, default 8
	Hear       Hearing  // answers recordings; nil: the endpoint has no transcription
	Azure      bool     // serve Azure's paths, of deployments and of its v1 API, and its key header as well
}

// Entry is one request in the journal.
type Entry struct {
	Path    string
	Header  http.Header // without the key
	Body    []byte
	Chat    *Request // of a chat request that could be read
	Status  int      // of the answer
	Refused string   // why it was refused, "" if it was not
}

// Server is an endpoint on loopback that speaks the OpenAI API. Model names
// beginning with "fake-" carry their own behaviour, see [ByName].
type Server struct {
	URL  string // base URL, ending in /v1: OPENAI_BASE_URL
	Root string // without /v1: what Azure's clients want

	cfg  Config
	http *httptest.Server
	quit chan struct{}
	once sync.Once

	conns atomic.Int64

	mu      sync.Mutex
	journal []Entry
	calls   int
}

// NewServer starts an endpoint that answers by h, nil for "ok", until the test
// ends.
func NewServer(t testing.TB, h Handler) *Server {
	t.Helper()
	return NewServerWith(t, Config{Handler: h})
}

// NewServerWith starts an endpoint until the test ends.
func NewServerWith(t testing.TB, cfg Config) *Server {
	t.Helper()
	s := Start(cfg)
	t.Cleanup(s.Close)
	return s
}

// Start starts an endpoint on a free port of the loopback interface, for
// programs; the caller closes it.
func Start(cfg Config) *Server {
	s := &Server{cfg: cfg, quit: make(chan struct{})}
	s.http = httptest.NewUnstartedServer(http.HandlerFunc(s.serve))
	s.http.Config.ReadHeaderTimeout = 10 * time.Second
	s.http.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			s.conns.Add(1)
		}
	}
	s.http.Start()
	s.Root = s.http.URL
	s.URL = s.Root + "/v1"
	return s
}

// Addr returns where the endpoint listens.
func (s *Server) Addr() net.Addr { return s.http.Listener.Addr() }

// Connections returns how many connections were made so far.
func (s *Server) Connections() int { return int(s.conns.Load()) }

// Close ends all answers and stops the endpoint.
func (s *Server) Close() {
	s.once.Do(func() {
		close(s.quit)
		s.http.CloseClientConnections()
		s.http.Close()
	})
}

// Journal returns all requests so far, in the order in which they were
// answered.
func (s *Server) Journal() []Entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.journal)
}

// Chats returns the chat requests so far that were not refused.
func (s *Server) Chats() []Request {
	var out []Request
	for _, e := range s.Journal() {
		if e.Chat != nil && e.Refused == "" {
			out = append(out, *e.Chat)
		}
	}
	return out
}

// Reset empties the journal.
func (s *Server) Reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.journal = nil
}

func (s *Server) lacks(feature string) bool { return slices.Contains(s.cfg.Without, feature) }

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, 32<<20))
	if err != nil {
		return
	}
	e := Entry{Path: r.URL.Path, Header: r.Header.Clone(), Body: body, Status: http.StatusOK}
	e.Header.Del("Authorization")
	e.Header.Del("Api-Key")
	path, ok := s.route(r)
	switch {
	case slices.Contains(othersDoors, r.URL.Path):
		e.Status = http.StatusNotFound
		s.write(e)
		fail(w, http.StatusNotFound, "", map[string]any{"message": "Unknown request URL"})
	case !ok:
		s.refuse(w, &e, http.StatusNotFound, refuse("", "Unknown request URL: %s %s", r.Method, r.URL.Path))
	case !s.authorized(r):
		s.refuse(w, &e, http.StatusUnauthorized, &refusal{message: "Incorrect API key provided", code: "invalid_api_key"})
	case path == "/chat/completions":
		s.chat(w, r, &e)
	case path == "/embeddings":
		s.embed(w, &e)
	case path == "/audio/transcriptions":
		s.transcribe(w, r, &e)
	default:
		s.write(e)
		reply(w, map[string]any{"object": "list", "data": []any{map[string]any{"id": "fake", "object": "model", "created": 0, "owned_by": "test"}}})
	}
}

// othersDoors are paths of servers that tell of their models' contexts. Asking for them is no fault,
// and this is none of these servers.
var othersDoors = []string{"/api/ps", "/props", "/api/v0/models", "/info"}

// route returns the endpoint's path behind the API's root.
func (s *Server) route(r *http.Request) (string, bool) {
	path, ok := strings.CutPrefix(r.URL.Path, "/v1")
	if !ok && s.cfg.Azure {
		path, ok = strings.CutPrefix(r.URL.Path, "/openai/v1")
	}
	if !ok && s.cfg.Azure {
		rest, isAzure := strings.CutPrefix(r.URL.Path, "/openai/deployments/")
		if _, p, found := strings.Cut(rest, "/"); isAzure && found && r.URL.Query().Get("api-version") != "" {
			path, ok = "/"+p, true
		}
	}
	want := map[string]string{"/chat/completions": http.MethodPost, "/embeddings": http.MethodPost, "/models": http.MethodGet}
	if s.cfg.Hear != nil {
		want["/audio/transcriptions"] = http.MethodPost
	}
	return path, ok && want[path] == r.Method
}

func (s *Server) authorized(r *http.Request) bool {
	if s.cfg.Key == "" {
		return true
	}
	if s.cfg.Azure && r.Header.Get("Api-Key") == s.cfg.Key {
		return true
	}
	return r.Header.Get("Authorization") == "Bearer "+s.cfg.Key
}

// write puts an entry into the journal; it is there before the answer ends.
func (s *Server) write(e Entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.journal = append(s.journal, e)
}

func (s *Server) refuse(w http.ResponseWriter, e *Entry, status int, why *refusal) {
	e.Status, e.Refused = status, why.message
	s.write(*e)
	fail(w, status, "", map[string]any{
		"message": why.message, "type": "invalid_request_error", "param": orNull(why.param), "code": orNull(why.code),
	})
}

func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func fail(w http.ResponseWriter, status int, retryAfter string, obj map[string]any) {
	if retryAfter != "" {
		w.Header().Set("Retry-After", retryAfter)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"error": obj})
}

func reply(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}

// embed answers an embedding request with unit vectors that depend on the text
// alone.
func (s *Server) embed(w http.ResponseWriter, e *Entry) {
	var r struct {
		Model          string          `json:"model"`
		Input          json.RawMessage `json:"input"`
		EncodingFormat string          `json:"encoding_format"`
		Dimensions     int             `json:"dimensions"`
		User           string          `json:"user"`
	}
	bad := decode(e.Body, &r)
	var texts []string
	var one string
	switch {
	case bad != nil:
	case json.Unmarshal(r.Input, &one) == nil:
		texts = []string{one}
	case json.Unmarshal(r.Input, &texts) != nil:
		bad = refuse("input", "'$.input' is invalid.")
	}
	if bad == nil && (r.Model == "" || len(texts) == 0 || len(texts) > 2048 || slices.Contains(texts, "")) {
		bad = refuse("input", "'$.input' is invalid: 1 to 2048 texts, none empty, and a model")
	}
	if bad != nil {
		s.refuse(w, e, http.StatusBadRequest, bad)
		return
	}
	if f, _, ok := ByName(r.Model); ok && f.Fault.Status != 0 {
		e.Status = f.Fault.Status
		s.write(*e)
		s.failBy(w, f.Fault)
		return
	}
	s.write(*e)
	dim := max(r.Dimensions, s.cfg.Dimensions)
	if dim == 0 {
		dim = 8
	}
	data := make([]any, len(texts))
	tokens := 0
	for i, t := range texts {
		tokens += len(strings.Fields(t))
		var v any = Vector(t, dim)
		if r.EncodingFormat == "base64" {
			v = encode(Vector(t, dim))
		}
		data[len(texts)-1-i] = map[string]any{"object": "embedding", "index": i, "embedding": v} // out of order on purpose
	}
	reply(w, map[string]any{
		"object": "list", "model": r.Model, "data": data,
		"usage": map[string]int{"prompt_tokens": tokens, "total_tokens": tokens},
	})
}

// Vector returns the embedding that the endpoint gives a text: words in common make
// vectors alike.
func Vector(text string, dim int) []float32 {
	v := make([]float32, dim)
	for _, w := range strings.Fields(strings.ToLower(text)) {
		h := fnv.New32a()
		_, _ = h.Write([]byte(w))
		v[h.Sum32()%uint32(dim)]++
	}
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum == 0 {
		v[0], sum = 1, 1
	}
	for i := range v {
		v[i] = float32(float64(v[i]) / math.Sqrt(sum))
	}
	return v
}

func encode(v []float32) string {
	b := make([]byte, 0, 4*len(v))
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return base64.StdEncoding.EncodeToString(b)
}
