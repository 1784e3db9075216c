package local

// IndexBytes is the size of the index without the texts and documents that it
// keeps: postings, terms, lengths and tables.
func (x *Index) IndexBytes() (bytes int64) {
	for _, v := range x.snap.Load().views {
		bytes += int64(v.seg.sec[secRecords])
	}
	return bytes
}
