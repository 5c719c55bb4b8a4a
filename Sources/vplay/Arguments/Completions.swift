import ArgumentParser

/// The shell completion scripts of `vplay`.
///
/// The scripts of ArgumentParser do not support a default subcommand: after a bare `vplay` they offer only subcommands.
/// The additions insert `play` if the first word is not a subcommand, and then call the parser's functions.
enum Completions {
    /// Returns the requested script, or nil if `arguments` do not request one or the parser should report an error.
    static func script(for arguments: [String]) -> String? {
        guard arguments.first == "--generate-completion-script", arguments.count <= 2 else { return nil }
        let name = arguments.count == 2 ? arguments[1] : CompletionShell.autodetected()?.rawValue
        guard let name, let shell = CompletionShell(rawValue: name) else { return nil }
        let script = Vplay.completionScript(for: shell)
        switch name {
        case "bash": return script + "\n" + bash
        case "zsh":
            // The last lines bind or call `_vplay`, so the addition must precede them.
            guard let tail = script.firstRange(of: "\nif [[ \"${funcstack[1]}\"") else { return script }
            // An unescaped colon would end a completion.
            let head = script[..<tail.lowerBound].replacing(/'(\w+):'/) { "'\($0.1)\\:'" }
            return String(head) + "\n" + zsh + String(script[tail.lowerBound...])
        case "fish": return script + "\n" + fish
        default: return script
        }
    }

    private static var subcommands: [CommandConfiguration] {
        Vplay.configuration.subcommands.map { $0.configuration }
    }

    /// Returns the names of the subcommands, for example "play probe bench help".
    private static func names(separator: String) -> String {
        (subcommands.compactMap(\.commandName) + ["help"]).joined(separator: separator)
    }

    private static var bash: String {
        """
        # If the first word is not a subcommand, the arguments are those of play.
        _vplay_or_play() {
            if [[ "${COMP_CWORD}" -gt 1 ]]; then
                case "${COMP_WORDS[1]}" in
                \(names(separator: "|")))
                    _vplay "${@}"
                    return
                    ;;
                esac
            fi
            local -r command="${COMP_WORDS[0]}"
            local previous="${3}"
            if [[ "${COMP_CWORD}" -eq 1 ]]; then
                previous=play
                [[ "${2}" = -* ]] || COMPREPLY=($(compgen -W '\(names(separator: " "))' -- "${2}"))
            fi
            COMP_WORDS=("${command}" play "${COMP_WORDS[@]:1}")
            COMP_CWORD=$((COMP_CWORD + 1))
            # Bash splits --events=json into three words.
            if [[ "${previous}" = '=' ]]; then
                unset "COMP_WORDS[$((COMP_CWORD - 1))]"
                COMP_WORDS=("${COMP_WORDS[@]}")
                COMP_CWORD=$((COMP_CWORD - 1))
                previous="${COMP_WORDS[COMP_CWORD - 1]}"
            fi
            COMP_LINE="${command} play${COMP_LINE#"${command}"}"
            COMP_POINT=$((COMP_POINT + 5))
            _vplay "${1}" "${2}" "${previous}"
            # A path follows.
            [[ "${#COMPREPLY[@]}" -eq 1 && "${COMPREPLY[0]}" = *: ]] && compopt +o filenames -o nospace
            return 0
        }

        complete -o filenames -F _vplay_or_play vplay

        """
    }

    private static var zsh: String {
        """
        # If the first word is not a subcommand, the arguments are those of play.
        functions[_vplay_of_parser]="${functions[_vplay]}"

        _vplay() {
            local -i ret=1
            if (( CURRENT > 2 )) && [[ "${words[2]}" = (\(names(separator: "|"))) ]]; then
                _vplay_of_parser "${@}"
                return
            fi
            if [[ "${words[CURRENT-1]}" = --(video|audio) && "${PREFIX}" = *:* ]]; then
                compset -P 1 '*:'
                _files
                return
            fi
            if (( CURRENT == 2 )) && [[ "${PREFIX}" != -* ]]; then
                _vplay_of_parser "${@}" && ret=0
            fi
            words=("${words[1]}" play "${(@)words[2,-1]}")
            (( CURRENT++ ))
            _vplay_of_parser "${@}" && ret=0
            return "${ret}"
        }

        """
    }

    private static var fish: String {
        let offers =
            subcommands.map { ($0.commandName ?? "", $0.abstract) }
            + [("help", "Show subcommand help information.")]
        let lines = offers.map { name, abstract in
            "complete -c vplay -n 'test (count (__vplay_words -pc)) -eq 1' -fa '\(name)' -d '\(abstract)'"
        }
        return """
            # If the first word is not a subcommand, the arguments are those of play.
            functions -c __vplay_tokens __vplay_words

            function __vplay_tokens
                set -l words (__vplay_words $argv)
                if not contains -- -t $argv; and not contains -- "$words[2]" \(names(separator: " "))
                    set words $words[1] play $words[2..]
                end
                printf '%s\\n' $words
            end

            \(lines.joined(separator: "\n"))

            """
    }
}
