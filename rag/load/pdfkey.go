package load

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/md5" //nolint:gosec // G501: PDFs are locked with it
	"crypto/rc4" //nolint:gosec // G503: PDFs are locked with it
	"crypto/sha256"
	"crypto/sha512"
	"encoding/binary"
	"math/big"
)

// pdfLock is what a PDF says of how it is locked (ISO 32000-2, 7.6).
type pdfLock struct {
	v, r, bits   int
	o, u, ue, id []byte
	p            int
	aes, clear   bool // clear: metadata is not locked
}

// padding stands for the password that is missing.
var padding = []byte("\x28\xBF\x4E\x5E\x4E\x75\x8A\x41\x64\x00\x4E\x56\xFF\xFA\x01\x08\x2E\x2E\x00\xB6\xD0\x68\x3E\x80\x2F\x0C\xA9\xFE\x64\x53\x69\x7A")

// pdfKey opens what is locked with a key.
type pdfKey struct {
	key  []byte
	aes  bool
	each bool // every object has a key of its own
}

// key is the key of a lock that nobody needs a password for; nil where somebody does.
func (l pdfLock) key() *pdfKey {
	if l.v == 5 {
		return l.newKey()
	}
	h := md5.New()
	h.Write(padding)
	h.Write(l.o)
	h.Write(binary.LittleEndian.AppendUint32(nil, uint32(l.p))) //nolint:gosec // G115: the bits count, not the sign
	h.Write(l.id)
	if l.r >= 4 && l.clear {
		h.Write([]byte("\xFF\xFF\xFF\xFF"))
	}
	n := l.bits / 8
	if l.r == 2 || n < 5 || n > 16 {
		n = 5
	}
	if l.v == 4 {
		n = 16
	}
	key := h.Sum(nil)[:n]
	if l.r >= 3 {
		for range 50 {
			sum := md5.Sum(key)
			key = sum[:n]
		}
	}
	if !l.fits(key) {
		return nil
	}
	return &pdfKey{key: key, aes: l.aes, each: true}
}

// fits reports whether a key of the older locks is the one of the empty password.
func (l pdfLock) fits(key []byte) bool {
	want := bytes.Clone(padding)
	if l.r == 2 {
		rc4With(key, want)
		return bytes.Equal(want, l.u)
	}
	sum := md5.Sum(append(want, l.id...))
	want = sum[:]
	for i := range 20 {
		turned := bytes.Clone(key)
		for j := range turned {
			turned[j] ^= byte(i)
		}
		rc4With(turned, want)
	}
	return len(l.u) >= 16 && bytes.Equal(want, l.u[:16])
}

func rc4With(key, data []byte) {
	if c, err := rc4.NewCipher(key); err == nil {
		c.XORKeyStream(data, data)
	}
}

// newKey is the key of a lock of AES-256.
func (l pdfLock) newKey() *pdfKey {
	if len(l.u) < 48 || len(l.ue) < 32 || !bytes.Equal(l.hash(l.u[32:40]), l.u[:32]) {
		return nil
	}
	block, err := aes.NewCipher(l.hash(l.u[40:48]))
	if err != nil {
		return nil
	}
	key := make([]byte, 32)
	cipher.NewCBCDecrypter(block, make([]byte, aes.BlockSize)).CryptBlocks(key, l.ue[:32])
	return &pdfKey{key: key, aes: true}
}

// hash is algorithm 2.B for the empty password, or its forerunner.
func (l pdfLock) hash(salt []byte) []byte {
	first := sha256.Sum256(salt)
	k := first[:]
	if l.r < 6 {
		return k
	}
	for i := 0; ; i++ {
		data := bytes.Repeat(k, 64)
		block, err := aes.NewCipher(k[:16])
		if err != nil {
			return nil
		}
		cipher.NewCBCEncrypter(block, k[16:32]).CryptBlocks(data, data)
		switch new(big.Int).Mod(new(big.Int).SetBytes(data[:16]), big.NewInt(3)).Int64() {
		case 0:
			s := sha256.Sum256(data)
			k = s[:]
		case 1:
			s := sha512.Sum384(data)
			k = s[:]
		default:
			s := sha512.Sum512(data)
			k = s[:]
		}
		if i >= 63 && int(data[len(data)-1]) <= i-31 {
			return k[:32]
		}
	}
}

// open unlocks what belongs to an object; nil if it is damaged.
func (k *pdfKey) open(id, gen int, data []byte) []byte {
	key := k.key
	if k.each {
		h := append(bytes.Clone(key), byte(id), byte(id>>8), byte(id>>16), byte(gen), byte(gen>>8))
		if k.aes {
			h = append(h, "sAlT"...)
		}
		sum := md5.Sum(h)
		key = sum[:min(16, len(k.key)+5)]
	}
	if !k.aes {
		out := bytes.Clone(data)
		rc4With(key, out)
		return out
	}
	block, err := aes.NewCipher(key)
	if err != nil || len(data) < 2*aes.BlockSize {
		return nil
	}
	out := bytes.Clone(data[aes.BlockSize : len(data)-len(data)%aes.BlockSize])
	cipher.NewCBCDecrypter(block, data[:aes.BlockSize]).CryptBlocks(out, out)
	if pad := int(out[len(out)-1]); pad > 0 && pad <= aes.BlockSize {
		out = out[:len(out)-pad]
	}
	return out
}
