package load

import (
	"bytes"

	"github.com/pdfcpu/pdfcpu/pkg/api"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
)

// unlocked takes the encryption off a PDF that opens without a password: whoever made
// it restricts printing or changing it, not reading. The reader underneath knows the
// older ciphers alone, and not that of PDF 2.0, AES with 256 bits.
func unlocked(data []byte) ([]byte, error) {
	api.DisableConfigDir() // or it keeps its settings in somebody's home
	var out bytes.Buffer
	if err := api.Decrypt(bytes.NewReader(data), &out, model.NewAESConfiguration("", "", 256)); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
