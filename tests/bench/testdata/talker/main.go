// Command talker is an agent that says a hundred times what time it is, so that
// anyone who hears it knows how long that took.
package main

import (
	"fmt"
	"os"
	"time"
)

func main() {
	fmt.Println(`{"type":"system","subtype":"init","session_id":"s1","model":"m"}`)
	for range 100 {
		time.Sleep(10 * time.Millisecond)
		fmt.Fprintf(os.Stdout, `{"type":"assistant","message":{"id":"m1","model":"m","role":"assistant","content":[{"type":"text","text":"at %d"}]},"session_id":"s1"}`+"\n", time.Now().UnixNano())
	}
	fmt.Println(`{"type":"result","subtype":"success","is_error":false,"result":"That is all.","session_id":"s1"}`)
}
