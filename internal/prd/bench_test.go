package prd_test

import (
	"encoding/json"
	"strconv"
	"testing"

	"ralph/internal/prd"
)

// BenchmarkParse compares reading and checking a plan with what encoding/json
// needs to read the same file into plain structs.
func BenchmarkParse(b *testing.B) {
	type document struct {
		Description, CreatedAt string
		UserStories            []struct {
			ID, Title, Description string
			AcceptanceCriteria     []string
			Priority               int
			Passes                 bool
			Notes                  string
		}
	}
	for _, n := range []int{10, 1000, 10000} {
		data := plan(n)
		b.Run("json/"+strconv.Itoa(n), func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				var d document
				if err := json.Unmarshal(data, &d); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("prd/"+strconv.Itoa(n), func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := prd.Parse("prd.json", data); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkBytes(b *testing.B) {
	p := mustParse(b, string(plan(1000)))
	b.ReportAllocs()
	for b.Loop() {
		p.Bytes()
	}
}
