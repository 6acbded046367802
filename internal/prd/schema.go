package prd

import _ "embed"

// Schema is the JSON schema of prd.json, for editors and other programs. Do
// not change it. Parse judges by rules of its own, which the tests hold against
// this text.
//
//go:embed schema.json
var Schema []byte
