package slackfake

import (
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// File is a file in the workspace.
type File struct {
	ID, Name, MIME string
	User           string // who shared it first
	Data           []byte
	Login          bool   // answer with the sign-in page and status 200, as without files:read
	Redirect       string // answer with a redirect to this address
	Foreign        bool   // of another company: events have only its id, files.info the rest
	Status         int    // answer with it
	Mode           string // default "hosted"
	NoSize         bool   // do not say how large it is, neither in events nor in headers
	Announced      int    // bytes in events, if Data is sent again and again without end
}

// eventFile returns a file as events contain it.
func (s *Server) eventFile(f *File) map[string]any {
	if f != nil && f.Foreign {
		return map[string]any{"id": f.ID, "created": 1, "mode": "file_access", "file_access": "check_file_info"}
	}
	return s.fileJSON(f)
}

// Poured returns the bytes of endless files that were sent.
func (s *Server) Poured() int64 { return s.poured.Load() }

// FileName returns the name of a file.
func (s *Server) FileName(id string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.files[id].Name
}

// AddFile stores a file and returns its id, for SayFiles.
func (s *Server) AddFile(f File) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f.ID == "" {
		f.ID = s.id("F")
	}
	s.files[f.ID] = &f
	return f.ID
}

func (s *Server) fileJSON(f *File) map[string]any {
	if f == nil {
		return map[string]any{"id": "F0", "mode": "tombstone"}
	}
	base := s.base + "/files-pri/" + s.opt.Team + "-" + f.ID + "/"
	out := map[string]any{
		"id": f.ID, "name": f.Name, "title": f.Name, "mimetype": f.MIME, "mode": first(f.Mode, "hosted"), "size": len(f.Data),
		"url_private": base + f.Name, "url_private_download": base + "download/" + f.Name,
	}
	if f.Announced > 0 {
		out["size"] = f.Announced
	}
	if f.NoSize {
		delete(out, "size")
	}
	return out
}

func (s *Server) fileInfo(a args) (map[string]any, string) {
	f := s.files[a["file"]]
	if f == nil {
		return nil, "file_not_found"
	}
	out, seen := s.fileJSON(f), f.User == "" // shared nowhere: a test of the file alone
	shares := map[string][]string{"channels": {}, "groups": {}, "ims": {}}
	for _, ch := range s.channels {
		if !slices.ContainsFunc(ch.messages, func(m *Message) bool { return slices.Contains(m.Files, f.ID) }) {
			continue
		}
		kind := "channels"
		switch {
		case isDirect(ch.ID):
			kind = "ims"
		case ch.Private:
			kind = "groups"
		}
		shares[kind] = append(shares[kind], ch.ID)
		seen = seen || slices.Contains(ch.Members, "UBOT")
	}
	for kind, ids := range shares {
		out[kind] = ids
	}
	if !seen { // an app sees files shared in its conversations
		return nil, "file_not_found"
	}
	out["user"], out["is_public"] = f.User, len(shares["channels"]) > 0
	return map[string]any{"file": out}, ""
}

// serveFile serves a file's bytes to requests with the token, and the sign-in page to others.
func (s *Server) serveFile(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	_, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/files-pri/"), "-")
	id, _, _ := strings.Cut(rest, "/")
	f := s.files[id]
	authorized := !s.withheld && s.refuse(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")) == ""
	s.record(Call{Method: "file", Args: args{"file": id}, Status: http.StatusOK, At: s.opt.Now()})
	s.mu.Unlock()
	switch {
	case !authorized:
		http.Redirect(w, r, "/signin?redir="+r.URL.Path, http.StatusFound)
	case f == nil:
		http.NotFound(w, r)
	case f.Login:
		serveSignIn(w, r)
	case f.Status != 0:
		w.Header().Set("Retry-After", "7")
		http.Error(w, http.StatusText(f.Status), f.Status)
	case f.Redirect != "":
		http.Redirect(w, r, f.Redirect, http.StatusFound)
	default:
		w.Header().Set("Content-Type", f.MIME)
		for f.Announced > 0 {
			n, err := w.Write(f.Data)
			if s.poured.Add(int64(n)); err != nil {
				return
			}
		}
		if !f.NoSize {
			w.Header().Set("Content-Length", strconv.Itoa(len(f.Data)))
		}
		_, _ = w.Write(f.Data)
	}
}

func serveSignIn(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = io.WriteString(w, "<!DOCTYPE html><html><title>Slack</title><body>Sign in to your workspace</body></html>")
}
