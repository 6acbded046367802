# Completes the commands of ralph in fish. Save it with:
# ralph completion fish >~/.config/fish/completions/ralph.fish

function __ralph_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l lines (command ralph __complete $words[2..-1] 2>/dev/null)
    switch "$lines[1]"
        case :files
            __fish_complete_path (commandline -ct)
        case :folders
            __fish_complete_directories (commandline -ct) ''
        case '*'
            printf '%s\n' $lines
    end
end

complete -c ralph -f -k -a '(__ralph_complete)'
