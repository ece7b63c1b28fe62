# SPDX-License-Identifier: GPL-2.0
# bash completion for memorizer. Commands and options come from memorizer's own help, so that
# none can be missing here.

# Print the options of a command, each followed by the name of its argument
_memorizer_options()
{
	"$1" "$2" --help 2>/dev/null |
		sed -En 's/^ +(-[a-zA-Z], )?(--[a-z-]+)(\[=|=| )?<?([A-Z]*).*/\2 \4/p'
}

_memorizer_commands()
{
	"$1" help 2>/dev/null | sed -n 's/^  \([a-z-]*\) .*/\1/p'
}

# Print the name of the argument of option $3, or none
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
			# The arguments of the recorded command
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
		mapfile -t COMPREPLY < <(compgen -W "slab pages vmalloc vmap ioremap modules stack \
			struct_page static percpu memblock user kmalloc cache" -- "$word") ;;
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
