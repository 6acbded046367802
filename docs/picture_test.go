package docs_test

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// packagesPicture is the picture of the packages in ARCHITECTURE.md.
const packagesPicture = "docs/packages.svg"

// TestThePictureIsUpToDate compares the picture of the packages with the imports of the
// source. UPDATE_DOCS=1 draws it.
func TestThePictureIsUpToDate(t *testing.T) {
	want := drawn(layered(importsOf(t)))
	if os.Getenv("UPDATE_DOCS") != "" {
		if err := os.WriteFile(packagesPicture, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got := readFile(t, packagesPicture); got != want {
		t.Errorf("%s is out of date; update it with UPDATE_DOCS=1 go test ./docs -run TestThePicture", packagesPicture)
	}
}

// importsOf returns the packages of ours that each package imports, by their short names,
// without packages for tests.
func importsOf(t *testing.T) map[string][]string {
	t.Helper()
	imports := map[string][]string{}
	walkSource(t, func(dir string, ours []string) {
		name, ok := strings.CutPrefix(dir, "internal/")
		if !ok || name == "fakeapi" {
			return
		}
		all := append(imports[name], ours...)
		slices.Sort(all)
		imports[name] = slices.Compact(all)
	})
	return imports
}

// drawing is the packages in layers: none imports one of its own layer or above.
type drawing struct {
	imports map[string][]string
	layers  [][]string // the lowest first; in it what imports nothing
	alone   []string   // neither import nor are imported, but by cmd/ralph
}

func layered(imports map[string][]string) drawing {
	d := drawing{imports: imports}
	imported := map[string]bool{}
	for _, names := range imports {
		for _, name := range names {
			imported[name] = true
		}
	}
	var layer func(name string) int
	layer = func(name string) int {
		n := 0
		for _, below := range imports[name] {
			n = max(n, layer(below)+1)
		}
		return n
	}
	for _, name := range slices.Sorted(maps.Keys(imports)) {
		if len(imports[name]) == 0 && !imported[name] {
			d.alone = append(d.alone, name)
			continue
		}
		n := layer(name)
		for len(d.layers) <= n {
			d.layers = append(d.layers, nil)
		}
		d.layers[n] = append(d.layers[n], name)
	}
	d.untangle()
	return d
}

// untangle orders each layer by where its neighbours are, so that fewer lines cross.
func (d drawing) untangle() {
	for range 8 {
		for i := range d.layers {
			at := d.places()
			mean := func(name string) float64 {
				sum, n := at[name], 1.0
				for other, below := range d.imports {
					if slices.Contains(below, name) {
						sum, n = sum+at[other], n+1
					}
				}
				for _, below := range d.imports[name] {
					sum, n = sum+at[below], n+1
				}
				return sum / n
			}
			slices.SortStableFunc(d.layers[i], func(a, b string) int {
				return cmp.Or(cmp.Compare(mean(a), mean(b)), cmp.Compare(a, b))
			})
		}
	}
}

// The measures of the picture, in pixels.
const (
	pictureWidth = 1180
	layerHeight  = 118
	boxHeight    = 30
	sideMargin   = 14
)

// places are the middles of the boxes, from the left.
func (d drawing) places() map[string]float64 {
	at := map[string]float64{}
	for _, layer := range d.layers {
		step := float64(pictureWidth-2*sideMargin) / float64(len(layer))
		for i, name := range layer {
			at[name] = sideMargin + step*(float64(i)+0.5)
		}
	}
	return at
}

// strokes are the colours that separate the lines of neighbouring packages.
var strokes = []string{"#0550ae", "#a40e26", "#1a7f37", "#8250df", "#953800", "#0e7490", "#9a6700", "#bf3989"}

// drawn is the picture as SVG.
func drawn(d drawing) string {
	at := d.places()
	height := (len(d.layers)+1)*layerHeight + 40
	top := func(layer int) int { return 20 + (len(d.layers)-layer)*layerHeight }
	of := map[string]int{}
	for i, layer := range d.layers {
		for _, name := range layer {
			of[name] = i
		}
	}
	var svg strings.Builder
	fmt.Fprintf(&svg, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="ui-monospace, Menlo, Consolas, monospace" font-size="12" text-anchor="middle">`+"\n", pictureWidth, height)
	fmt.Fprintf(&svg, `<title>The packages of ralph and what they import</title><rect width="%d" height="%d" rx="8" fill="#ffffff"/>`+"\n", pictureWidth, height)
	for i, layer := range slices.Backward(d.layers) {
		for n, name := range layer {
			for _, below := range d.imports[name] {
				from, to := top(i)+boxHeight, top(of[below])
				bend := (to - from) / 2
				fmt.Fprintf(&svg, `<path d="M%.0f %d C%.0f %d %.0f %d %.0f %d" fill="none" stroke="%s" stroke-width="1.2" stroke-opacity="0.7"/>`+"\n",
					at[name], from, at[name], from+bend, at[below], to-bend, at[below], to, strokes[(n+3*i)%len(strokes)])
			}
		}
	}
	box := func(x float64, y int, name string, width float64, fill string) {
		fmt.Fprintf(&svg, `<rect x="%.1f" y="%d" width="%.1f" height="%d" rx="5" fill="%s" stroke="#57606a"/><text x="%.1f" y="%d" fill="#1f2328">%s</text>`+"\n",
			x-width/2, y, width, boxHeight, fill, x, y+20, name)
	}
	for i, layer := range d.layers {
		for _, name := range layer {
			box(at[name], top(i), name, float64(len(name))*7.3+10, "#f6f8fa")
		}
	}
	box(pictureWidth/2, 20, "cmd/ralph: the commands, and all text that a user sees; imports everything below", pictureWidth-2*sideMargin, "#ddf4ff")
	fmt.Fprintf(&svg, `<text x="%d" y="%d" fill="#57606a">called by the commands alone: %s</text>`+"\n</svg>\n", pictureWidth/2, height-16, strings.Join(d.alone, ", "))
	return svg.String()
}
