// Package graph runs state graphs.
package graph
