import ArgumentParser

/// What a shell needs to complete a command line of `vplay`.
///
/// The parser's own scripts know no default subcommand: behind a bare `vplay` they offer subcommands alone. Ours say
/// `play` for them where the first word is no subcommand, and leave the rest to them.
enum Completions {
    /// nil where `arguments` do not ask for one, or the parser should refuse them in its own words.
    static func script(for arguments: [String]) -> String? {
        guard arguments.first == "--generate-completion-script", arguments.count <= 2 else { return nil }
        let name = arguments.count == 2 ? arguments[1] : CompletionShell.autodetected()?.rawValue
        guard let name, let shell = CompletionShell(rawValue: name) else { return nil }
        let script = Vplay.completionScript(for: shell)
        switch name {
        case "bash": return script + "\n" + bash
        case "zsh":
            // The last lines bind `_vplay`, or call it: ours must come before them.
            guard let tail = script.firstRange(of: "\nif [[ \"${funcstack[1]}\"") else { return script }
            // A colon that is not masked ends a word that is offered.
            let words = script[..<tail.lowerBound].replacing(/'(\w+):'/) { "'\($0.1)\\:'" }
            return String(words) + "\n" + zsh + String(script[tail.lowerBound...])
        case "fish": return script + "\n" + fish
        default: return script
        }
    }

    private static var subcommands: [CommandConfiguration] {
        Vplay.configuration.subcommands.map { $0.configuration }
    }

    /// "play probe bench help"
    private static func names(separator: String) -> String {
        (subcommands.compactMap(\.commandName) + ["help"]).joined(separator: separator)
    }

    private static var bash: String {
        """
        # Where the first word is no subcommand, the words are those of play.
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
            # --events=json is three words to bash.
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
        # Where the first word is no subcommand, the words are those of play.
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
            # Where the first word is no subcommand, the words are those of play.
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
