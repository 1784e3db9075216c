package drive

import (
	"context"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"maru/rag/source/rest"
)

// token lets requests in until a moment.
type token struct {
	text  string
	until time.Time
}

// newSigner reads the key of a service account.
func newSigner(key, url string) (signer, error) {
	var k struct {
		Type  string `json:"type"`
		Mail  string `json:"client_email"`
		ID    string `json:"private_key_id"`
		Block string `json:"private_key"`
	}
	if err := json.Unmarshal([]byte(key), &k); err != nil {
		return signer{}, errors.New("the key is no JSON") // the cause could quote it
	}
	block, _ := pem.Decode([]byte(k.Block))
	if k.Type != "service_account" || k.Mail == "" || block == nil {
		return signer{}, errors.New("the key is not that of a service account")
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return signer{}, errors.New("the private key cannot be read")
	}
	private, ok := parsed.(*rsa.PrivateKey)
	if !ok {
		return signer{}, errors.New("the private key is not an RSA key")
	}
	return signer{mail: k.Mail, id: k.ID, key: private, url: url}, nil
}

// assertion returns a signed request for a token (RFC 7523).
func (s signer) assertion(scope string, now time.Time) (string, error) {
	var parts []string
	for _, part := range []any{
		map[string]string{"alg": "RS256", "typ": "JWT", "kid": s.id},
		map[string]any{"iss": s.mail, "scope": scope, "aud": s.url, "iat": now.Unix(), "exp": now.Add(time.Hour).Unix()},
	} {
		data, err := json.Marshal(part)
		if err != nil {
			return "", err
		}
		parts = append(parts, base64.RawURLEncoding.EncodeToString(data))
	}
	text := strings.Join(parts, ".")
	sum := sha256.Sum256([]byte(text))
	signature, err := rsa.SignPKCS1v15(rand.Reader, s.key, crypto.SHA256, sum[:])
	if err != nil {
		return "", fmt.Errorf("sign in: %w", err)
	}
	return text + "." + base64.RawURLEncoding.EncodeToString(signature), nil
}

// token returns a token of a scope that is good for a minute.
func (f *Folder) token(ctx context.Context, scope string) (string, error) {
	now := f.cfg.Now()
	f.mu.Lock()
	t := f.tokens[scope]
	f.mu.Unlock()
	if now.Add(time.Minute).Before(t.until) {
		return t.text, nil
	}
	assertion, err := f.signer.assertion(scope, now)
	if err != nil {
		return "", err
	}
	form := url.Values{"grant_type": {"urn:ietf:params:oauth:grant-type:jwt-bearer"}, "assertion": {assertion}}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, f.signer.url, strings.NewReader(form.Encode()))
	if err != nil {
		return "", fmt.Errorf("sign in: %w", err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	a, err := f.client.Do(req, 1<<20, refusal)
	if err != nil {
		return "", err
	}
	var answer struct {
		Token   string `json:"access_token"`
		Seconds int    `json:"expires_in"`
	}
	if err := rest.Decode(req.URL.Host, a.Data, &answer); err != nil {
		return "", err
	}
	if answer.Token == "" {
		return "", rest.BadAnswer(req.URL.Host, errors.New("no token"))
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.tokens[scope] = token{answer.Token, now.Add(time.Duration(answer.Seconds) * time.Second)}
	return answer.Token, nil
}
