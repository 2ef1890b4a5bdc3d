# Makes a network namespace of its own into a small world: one DNS server, on 127.0.0.1, and 8.8.8.8 is here.
set -e
printf 'nameserver 127.0.0.1\noptions timeout:4 attempts:1\n' >"$1/resolv.conf"
printf 'hosts: files dns\n' >"$1/nsswitch.conf"
mount --bind "$1/resolv.conf" /etc/resolv.conf
mount --bind "$1/nsswitch.conf" /etc/nsswitch.conf
ip link set lo up
ip address add 8.8.8.8/32 dev lo
shift
exec "$@"
