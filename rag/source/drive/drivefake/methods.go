package drivefake

import (
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// token gives a token for a signed assertion, as RFC 7523 says.
func (s *Server) token(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, r.URL.Path)
	if s.refused(w, r) {
		return
	}
	scope, err := s.verified(r.FormValue("assertion"))
	if err != nil || r.FormValue("grant_type") != "urn:ietf:params:oauth:grant-type:jwt-bearer" {
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprintf(w, `{"error":"invalid_grant","error_description":%q}`, fmt.Sprint(err))
		return
	}
	token := fmt.Sprintf("ya29.%d", len(s.tokens)+1)
	s.tokens[token] = scope
	reply(w, map[string]any{"access_token": token, "expires_in": 3599, "token_type": "Bearer"})
}

// verified returns the scope that an assertion asks for.
func (s *Server) verified(assertion string) (string, error) {
	parts := strings.Split(assertion, ".")
	if len(parts) != 3 {
		return "", fmt.Errorf("an assertion of %d parts", len(parts))
	}
	signature, err := base64.RawURLEncoding.DecodeString(parts[2])
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	if err := rsa.VerifyPKCS1v15(&s.key.PublicKey, crypto.SHA256, sum[:], signature); err != nil {
		return "", err
	}
	data, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		return "", err
	}
	var claims struct {
		Issuer   string `json:"iss"`
		Audience string `json:"aud"`
		Scope    string `json:"scope"`
		From     int64  `json:"iat"`
		Until    int64  `json:"exp"`
	}
	if err := json.Unmarshal(data, &claims); err != nil {
		return "", err
	}
	if now := s.Clock().Unix(); claims.Issuer != Account || claims.Audience != s.URL+"/token" || claims.From > now+60 || claims.Until < now || claims.Until > claims.From+3600 {
		return "", fmt.Errorf("claims %s", data)
	}
	return claims.Scope, nil
}

func reply(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	_ = json.NewEncoder(w).Encode(v) // the client sees a cut answer
}

// described returns a file as the API shows it.
func (s *Server) described(k *kept) map[string]any {
	out := map[string]any{
		"id": k.ID, "name": k.Name, "mimeType": k.Mime, "modifiedTime": k.modified.Format("2006-01-02T15:04:05.000Z"), "trashed": k.trashed,
		"webViewLink": s.URL + "/file/d/" + k.ID + "/view",
	}
	if k.Parent != "" {
		out["parents"] = []string{k.Parent}
	}
	if k.Drive != "" {
		out["driveId"] = k.Drive
	}
	if !strings.HasPrefix(k.Mime, "application/vnd.google-apps.") {
		out["md5Checksum"] = fmt.Sprintf("%x", sha256.Sum256([]byte(k.Text)))[:32]
	}
	return out
}

var inParents = regexp.MustCompile(`^'([A-Za-z0-9_-]+)' in parents and trashed = false$`)

// window returns a page of n entries, and the token of the next one.
func (s *Server) window(token string, n int) (from, to int, next string, ok bool) {
	from, err := strconv.Atoi("0" + token)
	to = min(from+s.page, n)
	if to < n {
		next = strconv.Itoa(to)
	}
	return from, to, next, err == nil && from <= n
}

// visible reports whether a request sees files of a drive.
func visible(r *http.Request, drive string) bool {
	q := r.URL.Query()
	all := q.Get("supportsAllDrives") == "true" && (q.Get("includeItemsFromAllDrives") == "true" || r.PathValue("id") != "")
	return drive == "" || all && (q.Get("driveId") == "" && r.PathValue("id") != "" || q.Get("driveId") == drive)
}

func (s *Server) list(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	m := inParents.FindStringSubmatch(q.Get("q"))
	if m == nil || q.Get("fields") == "" || (q.Get("driveId") != "") != (q.Get("corpora") == "drive") {
		refuse(w, http.StatusBadRequest, "invalid")
		return
	}
	all := []map[string]any{}
	for _, k := range s.files {
		if k.Parent == m[1] && !k.trashed && visible(r, k.Drive) {
			all = append(all, s.described(k))
		}
	}
	slices.SortFunc(all, func(a, b map[string]any) int { return strings.Compare(fmt.Sprint(a["id"]), fmt.Sprint(b["id"])) })
	from, to, next, ok := s.window(q.Get("pageToken"), len(all))
	if !ok {
		refuse(w, http.StatusBadRequest, "invalid")
		return
	}
	out := map[string]any{"files": all[from:to]}
	if next != "" {
		out["nextPageToken"] = next
	}
	reply(w, out)
}

// named returns the file of a request; without one the answer is that of one that is not there.
func (s *Server) named(w http.ResponseWriter, r *http.Request) *kept {
	k := s.files[r.PathValue("id")]
	if k == nil || k.Drive != "" && r.URL.Query().Get("supportsAllDrives") != "true" && !strings.HasSuffix(r.URL.Path, "/export") {
		refuse(w, http.StatusNotFound, "notFound")
		return nil
	}
	return k
}

func (s *Server) file(w http.ResponseWriter, r *http.Request) {
	k := s.named(w, r)
	switch {
	case k == nil:
	case r.URL.Query().Get("alt") != "media":
		reply(w, s.described(k))
	case strings.HasPrefix(k.Mime, "application/vnd.google-apps."):
		refuse(w, http.StatusForbidden, "fileNotDownloadable")
	default:
		fmt.Fprint(w, k.Text)
	}
}

func (s *Server) export(w http.ResponseWriter, r *http.Request) {
	k := s.named(w, r)
	switch {
	case k == nil:
	case !strings.HasPrefix(k.Mime, "application/vnd.google-apps.") || !strings.HasPrefix(r.URL.Query().Get("mimeType"), "application/vnd.openxmlformats-officedocument."):
		refuse(w, http.StatusForbidden, "fileNotExportable")
	default:
		fmt.Fprint(w, k.Text)
	}
}

func (s *Server) permissions(w http.ResponseWriter, r *http.Request) {
	k := s.named(w, r)
	if k == nil {
		return
	}
	if k.hidden {
		refuse(w, http.StatusForbidden, "insufficientFilePermissions")
		return
	}
	from, to, next, ok := s.window(r.URL.Query().Get("pageToken"), len(k.readers))
	if !ok {
		refuse(w, http.StatusBadRequest, "invalid")
		return
	}
	reply(w, map[string]any{"permissions": k.readers[from:to], "nextPageToken": next})
}

func (s *Server) start(w http.ResponseWriter, _ *http.Request) {
	reply(w, map[string]any{"startPageToken": strconv.Itoa(len(s.changes))})
}

func (s *Server) changed(w http.ResponseWriter, r *http.Request) {
	from, to, next, ok := s.window(r.URL.Query().Get("pageToken"), len(s.changes))
	if !ok || r.URL.Query().Get("fields") == "" {
		refuse(w, http.StatusBadRequest, "invalid")
		return
	}
	list := []map[string]any{}
	for _, id := range s.changes[from:to] {
		k := s.files[id]
		one := map[string]any{"fileId": id, "removed": k == nil}
		if k != nil && !visible(r, k.Drive) {
			continue
		}
		if k != nil {
			one["file"] = s.described(k)
		}
		list = append(list, one)
	}
	out := map[string]any{"changes": list}
	if next != "" {
		out["nextPageToken"] = next
	} else {
		out["newStartPageToken"] = strconv.Itoa(len(s.changes))
	}
	reply(w, out)
}

func (s *Server) members(w http.ResponseWriter, r *http.Request) {
	all, ok := s.groups[r.PathValue("id")]
	if !ok {
		refuse(w, http.StatusForbidden, "forbidden")
		return
	}
	from, to, next, ok := s.window(r.URL.Query().Get("pageToken"), len(all))
	if !ok || r.URL.Query().Get("includeDerivedMembership") != "true" {
		refuse(w, http.StatusBadRequest, "invalid")
		return
	}
	list := []map[string]any{}
	for _, m := range all[from:to] {
		list = append(list, map[string]any{"email": m, "type": "USER", "status": "ACTIVE", "role": "MEMBER"})
	}
	reply(w, map[string]any{"members": list, "nextPageToken": next})
}
