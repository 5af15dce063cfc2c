# Completion of lxc-passthrough for fish.

function __lxc_passthrough_containers
    argparse -i P/lxcpath= -- (commandline -opc) 2>/dev/null
    set -l directory (string replace -r '^~/' "$HOME/" -- $_flag_lxcpath)
    if test -z "$directory"
        set directory (lxc-config lxc.lxcpath 2>/dev/null; or echo /var/lib/lxc)
    end
    for config in $directory/*/config
        string replace -r '.*/([^/]+)/config$' '$1' -- $config
    end
end

function __lxc_passthrough_subjects
    lxc-passthrough explain 2>/dev/null | string replace -r '^(\S+)\s+' '$1\t'
end

set -l commands check plan rules explain
set -l about_containers check plan rules
complete -c lxc-passthrough -f
complete -c lxc-passthrough -s h -l help -d 'Say how to call it'
complete -c lxc-passthrough -n "not __fish_seen_subcommand_from $commands" -l version -d 'Say the version'
complete -c lxc-passthrough -n "not __fish_seen_subcommand_from $commands" -a check -d 'Tell what is wrong before a container starts'
complete -c lxc-passthrough -n "not __fish_seen_subcommand_from $commands" -a plan -d 'Show what the hook would do now'
complete -c lxc-passthrough -n "not __fish_seen_subcommand_from $commands" -a rules -d 'Print the least device cgroup rules'
complete -c lxc-passthrough -n "not __fish_seen_subcommand_from $commands" -a explain -d 'Say what a status or a diagnosis means'
complete -c lxc-passthrough -n "__fish_seen_subcommand_from $commands" -l format -x -a 'text json' -d 'For people or for programs'
complete -c lxc-passthrough -n "__fish_seen_subcommand_from $about_containers" -a '(__lxc_passthrough_containers)'
complete -c lxc-passthrough -n "__fish_seen_subcommand_from $about_containers" -s n -l name -x -a '(__lxc_passthrough_containers)' -d 'The container'
complete -c lxc-passthrough -n "__fish_seen_subcommand_from $about_containers" -s P -l lxcpath -x -a '(__fish_complete_directories)' -d 'Where the containers are'
complete -c lxc-passthrough -n "__fish_seen_subcommand_from $about_containers" -s f -l rcfile -r -F -d 'Use this config'
complete -c lxc-passthrough -n "__fish_seen_subcommand_from $about_containers" -l lxc-version -x -d 'Judge for this LXC'
complete -c lxc-passthrough -n "__fish_seen_subcommand_from $about_containers" -l cgroup -x -a 'v1 v2' -d 'Judge for this cgroup layout'
complete -c lxc-passthrough -n '__fish_seen_subcommand_from check' -l all -d 'Every container'
complete -c lxc-passthrough -n '__fish_seen_subcommand_from check' -l fail-on -x -a 'error warning notice' -d 'The least severity that makes the status 1'
complete -c lxc-passthrough -n '__fish_seen_subcommand_from check' -l ignore -x -a '(__lxc_passthrough_subjects | string match -r "^[a-z].*")' -d 'Leave this diagnosis out'
complete -c lxc-passthrough -n '__fish_seen_subcommand_from explain' -a '(__lxc_passthrough_subjects)'
