package main

import (
	"bytes"
	"fmt"
	"html"
	"math"
)

// plot draws each figure that has a floor as a bar, in multiples of the floor, on a
// scale on which each step doubles.
func (r *report) plot() []byte {
	const left, width, line, top = 330, 420, 24, 44
	const most = 256.0 // times the floor
	x := func(times float64) float64 {
		return left + width*math.Log2(min(max(times, 1), most))/math.Log2(most)
	}
	var rows []row
	for _, each := range r.Rows {
		if each.Ratio != nil {
			rows = append(rows, each)
		}
	}
	height := top + line*len(rows) + 12
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">`+"\n", left+width+70, height)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" fill="#ffffff"/><text x="12" y="20" fill="#222222" font-size="13">ralph compared with the floor of the same run (1x); a red line is the limit</text>`+"\n")
	for times := 1.0; times <= most; times *= 4 {
		fmt.Fprintf(&b, `<path d="M%.1f %dV%d" stroke="#dddddd"/><text x="%.1f" y="%d" fill="#777777" text-anchor="middle">%.0fx</text>`+"\n", x(times), top-4, height-8, x(times), top-8, times)
	}
	for i, each := range rows {
		y := top + line*i
		fmt.Fprintf(&b, `<text x="%d" y="%d" fill="#222222" text-anchor="end">%s</text>`, left-8, y+15, html.EscapeString(each.Name))
		fmt.Fprintf(&b, `<rect x="%d" y="%d" width="%.1f" height="14" fill="#4878a8"/>`, left, y+4, max(x(*each.Ratio)-left, 2))
		if each.Of == "ratio" {
			fmt.Fprintf(&b, `<path d="M%.1f %dv20" stroke="#c03030" stroke-width="2"/>`, x(*each.Limit), y+1)
		}
		fmt.Fprintf(&b, `<text x="%.1f" y="%d" fill="#222222">%s</text>`+"\n", x(*each.Ratio)+6, y+15, times(each.Ratio))
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}
