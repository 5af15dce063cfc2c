#!/bin/sh
# The feed's tests call this with the name and the version of a package that they have installed.

case "$1" in
	lxc-passthrough)
		/usr/libexec/lxc/hooks/passthrough --version | grep -F "$2"
		;;
	lxc-passthrough-cli)
		lxc-passthrough --version | grep -F "$2"
		;;
esac
