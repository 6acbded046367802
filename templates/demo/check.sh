#!/bin/sh
# Checks the project: the syntax of every script, then every test in tests/.
cd "$(dirname "$0")" || exit 1
failed=0
for script in *.sh tests/*.sh; do
	[ -f "$script" ] || continue
	sh -n "$script" || failed=1
done
for test in tests/*.sh; do
	[ -f "$test" ] || continue
	if sh "$test"; then
		echo "ok    $test"
	else
		echo "FAIL  $test"
		failed=1
	fi
done
exit "$failed"
