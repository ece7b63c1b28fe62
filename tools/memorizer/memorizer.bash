# SPDX-License-Identifier: GPL-2.0
# Completes the arguments of memorizer in bash. Commands and options are those that memorizer
# itself helps with, so that none can be missing here.

# Options of a command as its help lists them, each followed by what its argument is called
_memorizer_options()
{
	"$1" help "$2" 2>/dev/null |
		sed -En 's/^ +(-[a-zA-Z], )?(--[a-z-]+)(\[=|=| )?([A-Z]*).*/\2 \4/p'
}

_memorizer_commands()
{
	"$1" help 2>/dev/null | sed -n 's/^  \([a-z-]*\) .*/\1/p'
}

# Whether the last word is the argument of an option, and of which kind
_memorizer_argument()
{
	local option kind

	while read -r option kind; do
		if [[ $option == "$3" ]]; then
			echo "${kind:-none}"
			return
		fi
	done < <(_memorizer_options "$1" "$2")
	echo none
}

_memorizer()
{
	local program=${COMP_WORDS[0]} word=${COMP_WORDS[COMP_CWORD]} command= i

	COMPREPLY=()
	for ((i = 1; i < COMP_CWORD; i++)); do
		if [[ -z $command && ${COMP_WORDS[i]} != -* ]]; then
			command=${COMP_WORDS[i]}
		elif [[ ${COMP_WORDS[i]} == -- && $command == record ]]; then
			# What is recorded has arguments of its own
			mapfile -t COMPREPLY < <(compgen -c -f -- "$word")
			return
		fi
	done
	if [[ -z $command || $command == help ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$(_memorizer_commands "$program")" -- "$word")
		return
	fi
	case $(_memorizer_argument "$program" "$command" "${COMP_WORDS[COMP_CWORD - 1]}") in
	DIR)
		mapfile -t COMPREPLY < <(compgen -d -- "$word") ;;
	FILE)
		mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
	KIND)
		mapfile -t COMPREPLY < <(compgen -W "kmalloc cache pages" -- "$word") ;;
	none)
		if [[ $word == -* ]]; then
			mapfile -t COMPREPLY < <(compgen -W "$(_memorizer_options "$program" "$command" |
				cut -d ' ' -f 1)" -- "$word")
		else
			mapfile -t COMPREPLY < <(compgen -f -- "$word")
		fi ;;
	esac
	compopt -o filenames 2>/dev/null
}

complete -F _memorizer memorizer
