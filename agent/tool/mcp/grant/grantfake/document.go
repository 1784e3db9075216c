package grantfake

import (
	"encoding/json"
	"net/http"
)

// read reads the metadata document of a client.
func (s *Server) read(id string) (redirects []string) {
	resp, err := http.Get(id) //nolint:noctx // a fake
	if err != nil {
		return nil
	}
	defer resp.Body.Close()
	var doc struct {
		ID        string   `json:"client_id"`
		Name      string   `json:"client_name"`
		Redirects []string `json:"redirect_uris"`
		Method    string   `json:"token_endpoint_auth_method"`
	}
	if json.NewDecoder(resp.Body).Decode(&doc) != nil || doc.ID != id || doc.Name == "" || doc.Method != "none" {
		return nil
	}
	return doc.Redirects
}
