# Completes the commands of ralph in bash, also in the 3.2 of macOS.
# Load it with: eval "$(ralph completion bash)"

_ralph() {
	local IFS=$'\n' cur line value quoted word words=() n=0 i
	COMPREPLY=()
	# bash takes --flag=value apart; ralph wants it as it was typed.
	for ((i = 1; i <= COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]}
		if ((n > 0)) && [[ $word == "=" || ${words[n - 1]} == --*= ]]; then
			words[n - 1]+=$word
		else
			words[n]=$word
			n=$((n + 1))
		fi
	done
	cur=${words[n - 1]-}
	words[n - 1]=${cur//[\'\"\\]/}
	while IFS= read -r line; do
		case $line in
		:files | :folders)
			i=-f
			[ "$line" = :files ] || i=-d
			cur=${cur#--*=}
			while IFS= read -r value; do COMPREPLY+=("$value"); done < <(compgen "$i" -- "$cur")
			compopt -o filenames 2>/dev/null
			;;
		*)
			value=${line%%$'\t'*}
			[[ $cur != --*=* || $COMP_WORDBREAKS != *=* ]] || value=${value#--*=}
			# A branch may have a name that the shell would carry out.
			printf -v quoted %q "$value"
			case ${cur#--*=} in
			[\'\"]*) [ "$quoted" = "$value" ] || continue ;;
			esac
			COMPREPLY+=("$quoted")
			;;
		esac
	done < <(command ralph __complete "${words[@]}" 2>/dev/null)
}

complete -F _ralph ralph
