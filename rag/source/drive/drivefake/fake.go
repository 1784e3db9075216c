// Package drivefake is the part of Google's APIs that reads Drive, on loopback, for tests: the token endpoint of service
// accounts, files, changes and permissions of Drive, and members of groups of the Directory. It is built from
// https://developers.google.com/workspace/drive/api/reference/rest/v3 and answers as strictly as that says: it refuses
// requests without a User-Agent, without a token of the right scope, and with parameters that a method has not.
package drivefake

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// The root folder and the service account.
const (
	Root    = "root-folder"
	Account = "maru@project.iam.gserviceaccount.com"
	Folder  = "application/vnd.google-apps.folder"
)

// File is a file or folder.
type File struct {
	ID, Name, Mime, Parent, Text string
	Drive                        string // shared drive that it is in
}

// Permission lets somebody read a file.
type Permission struct {
	Type    string    `json:"type"` // user, group, domain, anyone
	Mail    string    `json:"emailAddress,omitempty"`
	Domain  string    `json:"domain,omitempty"`
	Found   bool      `json:"allowFileDiscovery,omitempty"`
	Deleted bool      `json:"deleted,omitempty"`
	View    string    `json:"view,omitempty"`
	Expires time.Time `json:"expirationTime,omitzero"`
}

// User returns a permission of a person.
func User(mail string) Permission { return Permission{Type: "user", Mail: mail} }

// kept is a file as the server keeps it.
type kept struct {
	File

	modified time.Time
	trashed  bool
	readers  []Permission
	hidden   bool // its permissions may not be read
}

// refusal is what the next requests of a path get.
type refusal struct {
	path   string
	status int
	reason string
	after  int
	times  int
}

// Server is a Google with one folder.
type Server struct {
	*httptest.Server

	Clock func() time.Time // by which tokens are asked for

	mu       sync.Mutex
	key      *rsa.PrivateKey
	now      time.Time
	files    map[string]*kept
	changes  []string // IDs
	groups   map[string][]string
	tokens   map[string]string // scopes
	refusals []*refusal
	asked    []string
	page     int // files in a page
}

// New starts a server with an empty folder.
func New(t *testing.T) *Server {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{Clock: time.Now, key: key, now: time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC), files: map[string]*kept{}, groups: map[string][]string{}, tokens: map[string]string{}, page: 1000}
	s.files[Root] = &kept{File: File{ID: Root, Name: "Team", Mime: Folder}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /token", s.token)
	for path, h := range map[string]handler{
		"files":                  {s.list, "q pageSize fields pageToken corpora driveId supportsAllDrives includeItemsFromAllDrives"},
		"files/{id}":             {s.file, "fields alt supportsAllDrives"},
		"files/{id}/export":      {s.export, "mimeType"},
		"files/{id}/permissions": {s.permissions, "fields pageSize pageToken supportsAllDrives"},
		"changes/startPageToken": {s.start, "driveId supportsAllDrives"},
		"changes":                {s.changed, "pageToken pageSize fields driveId supportsAllDrives includeItemsFromAllDrives"},
	} {
		mux.Handle("GET /drive/v3/"+path, s.guard(h, "https://www.googleapis.com/auth/drive.readonly"))
	}
	mux.Handle("GET /admin/directory/v1/groups/{id}/members", s.guard(handler{s.members, "includeDerivedMembership maxResults pageToken"}, "https://www.googleapis.com/auth/admin.directory.group.member.readonly"))
	s.Server = httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

// Folder returns where people open the root folder.
func (s *Server) Folder() string { return s.URL + "/drive/folders/" + Root }

// Page returns the ID of a file's item.
func (s *Server) Page(id string) string { return s.URL + "/open?id=" + id }

// Key returns the service account's key.
func (s *Server) Key() string {
	der, err := x509.MarshalPKCS8PrivateKey(s.key)
	if err != nil {
		panic(err) // an RSA key can be marshalled
	}
	data, err := json.Marshal(map[string]string{
		"type": "service_account", "client_email": Account, "private_key_id": "k1", "token_uri": "https://elsewhere.invalid/token",
		"private_key": string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})),
	})
	if err != nil {
		panic(err)
	}
	return string(data)
}

// do changes something, a minute after the last change.
func (s *Server) do(id string, change func(*kept)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = s.now.Add(time.Minute)
	k := s.files[id]
	if k == nil {
		k = &kept{}
		s.files[id] = k
	}
	change(k)
	if id != Root {
		s.changes = append(s.changes, id)
	}
}

// Put adds or replaces a file; without a parent it is in the root folder.
func (s *Server) Put(f File, readers ...Permission) {
	s.do(f.ID, func(k *kept) {
		if f.Parent == "" {
			f.Parent = Root
		}
		k.File, k.modified, k.trashed = f, s.now, false
		if readers != nil {
			k.readers = readers
		}
	})
}

// Share says who reads a file now.
func (s *Server) Share(id string, readers ...Permission) {
	s.do(id, func(k *kept) { k.readers = readers })
}

// Trash moves a file to the trash.
func (s *Server) Trash(id string) { s.do(id, func(k *kept) { k.trashed = true }) }

// Hide keeps the permissions of a file from the account.
func (s *Server) Hide(id string, hidden bool) { s.do(id, func(k *kept) { k.hidden = hidden }) }

// Delete removes a file for good, or takes it from the account.
func (s *Server) Delete(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.files, id)
	s.changes = append(s.changes, id)
}

// Group sets the members of a group, those of its groups among them.
func (s *Server) Group(mail string, members ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.groups[mail] = members
}

// Refuse makes requests whose path contains a text fail so often, 0 for always; a status of 0 ends all of that.
func (s *Server) Refuse(path string, status int, reason string, after, times int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if status == 0 {
		s.refusals = nil
		return
	}
	s.refusals = append(s.refusals, &refusal{path, status, reason, after, times})
}

// Pages sets how many entries a page has.
func (s *Server) Pages(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.page = n
}

// Asked returns the paths that were asked for since it was called last.
func (s *Server) Asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.asked
	s.asked = nil
	return out
}

// Count counts the requests since Asked whose path contains a text.
func (s *Server) Count(text string) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, path := range s.asked {
		if strings.Contains(path, text) {
			n++
		}
	}
	return n
}

// refuse writes an error as Google does.
func refuse(w http.ResponseWriter, status int, reason string) {
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"error":{"code":%d,"message":%q,"errors":[{"domain":"global","reason":%q}]}}`, status, reason, reason)
}

// handler answers a method with the parameters that it has. The server's lock is held.
type handler struct {
	serve      func(w http.ResponseWriter, r *http.Request)
	parameters string
}

// guard refuses what Google refuses.
func (s *Server) guard(h handler, scope string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.asked = append(s.asked, r.URL.Path)
		if s.refused(w, r) {
			return
		}
		token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		switch has, ok := s.tokens[token]; {
		case !ok:
			refuse(w, http.StatusUnauthorized, "authError")
			return
		case has != scope:
			refuse(w, http.StatusForbidden, "insufficientPermissions")
			return
		case r.Header.Get("User-Agent") == "" || strings.HasPrefix(r.Header.Get("User-Agent"), "Go-http-client"):
			refuse(w, http.StatusForbidden, "no User-Agent")
			return
		}
		for name := range r.URL.Query() {
			if !slices.Contains(strings.Fields(h.parameters), name) {
				refuse(w, http.StatusBadRequest, "badRequest: "+name)
				return
			}
		}
		h.serve(w, r)
	})
}

// refused answers with the first refusal that fits; s.mu is held.
func (s *Server) refused(w http.ResponseWriter, r *http.Request) bool {
	for i, f := range s.refusals {
		if !strings.Contains(r.URL.Path, f.path) {
			continue
		}
		if f.times > 0 {
			if f.times--; f.times == 0 {
				s.refusals = slices.Delete(s.refusals, i, i+1)
			}
		}
		if f.after > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(f.after))
		}
		refuse(w, f.status, f.reason)
		return true
	}
	return false
}
