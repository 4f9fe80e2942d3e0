# SPDX-License-Identifier: MIT
# bash completion for sundog(1).

_sundog()
{
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} i words=
	local programs="--renderer --mesa --lavapipe --help"
	COMPREPLY=()
	if [ "$COMP_CWORD" = 1 ]; then
		mapfile -t COMPREPLY < <(compgen -W "doctor run dis --version --help" -- "$word")
		return
	fi
	case $before in
	--renderer | --mesa | --lavapipe | --socket)
		mapfile -t COMPREPLY < <(compgen -f -- "$word")
		return
		;;
	--log)
		mapfile -t COMPREPLY < <(compgen -W "error warn info debug" -- "$word")
		return
		;;
	esac
	case ${COMP_WORDS[1]} in
	doctor)
		words="--host --guest $programs"
		;;
	dis)
		mapfile -t COMPREPLY < <(compgen -f -W "--help" -- "$word")
		return
		;;
	run)
		# Behind the command's name, complete as for this command.
		for ((i = 2; i < COMP_CWORD; i++)); do
			case ${COMP_WORDS[i]} in
			--) i=$((i + 1)) && break ;;
			--renderer | --mesa | --lavapipe | --log | --max-vram | --socket) i=$((i + 1)) ;;
			-*) ;;
			*) break ;;
			esac
		done
		if [ "$i" -lt "$COMP_CWORD" ] && declare -F _command_offset >/dev/null; then
			_command_offset "$i"
			return
		fi
		words="-- --max-vram --log $programs"
		[ "${word#-}" != "$word" ] || words=
		[ "${word#-}" = "$word" ] && mapfile -t COMPREPLY < <(compgen -c -- "$word") && return
		;;
	esac
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}

complete -o default -F _sundog sundog
