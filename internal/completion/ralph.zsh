#compdef ralph
# Completes the commands of ralph in zsh. Load it behind compinit with:
# source <(ralph completion zsh), or put it into a folder of $fpath as _ralph.

_ralph() {
	local -a items
	local line value
	for line in "${(@f)$(command ralph __complete "${(@Q)words[2,CURRENT]}" 2>/dev/null)}"; do
		case $line in
		'') ;;
		:files) compset -P '--*='; _files; return ;;
		:folders) compset -P '--*='; _files -/; return ;;
		*)
			value=${line%%$'\t'*}
			items+=("${value//:/\\:}:${line#*$'\t'}")
			;;
		esac
	done
	_describe -V -t values ralph items
}

# Read from a folder of $fpath it is the body of the function itself.
if [[ ${funcstack[1]-} == _ralph ]]; then
	_ralph "$@"
else
	compdef _ralph ralph
fi
