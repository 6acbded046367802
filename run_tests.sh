#!/bin/sh
# For people who look for it: all tests, with what they need.
set -eu
cd "$(dirname "$0")"
exec make test
