// Package drive reads a folder of Google Drive, or a shared drive, as a [source.WithReaders] over the REST API
// (https://developers.google.com/workspace/drive/api/reference/rest/v3), signed in as a service account.
//
// A file has the readers that Drive names: people, members of groups and domains. A link that opens it for whoever has the
// link makes nobody a reader. Groups are resolved by the Directory API; one that may not be read has no members.
//
// It trusts the client that it is given to refuse addresses inside, and does not know what readers mean elsewhere.
package drive

import (
	"crypto/rsa"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"strings"
	"sync"
	"time"

	"maru/rag/source"
	"maru/rag/source/rest"
)

// Config is what a Folder is made of.
type Config struct {
	URL      string       // of the folder, as people open it: https://drive.google.com/drive/folders/ID
	Key      string       // of the service account, as JSON
	Client   *http.Client // checks the addresses that it dials
	Agent    string       // of requests, such as "Maru/1.2"
	MaxBytes int64        // of one file
	Now      func() time.Time
}

// Folder is a folder with all that is below it.
type Folder struct {
	cfg    Config
	id     string
	base   *url.URL // where people open files
	api    *url.URL // Drive
	groups *url.URL // Directory
	client *rest.Client
	signer signer

	mu      sync.Mutex
	tokens  map[string]token    // by scope
	members map[string]audience // by group
	inside  map[string]bool     // folders: whether they are below this one
	drive   *string             // shared drive of the folder, "" if it is in none; nil: not asked yet
}

// audience are the members of a group, as they were at a moment.
type audience struct {
	mails []string
	at    time.Time
}

// signer signs in as a service account.
type signer struct {
	mail, id string
	key      *rsa.PrivateKey
	url      string // of the token endpoint
}

var _ source.WithReaders = (*Folder)(nil)

const (
	host       = "drive.google.com"
	googleAPI  = "https://www.googleapis.com"
	googleDir  = "https://admin.googleapis.com"
	googleSign = "https://oauth2.googleapis.com/token"

	scopeFiles  = "https://www.googleapis.com/auth/drive.readonly"
	scopeGroups = "https://www.googleapis.com/auth/admin.directory.group.member.readonly"

	perPage  = "1000"
	whole    = 24 * time.Hour   // after which everything is listed, whatever the changes tell
	renewed  = 10 * time.Minute // after which the members of a group are asked for again
	maxList  = 64 << 20         // bytes that are read of one page of a listing
	deepest  = 50               // folders above a changed file
	maxAbove = 100_000          // folders that are remembered
)

// The types of Google's own files.
const (
	typeFolder = "application/vnd.google-apps.folder"
	googleType = "application/vnd.google-apps."
)

var folderID = regexp.MustCompile(`^[A-Za-z0-9_-]{5,100}$`)

// export returns the format in which a document of Google's own is read.
func export(mime string) (as, extension string) {
	const office = "application/vnd.openxmlformats-officedocument."
	switch mime {
	case googleType + "document":
		return office + "wordprocessingml.document", ".docx"
	case googleType + "spreadsheet":
		return office + "spreadsheetml.sheet", ".xlsx"
	case googleType + "presentation":
		return office + "presentationml.presentation", ".pptx"
	}
	return "", ""
}

// readable reports whether a file is a document.
func readable(f file) bool {
	if _, extension := export(f.Mime); extension != "" {
		return true
	}
	return !strings.HasPrefix(f.Mime, googleType) && source.Readable(path.Ext(f.Name))
}

// New returns the folder of an address.
func New(c Config) (*Folder, error) {
	u, err := rest.ParseURL(c.URL, true)
	if err != nil {
		return nil, err
	}
	_, id, found := strings.Cut(strings.TrimSuffix(u.Path, "/"), "/folders/")
	if !found || !folderID.MatchString(id) {
		return nil, &source.Fault{Key: "source.no_folder", Args: []any{c.URL}, Permanent: true}
	}
	base := &url.URL{Scheme: u.Scheme, Host: u.Host}
	f := &Folder{cfg: c, client: rest.New(c.Client, c.Agent), id: id, base: base, tokens: map[string]token{}, members: map[string]audience{}, inside: map[string]bool{}}
	sign := googleSign
	if u.Hostname() == host {
		f.api, err = url.Parse(googleAPI + "/drive/v3")
		if err == nil {
			f.groups, err = url.Parse(googleDir + "/admin/directory/v1")
		}
		if err != nil {
			return nil, err
		}
	} else {
		f.api, f.groups, sign = base.JoinPath("drive/v3"), base.JoinPath("admin/directory/v1"), base.JoinPath("token").String()
	}
	if f.signer, err = newSigner(c.Key, sign); err != nil {
		return nil, &source.Fault{Key: "source.bad_key", Err: err, Permanent: true}
	}
	return f, nil
}

// itemID returns an item's ID: an address that opens the file.
func (f *Folder) itemID(file string) string { return f.base.String() + "/open?id=" + file }

// fileID returns the ID of an item's file.
func fileID(item string) string { return item[strings.LastIndexByte(item, '=')+1:] }
