#!/bin/sh
# Stands in for systemctl in the root of a test: play.py, at the other end of the pipes, does what
# systemd would.
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
