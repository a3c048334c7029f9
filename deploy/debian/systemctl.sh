#!/bin/sh
# Replaces systemctl in the root file system of a test: play.py, at the other end of the pipes, does what systemd
# would do.
echo "$*" >>/run/systemctl.log
for word in "$@"; do
    case "$word" in
    is-enabled)
        echo enabled
        exit 0
        ;;
    is-active | daemon-reload) exit 0 ;;
    start | stop | restart | try-restart)
        echo "$*" >/run/systemctl.ask
        read -r status </run/systemctl.answer
        exit "$status"
        ;;
    esac
done
exit 0
