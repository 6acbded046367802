package main

import "testing"

// The server and all hosts get to see an address.
func TestAddressesWithSecrets(t *testing.T) {
	for address, secret := range map[string]bool{
		"https://ada:hunter2@example.com/shop.git": true,
		"https://ghp_token@example.com/shop.git":   true,
		"ssh://git:hunter2@example.com/shop.git":   true,
		"ssh://git@example.com/shop.git":           false,
		"https://example.com/shop.git":             false,
		"git@example.com:shop.git":                 false,
		"/srv/git/shop.git":                        false,
	} {
		c := submitCmd{Repo: address, Branches: []string{"x"}, Priority: 3, Silence: 1e9}
		if err := c.Validate(); (err != nil) != secret {
			t.Errorf("%s: %v", address, err)
		}
	}
}
